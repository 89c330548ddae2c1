"""Networks: what links, flows, queues and presets of a file become when they run."""

import pytest

import sojourn as sj

HEAD = 'name = "network"\nduration = "1 s"\n'
ACCESS = 'delay = { first = "3 ms", step = "2 ms" }'


def link(start: str, end: str, rest: str = "", rate: str = "8 Mbit/s") -> str:
    return f'[[link]]\nfrom = "{start}"\nto = "{end}"\nrate = "{rate}"\n{rest}\n'


def flow(name: str, start: str, end: str, rest: str = "", traffic: str = "") -> str:
    """One packet of 1000 B each 100 ms, unless `traffic` says otherwise."""
    traffic = traffic or 'source = "cbr", rate = "80 kbit/s"'
    return (
        f'[[flow]]\nname = "{name}"\nfrom = "{start}"\nto = "{end}"\n'
        'transport = { protocol = "udp", payload = "1000 B", header = "0 B" }\n'
        f"traffic = {{ {traffic} }}\n{rest}\n"
    )


def run(text: str, **options) -> sj.Results:
    return sj.run(sj.Scenario.from_toml(HEAD + text), **options)


def delays(results: sj.Results) -> dict[str, float]:
    return dict(zip(results.flows["flow"], results.flows["delay_mean_s"], strict=True))


def sent(results: sj.Results) -> dict[str, float]:
    return dict(zip(results.flows["flow"], results.flows["sent_packets"], strict=True))


SERIALISATION = 0.001


# --- links ---------------------------------------------------------------------------------------


def test_a_star_stands_for_all_nodes_that_flows_name():
    text = link("s*", "r", f'name = "in"\n{ACCESS}') + link("r", "d", 'name = "out"')
    text += flow("f", "s*", "d", "count = 2\nfirst = 1") + flow("g", "s7", "d")
    results = run(text)
    assert results.links["link"].to_list() == ["in.1", "in.2", "in.7", "out"]
    found = delays(results)
    # Delays count the links, not the numbers of the nodes.
    for name, propagation in {"f.0": 0.003, "f.1": 0.005, "g": 0.007}.items():
        assert found[name] == pytest.approx(propagation + 2 * SERIALISATION, rel=1e-9)


def test_a_star_without_a_name_is_called_by_its_ends():
    text = link("s*", "r") + link("r", "d") + flow("f", "s*", "d", "count = 2")
    assert run(text).links["link"].to_list() == ["s0->r", "s1->r", "r->d"]


def test_a_star_at_the_receiving_end():
    text = link("a", "d*", 'name = "down"') + flow("f", "a", "d*", "count = 3")
    assert run(text).links["link"].to_list() == ["down.0", "down.1", "down.2"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('delay = "20 ms"', (0.020, 0.020)),
        ('delay = ["5 ms", "1 s"]', (0.005, 1.0)),
        ('delay = { first = "1 ms", step = "500 us" }', (0.001, 0.0015)),
        ("", (0, 0)),
    ],
)
def test_forms_of_a_delay(written, expected):
    text = link("s*", "d", written) + flow("f", "s*", "d", "count = 2")
    found = delays(run(text, overrides={"duration": "3 s"}))
    for number, propagation in enumerate(expected):
        assert found[f"f.{number}"] == pytest.approx(propagation + SERIALISATION, rel=1e-9)


def test_steps_of_a_delay_end_where_the_clock_does():
    text = link("s*", "d", 'delay = { first = "1 s", step = "9e6 s" }')
    text += flow("f", "s*", "d", "count = 4")
    with pytest.raises(sj.ScenarioError, match=r"delay\.step: found 9000000 s for each of 4 links"):
        sj.Scenario.from_toml(HEAD + text)


def test_a_delay_is_drawn_once_for_each_link_and_replica():
    text = link("s*", "d", 'name = "in"\ndelay = "uniform(10 ms, 20 ms)"\nduplex = true')
    text += flow("f", "s*", "d", "count = 2") + flow("back", "d", "s0")
    results = run(text, replicas=3)
    drawn = {}
    for row in results.flows.to_dicts():
        delay = row["delay_mean_s"] - SERIALISATION
        assert 0.010 <= delay <= 0.020
        # One value for all packets, so that no jitter remains.
        assert row["jitter_s"] == 0
        drawn[row["replica"], row["flow"]] = delay
    assert len(set(drawn.values())) == 6
    # Both ways of a duplex link share their delay.
    for replica in range(3):
        assert drawn[replica, "back"] == drawn[replica, "f.0"]


def test_a_duplex_link_has_a_way_back_with_a_queue_of_its_own():
    overload = 'source = "cbr", rate = "16 Mbit/s"'
    queues = 'queue = { discipline = "droptail", limit = "5 packets" }\nduplex = true\n'
    both = flow("there", "a", "b", traffic=overload) + flow("back", "b", "a", traffic=overload)
    text = link("a", "b", 'name = "l"\n' + queues) + both
    frame = run(text, overrides={"duration": "3 s"}).links
    assert frame["link"].to_list() == ["l", "l.reverse"]
    assert frame["queue_max_packets"].to_list() == [5, 1000]
    reverse = 'reverse_queue = { discipline = "droptail", limit = "9 packets" }\n'
    text = link("a", "b", 'name = "l"\n' + queues + reverse) + both
    assert run(text).links["queue_max_packets"].to_list() == [5, 9]


def test_the_shortest_way_is_the_one_of_fewest_links():
    text = link("a", "b", 'delay = "1 ms"') + link("b", "c", 'delay = "1 ms"')
    text += link("a", "c", 'delay = "50 ms"') + flow("f", "a", "c")
    assert delays(run(text))["f"] == pytest.approx(0.050 + SERIALISATION, rel=1e-9)


def test_framing_takes_time_but_is_no_part_of_the_packet():
    text = link("a", "b", 'overhead = "250 B"') + flow("f", "a", "b")
    results = run(text)
    assert delays(results)["f"] == pytest.approx(1.25 * SERIALISATION, rel=1e-9)
    row = results.links.row(0, named=True)
    assert row["utilization"] == pytest.approx(10 * 1.25 * SERIALISATION, rel=1e-9)


# --- queues --------------------------------------------------------------------------------------


def stands_at(queue: str, rest: str = "", **options) -> dict:
    """The link under an overload of 1000-byte packets: 8 Mbit/s, base RTT 20 ms."""
    text = link("a", "b", f'delay = "10 ms"\nqueue = {{ {queue} }}\n{rest}')
    text += flow("f", "a", "b", traffic='source = "cbr", rate = "16 Mbit/s"')
    return run(text, **options).links.row(0, named=True)


@pytest.mark.parametrize(
    ("limit", "packets"),
    [
        ("7 packets", 7),
        ("1 packet", 1),
        ("4500 B", 4),
        ("5 kB", 5),
        ("0.006 MB", 6),
        ("12 ms", 12),
        ("1.5 bdp", 30),
    ],
)
def test_units_of_a_limit(limit, packets):
    row = stands_at(f'discipline = "droptail", limit = "{limit}"')
    assert row["queue_max_packets"] == packets


def test_no_limit_at_all():
    row = stands_at('discipline = "droptail", limit = "none"', overrides={"duration": "3 s"})
    assert row["queue_max_packets"] == pytest.approx(3000, abs=1)
    assert row["drops_packets"] == 0


def test_a_bdp_takes_the_way_back_where_there_is_one():
    """The largest base round-trip time of the flows that cross the link."""
    queue = 'queue = { discipline = "droptail", limit = "1 bdp" }'
    text = link("a", "b", f'name = "l"\ndelay = "10 ms"\n{queue}')
    text += link("b", "a", 'delay = "30 ms"') + link("z", "a", 'delay = "5 ms"')
    text += flow("f", "a", "b", traffic='source = "cbr", rate = "16 Mbit/s"')
    assert run(text).links["queue_max_packets"][0] == 40
    # From z there is no way back: twice the way there, 30 ms, is less than 40 ms.
    text += flow("g", "z", "b")
    assert run(text).links["queue_max_packets"][0] == 40


def test_a_link_without_queue_is_drop_tail_of_1000_packets():
    text = link("a", "b") + flow("f", "a", "b", traffic='source = "cbr", rate = "80 Mbit/s"')
    results = run(text)
    assert results.links["queue_max_packets"].item() == 1000
    assert results.drops["reason"].to_list() == ["overlimit"]


def test_a_device_queue_stands_below_the_discipline():
    """Its packets have left the discipline, and wait there all the same."""
    without = stands_at('discipline = "droptail", limit = "10 packets"')
    with_device = stands_at(
        'discipline = "droptail", limit = "10 packets"', 'device_queue = "4 packets"'
    )
    ns3 = stands_at('discipline = "droptail", limit = "10 packets", preset = "ns3"')
    assert without["queueing_delay_p99_s"] == pytest.approx(0.010, rel=0.06)
    assert with_device["queueing_delay_p99_s"] == pytest.approx(0.014, rel=0.06)
    assert ns3["queueing_delay_p99_s"] == pytest.approx(0.110, rel=0.02)
    drops = [row["drops_packets"] for row in (without, with_device, ns3)]
    assert drops[0] - drops[1] == 4
    assert drops[0] - drops[2] == 100


@pytest.mark.parametrize(
    ("queue", "reference", "ns2"),
    [
        ('discipline = "droptail", limit = "20 packets"', 20, 19),
        ('discipline = "rem", limit = "20 packets"', 20, 19),
        ('discipline = "droptail", limit = "20 kB"', 20, 19),
        ('discipline = "droptail"', 1000, 49),
    ],
)
def test_presets_change_what_a_limit_means(queue, reference, ns2):
    options = {"overrides": {"duration": "4 s"}}
    assert stands_at(queue, **options)["queue_max_packets"] == reference
    assert stands_at(queue + ', preset = "ns2"', **options)["queue_max_packets"] == ns2


def test_explicit_keys_win_over_the_defaults_of_a_preset():
    row = stands_at('discipline = "droptail", preset = "ns2", limit = "6 packets"')
    assert row["queue_max_packets"] == 5


# --- flows ---------------------------------------------------------------------------------------


def test_flows_with_a_count_are_numbered_and_make_a_group():
    text = link("s*", "d") + flow("one", "s0", "d") + flow("many", "s*", "d", "count = 2")
    results = run(text)
    assert results.flows["flow"].to_list() == ["one", "many.0", "many.1"]
    assert results.groups["group"].to_list() == ["one", "many"]
    assert results.groups["sent_packets"].to_list() == [10, 20]


@pytest.mark.parametrize(
    ("start", "least", "most"),
    [
        ("0.45 s", 6, 6),
        ("constant(450 ms)", 6, 6),
        ("uniform(0.5 s, 0.6 s)", 4, 5),
        ("exponential(100 ms)", 0, 10),
        ("2 s", 0, 0),
    ],
)
def test_starts(start, least, most):
    text = link("a", "b") + flow("f", "a", "b", f'start = "{start}"')
    for count in run(text, replicas=5).flows["sent_packets"]:
        assert least <= count <= most


def test_random_starts_differ_by_flow_and_replica():
    text = link("a", "b", 'queue = { discipline = "droptail", limit = "none" }')
    text += flow(
        "f", "a", "b", 'count = 4\nstart = "uniform(0 s, 1 s)"', 'source = "cbr", rate = "8 Mbit/s"'
    )
    counts = run(text, replicas=3).flows["sent_packets"].to_list()
    assert len(set(counts)) > 8


def test_a_stop_ends_a_flow():
    text = link("a", "b") + flow("f", "a", "b", 'start = "0.2 s"\nstop = "0.55 s"')
    assert sent(run(text)) == {"f": 4}


@pytest.mark.parametrize(
    ("transport", "traffic", "packet", "bits_a_packet"),
    [
        ('payload = "972 B"', "", 1000, 8000),
        ('payload = "1000 B", header = "40 B"', "", 1040, 8320),
        ('payload = "1000 B"', 'rate_of = "payload", ', 1028, 8000),
        ('payload = "1000 B"', 'preset = "ns3", ', 1028, 8000),
        ('payload = "1000 B", preset = "ns2"', "", 1000, 8000),
        ("", "", 1500, 12000),
        ('preset = "ns2"', "", 210, 1680),
        ('preset = "ns3"', "", 540, 4320),
    ],
)
def test_what_a_rate_counts(transport, traffic, packet, bits_a_packet):
    separator = ", " if transport else ""
    text = link("a", "b") + (
        '[[flow]]\nname = "f"\nfrom = "a"\nto = "b"\n'
        f'transport = {{ protocol = "udp"{separator}{transport} }}\n'
        f'traffic = {{ {traffic}source = "cbr", rate = "1 Mbit/s" }}\n'
    )
    row = run(text).flows.row(0, named=True)
    assert row["sent_packets"] == pytest.approx(1e6 / bits_a_packet, abs=1)
    assert row["throughput_bps"] == row["received_packets"] * packet * 8


def test_sources_of_ns2_begin_off_and_ours_begin_on():
    for preset, begins_on in {"reference": True, "ns2": False, "ns3": False}.items():
        traffic = (
            f'source = "onoff", rate = "8 Mbit/s", on = "1 s", off = "400 ms", preset = "{preset}"'
        )
        text = link("a", "b") + flow("f", "a", "b", traffic=traffic)
        assert sent(run(text))["f"] == pytest.approx(1000 if begins_on else 600, abs=1)


def test_sizes_from_a_file_beside_the_scenario(tmp_path):
    (tmp_path / "sizes.csv").write_text("# bytes\n100\n\n300 # twice as likely\n300\n")
    text = HEAD + link("a", "b") + flow("f", "a", "b", traffic='source = "cbr", rate = "4 Mbit/s"')
    path = tmp_path / "scenario.toml"
    path.write_text(text.replace('"1000 B"', '"empirical(sizes.csv)"'))
    row = sj.run(path).flows.row(0, named=True)
    mean = row["throughput_bps"] / 8 / row["received_packets"]
    assert mean == pytest.approx(700 / 3, rel=0.03)
    (tmp_path / "sizes.csv").write_text("100\nmany\n")
    with pytest.raises(sj.ScenarioError, match=r"sizes\.csv: line 2: found \"many\""):
        sj.run(path)


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_on_periods_from_a_file_are_refused_where_a_packet_would_take_millions(tmp_path, transport):
    traffic = 'source = "onoff", rate = "1 Mbit/s", on = "empirical(on.csv)", off = "1 ms"'
    text = HEAD + link("a", "b") + link("b", "a") + flow("f", "a", "b", traffic=traffic)
    if transport == "tcp":
        text = text.replace('"udp", payload = "1000 B", header = "0 B"', '"tcp"')
    path = tmp_path / "scenario.toml"
    path.write_text(text)
    for seconds in ("1e-13\n4e-13", "0\n1e-9"):
        (tmp_path / "on.csv").write_text(seconds)
        with pytest.raises(
            sj.ScenarioError, match=r"traffic\.on: found a mean of .*; allowed: at least"
        ):
            sj.Scenario.load(path)
    (tmp_path / "on.csv").write_text("0\n0.02")
    assert sent(sj.run(path))["f"] > 0


# --- dumbbells -----------------------------------------------------------------------------------


def dumbbell(rest: str, flows: str = "") -> str:
    flows = flows or (
        '[[flow]]\nname = "f"\ncount = 2\n'
        'transport = { protocol = "udp", payload = "1000 B", header = "0 B" }\n'
        'traffic = { source = "cbr", rate = "80 kbit/s" }\n'
    )
    return f"[dumbbell]\n{rest}\n{flows}"


def test_names_in_a_dumbbell():
    results = run(dumbbell('bottleneck = { rate = "8 Mbit/s", delay = "8 ms" }'))
    names = {"bottleneck"} | {f"f.{k}.{way}" for k in (0, 1) for way in ("up", "down")}
    assert set(results.links["link"]) == names | {f"{name}.reverse" for name in names}
    extra = link("left", "elsewhere", 'name = "tap"') + flow("tapped", "f.0.src", "elsewhere")
    with pytest.raises(sj.ScenarioError, match=r"flow\.tapped\.from"):
        run(dumbbell('bottleneck = { rate = "8 Mbit/s", delay = "8 ms" }') + extra)
    aside = link("left", "elsewhere", 'name = "tap"') + flow("tapped", "left", "elsewhere")
    results = run(dumbbell('bottleneck = { rate = "8 Mbit/s", delay = "8 ms" }') + aside)
    assert sent(results)["tapped"] == 10


@pytest.mark.parametrize(
    ("rest", "propagation", "access_mbps"),
    [
        # The default sides: ten times the rate; a twentieth of the round-trip time each.
        ('bottleneck = { rate = "8 Mbit/s", delay = "8 ms" }', 0.010, 80),
        ('rtt = "40 ms"\nbottleneck = { rate = "8 Mbit/s" }', 0.020, 80),
        (
            'rtt = "40 ms"\nbottleneck = { rate = "8 Mbit/s" }\naccess = { delay = "10 ms" }',
            0.020,
            80,
        ),
        (
            'bottleneck = { rate = "8 Mbit/s", delay = "8 ms" }\n'
            'access = { rate = "16 Mbit/s", delay = "2 ms" }',
            0.012,
            16,
        ),
    ],
)
def test_delays_of_a_dumbbell(rest, propagation, access_mbps):
    expected = propagation + 8000 / 8e6 + 2 * 8000 / (access_mbps * 1e6)
    # The second flow's packets come while the first one's are sent.
    assert delays(run(dumbbell(rest)))["f.0"] == pytest.approx(expected, rel=1e-9)


def test_a_flow_may_have_sides_of_its_own():
    rest = 'bottleneck = { rate = "8 Mbit/s", delay = "8 ms" }\naccess = { delay = "2 ms" }'
    flows = "".join(
        f'[[flow]]\nname = "{name}"\n{own}\nstart = "{start}"\n'
        'transport = { protocol = "udp", payload = "1000 B", header = "0 B" }\n'
        'traffic = { source = "cbr", rate = "80 kbit/s" }\n'
        for name, own, start in (
            ("near", 'access = { delay = "0 ms", rate = "8 Mbit/s" }', "0 s"),
            ("far", 'access = { delay = "20 ms" }', "50 ms"),
            ("usual", "", "25 ms"),
        )
    )
    found = delays(run(dumbbell(rest, flows)))
    assert found["near"] == pytest.approx(0.008 + 3 * 0.001, rel=1e-9)
    assert found["far"] == pytest.approx(0.048 + 0.001 + 2 * 0.0001, rel=1e-9)
    assert found["usual"] == pytest.approx(0.012 + 0.001 + 2 * 0.0001, rel=1e-9)
