"""`[vary]`, and overrides: which points come out, and what each of them is."""

import polars as pl
import pytest

import sojourn as sj


def points(text: str, overrides=()) -> list[dict]:
    return sj.Scenario.from_toml(text, overrides=overrides).vary


def run(text: str, overrides=()) -> sj.Results:
    return sj.run(sj.Scenario.from_toml(text, overrides=overrides))


def vary(good, *lines: str) -> str:
    return good.text + "\n[vary]\n" + "\n".join(lines) + "\n"


def values(text: str) -> list:
    return [next(iter(point.values())) for point in points(text)]


def test_without_vary_there_is_one_point(good):
    assert points(good.text) == [{}]
    assert points(good.text + "\n[vary]\n") == [{}]


def test_of_many_points_the_first_that_is_wrong_is_told(good):
    """Every core checks a stretch of them."""
    limits = [f"{n} packets" for n in range(1, 1000)]
    key = "link.bottleneck.queue.limit"
    assert points(vary(good, f'"{key}" = {limits}')) == [{key: limit} for limit in limits]
    for n, word in ((998, "late"), (700, "soon"), (420, "never")):
        limits[n] = word
        with pytest.raises(sj.ScenarioError, match=f'found "{word}"'):
            points(vary(good, f'"{key}" = {limits}'))


def refusal(text: str) -> str:
    with pytest.raises(sj.ScenarioError) as refused:
        sj.Scenario.from_toml(text)
    return str(refused.value)


QUEUES = '"link.bottleneck.queue" = [{ discipline = "droptail" }, { discipline = "sfq" }]'
RATES = '"flow.load.traffic.rate" = ["1 Mbit/s", "2 Mbit/s"]'


def test_an_error_says_at_which_point_it_was_found(good):
    """CHOKe has no limit in ms, which stands in a line that does not vary."""
    timed = good.but('limit = "10 packets"', 'limit = "100 ms"')
    assert refusal(vary(timed, QUEUES.replace("sfq", "choke"), RATES)) == (
        f"<text>:{good.line_of('queue')}: link.bottleneck.queue.limit: found 100 ms; allowed: "
        'packets such as "100 packets", or "none" (at point 2: queue = choke, rate = 1 Mbit/s)'
    )


def test_an_error_at_the_first_point_alone_names_it(good):
    text = vary(good, RATES.replace('"1 Mbit/s"', '"1 Mbix/s"'))
    assert refusal(text).endswith(" (at point 0: rate = 1 Mbix/s)")
    # Not at the points next to it, but further on.
    text = vary(good, '"flow.load.traffic.rate" = ["1", "1", "1 Mbit/s"]', QUEUES)
    assert refusal(text).endswith(" (at point 0: rate = 1, queue = droptail)")


def test_an_error_that_no_value_changes_names_no_point(good):
    wrong = good.but('rate = "4 Mbit/s"', 'rate = "4 Mbix/s"')
    alone = refusal(wrong.text)
    assert "at point" not in alone
    assert refusal(vary(wrong, QUEUES, RATES)) == alone


def test_the_first_key_is_outermost(good):
    text = vary(
        good,
        '"flow.load.traffic.rate" = ["1 Mbit/s", "2 Mbit/s"]',
        '"link.bottleneck.delay" = ["1 ms", "2 ms", "3 ms"]',
    )
    keys = ("flow.load.traffic.rate", "link.bottleneck.delay")
    assert [tuple(point[key] for key in keys) for point in points(text)] == [
        (f"{rate} Mbit/s", f"{delay} ms") for rate in (1, 2) for delay in (1, 2, 3)
    ]
    frame = run(text).points
    assert frame.columns == ["point", *keys]
    assert frame["point"].to_list() == list(range(6))
    assert frame[keys[1]].to_list() == ["1 ms", "2 ms", "3 ms"] * 2


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            '{ from = "0.1 Mbit/s", to = "1 Mbit/s", step = "0.1 Mbit/s" }',
            [f"{tenth / 10:.1f} Mbit/s" for tenth in range(1, 11)],
        ),
        (
            '{ from = "0.05 Mbit/s", to = "3 Mbit/s", step = "0.05 Mbit/s" }',
            [f"{cent / 100:.2f} Mbit/s" for cent in range(5, 305, 5)],
        ),
        (
            '{ from = "1 kbit/s", to = "9 kbit/s", step = "4 kbit/s" }',
            ["1 kbit/s", "5 kbit/s", "9 kbit/s"],
        ),
        ('{ from = "1 kbit/s", to = "8 kbit/s", step = "4 kbit/s" }', ["1 kbit/s", "5 kbit/s"]),
        ('{ from = "2 bit/s", to = "2 bit/s", step = "1 bit/s" }', ["2 bit/s"]),
    ],
)
def test_ranges_are_exact_and_include_their_end_where_a_step_ends_there(good, written, expected):
    def exact(text: str) -> tuple[float, str]:
        number, unit = text.split()
        return float(number), unit

    found = values(vary(good, f'"flow.load.traffic.rate" = {written}'))
    assert [exact(text) for text in found] == [exact(text) for text in expected]


def test_ranges_of_numbers_without_unit(good):
    assert values(vary(good, "seed = { from = 1, to = 7, step = 3 }")) == [1, 4, 7]
    red = good.but('discipline = "droptail"', 'discipline = "red"')
    text = vary(red, '"link.bottleneck.queue.max_p" = { from = 0.1, to = 0.3, step = 0.1 }')
    assert values(text) == [0.1, 0.2, 0.3]


@pytest.mark.parametrize(
    ("key", "first", "second", "found"),
    [
        ("seed", "1", "1", "found 1 twice"),
        ("flow.load.traffic.rate", '"1 Mbit/s"', '"1 Mbit/s"', 'found "1 Mbit/s" twice'),
        (
            "flow.load.traffic.rate",
            '"1 Mbit/s"',
            '"1e3 kbit/s"',
            'found "1e3 kbit/s", the same as "1 Mbit/s"',
        ),
        ("link.bottleneck.delay", '"30 ms"', '"0.03 s"', 'found "0.03 s", the same as "30 ms"'),
        ("link.bottleneck.loss", "0", "0.0", "found 0.0, the same as 0"),
        (
            "link.bottleneck.queue",
            '{ discipline = "codel" }',
            '{ discipline = "codel" }',
            'found {"discipline":"codel"} twice',
        ),
        (
            "link.bottleneck.queue",
            '{ discipline = "codel", target = "5 ms" }',
            '{ target = "5ms", discipline = "codel" }',
            'found {"target":"5ms","discipline":"codel"}, the same as '
            '{"discipline":"codel","target":"5 ms"}',
        ),
    ],
)
def test_a_value_that_stands_twice_is_told(good, key, first, second, found):
    """Its points are alike under one label."""
    text = vary(good, f'"{key}" = [', f"    {first},", f"    {second},", "]")
    line = text.count("\n") - 1
    warnings = sj.Scenario.from_toml(text, place="v.toml").warnings
    told = f'v.toml:{line}: vary."{key}": {found}: the points are the same, and tables do not tell'
    assert warnings == [f"{told} them apart"]


def test_values_that_are_listed_together_may_stand_twice(good):
    text = vary(good, "seed = [1, 1, 2]", 'duration = ["1 s", "2 s", "1 s"]')
    assert len(points(text + '[design]\nkind = "listed"\n')) == 3
    assert len(points(vary(good, "seed = [1, 2]", 'duration = ["1 s", "1001 ms"]'))) == 4


def test_an_item_is_merged_key_by_key(good):
    """The limit of the file holds where an item does not name it."""
    overload = good.but('"1 Mbit/s"', '"8 Mbit/s"')
    text = vary(
        overload,
        '"link.bottleneck.queue" = [',
        '    { discipline = "droptail" },',
        '    { limit = "4 packets" },',
        '    { discipline = "droptail", limit = "20 packets" },',
        "]",
    )
    frame = run(text).links
    assert frame["queue_max_packets"].to_list() == [10, 4, 20]


def test_what_survives_a_change_of_discipline(good):
    """limit, ecn and preset; parameters of the old discipline go."""
    red = good.but(
        '{ discipline = "droptail", limit = "10 packets" }',
        '{ discipline = "red", limit = "10 packets", min_th = "2 packets", max_th = "3 packets" }',
    ).but('"1 Mbit/s"', '"8 Mbit/s"')
    text = vary(
        red, '"link.bottleneck.queue" = [{ discipline = "red" }, { discipline = "droptail" }]'
    )
    frames = run(text)
    assert frames.links["queue_max_packets"][1] == 10
    reasons = frames.drops.filter(point=1)["reason"].to_list()
    assert reasons == ["overlimit"]
    # Kept: the thresholds of the file, where the discipline stays.
    assert frames.links["queue_mean_packets"][0] < 5

    ns2 = good.but('discipline = "droptail"', 'discipline = "droptail", preset = "ns2"')
    text = vary(
        ns2.but('"1 Mbit/s"', '"8 Mbit/s"'),
        '"link.bottleneck.queue" = [{ discipline = "rem" }, { preset = "reference" }]',
    )
    # ns-2's REM keeps limit - 1; ns-2's ways stay, and go when another preset is named.
    assert run(text).links["queue_max_packets"].to_list() == [9, 10]


def test_what_survives_a_change_of_source(good):
    """rate and preset; the times of an on/off source go, and need not be known to the new one."""
    onoff = good.but('"poisson"', '"onoff", on = "100 ms", off = "100 ms"')
    text = vary(onoff, '"flow.load.traffic" = [{ source = "onoff" }, { source = "cbr" }]')
    sent = run(text).flows["throughput_bps"].to_list()
    assert sent[0] == pytest.approx(0.5e6, rel=0.06)
    assert sent[1] == pytest.approx(1e6, rel=0.01)


def test_a_flow_key_addresses_all_of_its_numbers(good):
    text = vary(
        good.but("transport =", "count = 3\ntransport ="),
        '"flow.load.traffic" = [{ source = "cbr", rate = "100 kbit/s" }]',
        '"flow.load.count" = [2, 3]',
    )
    frame = run(text).flows
    assert frame["flow"].to_list() == ["load.0", "load.1", "load.0", "load.1", "load.2"]
    assert set(frame["group"]) == {"load"}
    assert frame["sent_packets"].n_unique() == 1


def test_a_count_in_vary_alone_numbers_the_flow(good):
    frame = run(vary(good, '"flow.load.count" = [1]')).flows
    assert frame["flow"].to_list() == ["load.0"]


def test_keys_of_the_file_itself(good):
    text = vary(good.but('"poisson"', '"cbr"'), 'duration = ["1 s", "3 s"]', "seed = [1, 2]")
    sent = run(text).flows["sent_packets"].to_list()
    assert sent[0] == sent[1]
    assert sent[2] == sent[3] == pytest.approx(3 * sent[0], abs=3)


def test_links_by_their_default_name(good):
    unnamed = good.but('name = "bottleneck"\n', "").but('"1 Mbit/s"', '"8 Mbit/s"')
    text = vary(unnamed, '\'link."a->b".queue.limit\' = ["3 packets", "5 packets"]')
    frame = run(text).links
    assert set(frame["link"]) == {"a->b"}
    assert frame["queue_max_packets"].to_list() == [3, 5]


SECOND = """
[[link]]
name = "{name}"
from = "b"
to = "c"
rate = "4 Mbit/s"
delay = "1 ms"
"""


def test_a_star_addresses_all_that_fit(good):
    """One axis for several links; a link keeps what the item does not name."""
    text = good.but('"1 Mbit/s"', '"8 Mbit/s"').text.replace(
        'to = "b"\ntransport', 'to = "c"\ntransport'
    )
    text += SECOND.format(name="back") + SECOND.format(name="other").replace('"c"', '"d"')
    found = run(text + '\n[vary]\n"link.b*.queue.limit" = ["2 packets", "3 packets"]\n').links
    limits = found.pivot("link", index="point", values="queue_max_packets")
    assert limits["bottleneck"].to_list() == [2, 3]
    found = run(text, {"link.*.rate": "6 Mbit/s", "link.b*.delay": "7 ms"})
    links = found.links.filter(pl.col("link") != "other")
    assert links["throughput_bps"].min() > 5.5e6
    assert found.totals["delay_mean_s"][0] > 0.014


def test_a_name_with_a_star_of_its_own_is_meant_alone(good):
    text = (
        good.text
        + """
[[link]]
from = "s*"
to = "b"
rate = "4 Mbit/s"
delay = "1 ms"
[[link]]
from = "s1"
to = "b"
rate = "4 Mbit/s"
delay = "1 ms"
"""
    )
    two = text.replace('name = "bottleneck"\n', "").replace(
        'to = "b"\ntransport', 'to = "b"\ntransport'
    )
    overrides = [('link."s1->b".to', '"c"'), ('link."s*->b".to', '"d"')]
    links = run(two, overrides).links["link"].to_list()
    assert links == ["a->b", "s1->d", "s1->c"]


def test_a_star_that_fits_nothing(good):
    with pytest.raises(sj.ScenarioError, match="there is no link of this name"):
        run(good.text, {"link.up*.rate": "1 Mbit/s"})


def test_a_key_that_the_file_does_not_have_is_made(good):
    bare = good.but('queue = { discipline = "droptail", limit = "10 packets" }\n', "")
    text = vary(
        bare.but('"1 Mbit/s"', '"8 Mbit/s"'), '"link.bottleneck.queue.limit" = ["7 packets"]'
    )
    assert run(text).links["queue_max_packets"].to_list() == [7]


@pytest.mark.parametrize("key", ["link.bottleneck", "dumbbell.bottleneck"])
def test_both_names_of_a_dumbbells_bottleneck(key):
    text = f"""
name = "dumbbell"
duration = "2 s"
[dumbbell]
bottleneck = {{ rate = "1 Mbit/s", delay = "5 ms", queue = {{ discipline = "red" }} }}
[[flow]]
name = "f"
transport = {{ protocol = "udp", payload = "472 B" }}
traffic = {{ source = "cbr", rate = "2 Mbit/s" }}
[vary]
"{key}.queue" = [{{ discipline = "droptail", limit = "6 packets" }}]
"{key}.rate" = ["1 Mbit/s", "4 Mbit/s"]
"""
    frame = run(text).links.filter(link="bottleneck")
    assert frame["queue_max_packets"].to_list() == [6, 0]
    assert frame["utilization"][1] == pytest.approx(0.5, rel=0.01)


def test_overrides_go_before_the_file_and_behind_vary(good):
    overload = good.but('"1 Mbit/s"', '"8 Mbit/s"')
    frame = run(overload.text, {"link.bottleneck.queue.limit": "5 packets"}).links
    assert frame["queue_max_packets"].to_list() == [5]
    text = vary(overload, '"link.bottleneck.queue.limit" = ["3 packets"]')
    frame = run(text, {"link.bottleneck.queue.limit": "5 packets"}).links
    assert frame["queue_max_packets"].to_list() == [3]


DUMBBELL = """
name = "dumbbell"
duration = "2 s"
[dumbbell]
rtt = "20 ms"
bottleneck = { rate = "1 Mbit/s", queue = { discipline = "red" } }
[[flow]]
name = "long"
transport = { protocol = "tcp" }
traffic = { source = "bulk" }
start = "1 s"
[vary]
"dumbbell.bottleneck.rate" = ["1 Mbit/s", "2 Mbit/s"]
"link.bottleneck.queue" = [
    { discipline = "red", min_th = "5 packets", max_th = "15 packets" },
    { discipline = "droptail" },
]
"flow.long.start" = { from = "0 s", to = "1 s", step = "1 s" }
"""


@pytest.mark.parametrize(
    ("key", "value", "line", "vary", "where"),
    [
        ("dumbbell.bottleneck.rate", "3 Mbit/s", 13, "dumbbell.bottleneck.rate", ""),
        ("link.bottleneck.rate", "3 Mbit/s", 13, "dumbbell.bottleneck.rate", ""),
        ("dumbbell.bottleneck", {"rate": "3 Mbit/s"}, 13, "dumbbell.bottleneck.rate", ""),
        ("dumbbell.bottleneck.queue.discipline", "sfq", 14, "link.bottleneck.queue", ""),
        ("flow.l*.start", "3 s", 18, "flow.long.start", ""),
        (
            "link.bottleneck.queue",
            {"discipline": "red", "max_th": "30 packets"},
            14,
            "link.bottleneck.queue",
            "",
        ),
        (
            "link.bottleneck.queue.min_th",
            "9 packets",
            14,
            "link.bottleneck.queue",
            " (at point 0: rate = 1 Mbit/s, queue = red, start = 0 s; and at 3 more)",
        ),
    ],
)
def test_what_varies_anyway_warns_when_it_is_set_from_outside(key, value, line, vary, where):
    scenario = sj.Scenario.from_toml(DUMBBELL, place="v.toml", overrides={key: value})
    why = f"[vary] gives {vary} and has the last word"
    expected = f"v.toml:{line}: {key}: what was set from outside does not count: {why}{where}"
    assert scenario.warnings == [expected]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("link.bottleneck.queue.limit", "40 packets"),
        ("dumbbell.access", {"rate": "9 Mbit/s", "delay": "2 ms"}),
        ("flow.long.transport", {"protocol": "tcp", "congestion_control": "cubic"}),
        ("duration", "3 s"),
    ],
)
def test_what_does_not_vary_is_set_from_outside_without_a_warning(key, value):
    assert sj.Scenario.from_toml(DUMBBELL, overrides={key: value}).warnings == []


@pytest.mark.parametrize("way", ["vary", "set"])
def test_another_congestion_control_leaves_the_connection_as_it_is(way):
    given = 'protocol = "tcp", congestion_control = "cubic", beta = 0.5, handshake = true'
    head = DUMBBELL.partition("[vary]")[0]
    text = head.replace('protocol = "tcp"', given + ', initial_window = "4 packets"')
    key = "flow.long.transport.congestion_control"
    if way == "vary":
        scenario = sj.Scenario.from_toml(text + f'\n[vary]\n"{key}" = ["cubic", "reno"]\n')
    else:
        scenario = sj.Scenario.from_toml(text, overrides={key: "reno"})
    transport = scenario.identity(1 if way == "vary" else 0)["flow"][0]["transport"]
    assert transport == {
        "protocol": "tcp",
        "congestion_control": "reno",
        "handshake": True,
        "initial_window": "4 packets",
    }


def test_overrides_of_every_kind(good):
    overrides = {
        "replicas": 3,
        "seed": 9,
        "title": "A title",
        "link.bottleneck.queue": {"discipline": "red", "ecn": True, "max_p": 0.5},
    }
    scenario = sj.Scenario.from_toml(good.text, overrides=overrides)
    assert (scenario.replicas, scenario.seed, scenario.title) == (3, 9, "A title")
    again = scenario.with_overrides([("replicas", "4")])
    assert (again.replicas, again.seed) == (4, 9)
    assert again.vary == [{}]


def test_a_point_of_which_no_plan_was_kept_is_the_one_that_was_checked(tmp_path):
    """Of networks as large as these only the first stays in memory."""
    text = """
name = "large"
duration = "20 ms"

[dumbbell]
rtt = "2 ms"
bottleneck = { rate = "100 Mbit/s" }

[[flow]]
name = "each"
count = 4000
transport = { protocol = "udp", payload = "empirical(sizes.csv)" }
traffic = { source = "cbr", rate = "20 kbit/s" }
start = "uniform(0 s, 10 ms)"
"""
    rates = ["100 Mbit/s", "50 Mbit/s"]
    path, sizes = tmp_path / "large.toml", tmp_path / "sizes.csv"
    path.write_text(text + f'\n[vary]\n"dumbbell.bottleneck.rate" = {rates}\n')
    sizes.write_text("100\n200\n")
    both = sj.Scenario.load(path)
    path.write_text(text)
    alone = sj.run(path, overrides={"dumbbell.bottleneck.rate": rates[1]})
    # What was read once is not read again.
    sizes.unlink()
    varied = sj.run(both)
    second = varied.flows.filter(pl.col("point") == 1)
    assert second.drop("point").equals(alone.flows.drop("point"))
    assert len(both.core.links(1)) == 4 * 4000 + 2
    assert both.core.groups() == dict(both.core.flows(1))
