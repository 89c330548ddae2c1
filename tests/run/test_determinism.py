"""A result is a function of scenario, seed and version; arrivals do not know the discipline."""

import pytest

import sojourn as sj

FRAMES = ("points", "links", "flows", "groups", "totals", "drops", "delays", "time_series")
DISCIPLINES = ("droptail", "red", "rem", "sfq", "eqm")


def run(text: str, **options) -> sj.Results:
    return sj.run(sj.Scenario.from_toml(text), **options)


def varied(mixed) -> str:
    names = ", ".join(f'{{ discipline = "{name}" }}' for name in DISCIPLINES)
    vary = f'\n[vary]\n"link.bottleneck.queue" = [{names}]\n'
    return mixed(top='series = "500 ms"') + vary


def assert_same(one: sj.Results, other: sj.Results) -> None:
    for name in FRAMES:
        assert getattr(one, name).equals(getattr(other, name)), name
    assert one.summary() == other.summary()


def test_one_worker_two_workers_and_once_more_give_the_same_bits(mixed):
    text = varied(mixed)
    alone = run(text, jobs=1)
    assert alone.complete
    assert_same(alone, run(text, jobs=2))
    assert_same(alone, run(text, jobs=1))
    assert_same(alone, run(text))


def test_more_workers_than_runs(mixed):
    assert_same(run(mixed(), jobs=1), run(mixed(), jobs=16))


def test_replicas_differ_and_the_first_ones_stay_the_same(mixed):
    few, many = run(mixed(), replicas=3), run(mixed(), replicas=6)
    assert many.links.filter(link="bottleneck")["queue_mean_packets"].n_unique() == 6
    assert many.flows["sent_packets"].n_unique() > 12
    for name in ("links", "flows", "groups", "totals"):
        frame = getattr(many, name)
        assert frame.filter(frame["replica"] < 3).equals(getattr(few, name))


def test_the_seed_matters_and_the_option_is_the_files_key(mixed):
    first, second = run(mixed()), run(mixed(), seed=6)
    sent = [frames.flows["sent_packets"].to_list() for frames in (first, second)]
    assert all(a != b for a, b in zip(*sent, strict=True))
    assert_same(second, run(mixed().replace("seed = 5", "seed = 6")))
    assert (first.seed, second.seed) == (5, 6)


def test_all_disciplines_face_the_same_arrivals(mixed):
    results = run(varied(mixed))
    flows = results.flows.select("replica", "flow", "sent_packets", point="point")
    links = results.links.filter(results.links["link"].str.starts_with("access"))
    bottleneck = results.links.filter(link="bottleneck")
    for point in range(1, len(DISCIPLINES)):
        for frame in (
            flows,
            links.select("point", "replica", "link", "arrivals_packets", "throughput_bps"),
            bottleneck.select("point", "replica", "arrivals_packets"),
        ):
            first = frame.filter(point=0).drop("point")
            assert frame.filter(point=point).drop("point").equals(first)
    # And are different disciplines.
    assert bottleneck["queue_mean_packets"].n_unique() >= 12


def test_sizes_leave_the_instants_alone(mixed):
    """Gaps and sizes have streams of their own."""
    text = mixed(payload="400 B")
    other = text.replace('"400 B"', '"uniform(300 B, 500 B)"')
    sent = [run(text).flows["sent_packets"], run(other).flows["sent_packets"]]
    assert sent[0].to_list() == sent[1].to_list()


def test_a_flow_more_leaves_the_others_alone(mixed):
    extra = mixed() + mixed()[mixed().rindex("[[flow]]") :].replace('"poisson"\nfrom', '"x"\nfrom')
    before, after = run(mixed()).flows, run(extra).flows
    after = after.filter(after["flow"] != "x")
    assert after["sent_packets"].to_list() == before["sent_packets"].to_list()


@pytest.mark.parametrize("discipline", DISCIPLINES[1:])
def test_nobody_loses_less_than_drop_tail(mixed, discipline):
    """For equal packets, from the start, with the same room: a theorem, replica by replica."""

    def drops(name: str) -> list[float]:
        text = mixed(name, payload="472 B", warmup="0 s").replace("2 Mbit/s", "3 Mbit/s")
        frame = run(text, replicas=10).links.filter(link="bottleneck")
        assert frame["queue_max_packets"].max() <= 30
        return frame["drops_packets"].to_list()

    least, found = drops("droptail"), drops(discipline)
    assert min(least) > 0
    assert all(a <= b for a, b in zip(least, found, strict=True))
