"""`sojourn tc`: Linux's words for a scenario's links, read by the real tc."""

import os
import re
import shutil
import subprocess

import pytest

from sojourn import registries
from sojourn.tc.qdiscs import QDISCS
from sojourn.tc.units import Link, length_bytes, length_packets, time_text

SCENARIO = """
name = "linux"
title = "A slow uplink"
duration = "1 s"

[[link]]
name = "up-1"
from = "home"
to = "isp"
rate = "10 Mbit/s"
delay = "20 ms"
overhead = "38 B"
queue = {{ {queue} }}

[[flow]]
name = "load"
from = "home"
to = "isp"
transport = {{ protocol = "udp" }}
traffic = {{ source = "cbr", rate = "1 Mbit/s" }}
"""

DISCIPLINES = [*registries.entries("disciplines")]

needs_tc = pytest.mark.skipif(
    shutil.which("tc") is None, reason="there is no tc (Debian: apt-get install iproute2)"
)

NO_DEVICE = re.compile(r'Cannot find device "nowhere"')


def script(sojourn, tmp_path, queue: str, *arguments: str) -> str:
    path = tmp_path / "linux.toml"
    path.write_text(SCENARIO.format(queue=queue))
    done = sojourn("tc", path, *arguments)
    assert (done.status, done.errors) == (0, ""), done.errors
    return done.out


def commands(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(("tc ", "ip "))]


def test_codel_in_full(sojourn, tmp_path):
    queue = 'discipline = "codel", limit = "500 packets", target = "7.5 ms", ecn = true'
    text = script(sojourn, tmp_path, queue)
    assert "UP_1=eth0  # at home, towards isp" in text
    assert "UP_1_IN=eth0  # at isp, from home" in text
    assert commands(text) == [
        "tc qdisc del dev $UP_1 root 2>/dev/null || true",
        "tc qdisc add dev $UP_1 root handle 1: htb default 1",
        "tc class add dev $UP_1 parent 1: classid 1:1 htb "
        "rate 10000000bit ceil 10000000bit overhead 24",
        "tc qdisc add dev $UP_1 parent 1:1 handle 10: "
        "codel limit 500 target 7500us interval 100ms ecn",
        "tc qdisc del dev $UP_1_IN ingress 2>/dev/null || true",
        "ip link del sojourn0 2>/dev/null || true",
        "ip link add sojourn0 type ifb",
        "ip link set dev sojourn0 up",
        "tc qdisc add dev sojourn0 root netem delay 20ms limit 1000",
        "tc qdisc add dev $UP_1_IN ingress",
        "tc filter add dev $UP_1_IN parent ffff: protocol all prio 1 matchall "
        "action mirred egress redirect dev sojourn0",
    ]


def test_a_failing_command_ends_the_script(sojourn, tmp_path):
    """As where the interface is misspelt: nothing is said to be set that is not."""
    lines = script(sojourn, tmp_path, 'discipline = "codel"').splitlines()
    first = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    assert lines[first] == "set -e"


def test_the_queue_alone_leaves_out_the_path(sojourn, tmp_path):
    """What a real line needs: its own delay is there already."""
    whole = script(sojourn, tmp_path, 'discipline = "codel"')
    alone = script(sojourn, tmp_path, 'discipline = "codel"', "--queue-only")
    head, path = whole.split("# The path, imitated: delay and losses. Not for a real line")
    assert alone == head
    assert "netem" in path
    assert not re.search("netem|ifb|_IN", alone)


def test_the_device_of_a_path_is_numbered_within_the_network(sojourn, tmp_path):
    """Scripts of two links that are run on one machine do not take each other's device away."""
    path = tmp_path / "linux.toml"
    up = SCENARIO.format(queue='discipline = "codel"')
    start = up.index("[[link]]")
    down = up[start : up.index("[[flow]]")].replace("up-1", "down")
    path.write_text(up[:start] + down.replace('"home"', '"x"') + up[start:])
    both = sojourn("tc", path).out
    assert re.findall("ip link add (.*) type ifb", both) == ["sojourn0", "sojourn1"]
    one = sojourn("tc", path, "--link", "up-1").out
    assert re.findall("ip link add (.*) type ifb", one) == ["sojourn1"]


def test_lengths_and_gains_in_tc_units(sojourn, tmp_path):
    text = script(sojourn, tmp_path, 'discipline = "droptail", limit = "64 kB"')
    assert "bfifo limit 64000" in text
    text = script(sojourn, tmp_path, 'discipline = "droptail", limit = "1 bdp"')
    assert "bfifo limit 50000" in text
    text = script(sojourn, tmp_path, 'discipline = "pie"')
    assert "alpha 2 beta 20" in text
    text = script(sojourn, tmp_path, 'discipline = "red", limit = "60 packets"')
    assert "red limit 30000 min 2500 max 7500 avpkt 500 burst 8" in text
    assert "bandwidth 10000000bit" in text


def test_what_has_no_equivalent_is_named(sojourn, tmp_path):
    text = script(sojourn, tmp_path, 'discipline = "rem"')
    assert "# rem: no equivalent in Linux" in text
    assert "handle 10:" not in text
    text = script(sojourn, tmp_path, 'discipline = "red", nonlinear = true, gentle = true')
    assert "# nonlinear = true: no option of red, which has false" in text
    assert "# gentle = true: no option of red" in text
    text = script(sojourn, tmp_path, 'discipline = "fq_codel", preset = "ns3"')
    assert '# preset = "ns3"' in text


NEAREST = {
    'discipline = "pie", alpha = 0.02': (
        "alpha 1 ",
        "alpha = 0.02: tc counts in sixteenths up to 32",
    ),
    'discipline = "pie", beta = 3.0': ("beta 32 ", "beta = 3.0: tc counts in sixteenths up to 32"),
    'discipline = "sfq", perturb = "400 ms"': (
        "perturb 1 ",
        "perturb = 400 ms: tc counts in seconds",
    ),
    'discipline = "sfq", buckets = 100': (
        "divisor 128 ",
        "buckets = 100: tc counts in powers of two",
    ),
    'discipline = "sfq", depth = 200': (
        "depth 127",
        "depth = 200: tc counts in whole numbers up to 127",
    ),
    'discipline = "sfq"': ("depth 127", "depth = auto: tc counts in whole numbers up to 127"),
    'discipline = "choke", limit = "none"': ("limit 131071 ", "limit = none: tc counts in packets"),
    'discipline = "sfb", penalty_rate = 2.5': ("penalty_rate 2 ", "tc counts in whole numbers"),
    'discipline = "sfb", rehash = "400 us"': (
        "rehash 1 ",
        "rehash = 400 us: tc counts in milliseconds",
    ),
    'discipline = "sfb", increment = 1e-6': ("increment 1.5259022e-05 ", "tc counts in 65535ths"),
    'discipline = "dualpi2", k = 2.5': (
        "coupling_factor 2 ",
        "k = 2.5: tc counts in whole numbers",
    ),
    'discipline = "dualpi2"': (
        "classic_protection 6",
        "classic_weight = 0.0625: tc counts in percent",
    ),
    'discipline = "fq_codel", flows = 100000': ("flows 65536 ", "flows = 100000: tc counts in"),
    'discipline = "fq_codel", quantum = "99 B"': (
        "quantum 256 ",
        "tc counts in bytes from 256 up to",
    ),
    'discipline = "fq_pie", mark_threshold = 0.004': ("ecn_prob 1", "tc counts in percent"),
    'discipline = "codel", target = "1500 ns"': ("target 2us ", "tc counts in microseconds"),
    'discipline = "droptail", limit = "10 GB"': (
        "limit 4294967295",
        "limit = 10 GB: tc counts in bytes up to 4294967295",
    ),
    'discipline = "headdrop", limit = "5000000000 packets"': (
        "limit 4294967295",
        "tc counts in packets up to 4294967295",
    ),
    'discipline = "pie", limit = "5000000000 packets"': (
        "limit 4294967295 ",
        "tc counts in packets up to 4294967295",
    ),
    'discipline = "tbf", limit = "10 GB"': (
        "limit 4294967295",
        "limit = 10 GB: tc counts in bytes",
    ),
    'discipline = "tbf", limit = "1 ps"': ("limit 1", "limit = 1 ps: tc counts in bytes"),
    'discipline = "red", limit = "10 GB"': (
        "limit 4294967295 ",
        "limit = 10 GB: tc counts in bytes",
    ),
    'discipline = "red", max_p = 1e-7': ("probability 2.35e-06 ", "max_p = 1e-07: tc has no less"),
    'discipline = "sfq", limit = "1 packets"': (
        "limit 2 ",
        "limit = 1 packets: tc counts in packets from 2 up to",
    ),
    'discipline = "choke", min_th = "5 packets", max_th = "5 packets"': (
        "min 4 ",
        "tc wants min below max",
    ),
    'discipline = "choke", limit = "10 packets"': ("max 10 ", "tc wants min below max"),
    'discipline = "fq_pie", mark_threshold = 1.0': (
        "ecn_prob 99 ",
        "tc counts in percent up to 99",
    ),
    'discipline = "red", max_p = 1.0': (
        "probability 0.9999999 ",
        "# max_p = 1.0: tc's 32 bits have no room for it",
    ),
    'discipline = "cake", mpu = "1500 B"': ("mpu 256 ", "tc counts in bytes up to 256"),
    'discipline = "cake", bandwidth = "7 bit/s"': (
        "bandwidth 8bit ",
        "tc counts in bit/s from 8 up to",
    ),
}
"""Values that tc or the kernel refuses or takes for others: the nearest, and a note."""


@pytest.mark.parametrize("queue", NEAREST)
def test_the_nearest_that_is_allowed_is_written_and_told(sojourn, tmp_path, queue):
    words, note = NEAREST[queue]
    text = script(sojourn, tmp_path, queue)
    assert f"{words.strip()} comes nearest" in text
    assert note in text
    (command,) = (line for line in commands(text) if "handle 10:" in line)
    assert words in f"{command} "


# What tc finds from a burst of b packets and the number m of them in min: the weight W, the first
# of 1/2, 1/4 ... for which b + 1 - m is at most (1 - (1 - W)^b) / W. With m = 1 there is none.
def test_red_below_a_mean_packet_keeps_its_thresholds(sojourn, tmp_path):
    text = script(sojourn, tmp_path, 'discipline = "red", min_th = "250 B", max_th = "750 B"')
    # Two packets of 125 B: the burst is (2 x 250 + 750) / (3 x 125) = 3.3 of them.
    assert "min 250 max 750 avpkt 125 burst 3 " in text
    assert "# mean_packet = 500 B: tc wants min above one avpkt; avpkt 125 leaves" in text
    text = script(sojourn, tmp_path, 'discipline = "red", min_th = "2500 B", max_th = "7500 B"')
    assert "min 2500 max 7500 avpkt 500 burst 8 " in text
    assert "above one avpkt" not in text


def test_a_choke_of_one_packet_has_a_burst_of_one(sojourn, tmp_path):
    queue = 'discipline = "choke", min_th = "1 packets", max_th = "3 packets"'
    assert "min 1 max 3 burst 1 " in script(sojourn, tmp_path, queue)


def test_an_overhead_of_cake_is_added_to_the_packet_without_its_ethernet_header(sojourn, tmp_path):
    # With raw the kernel would count 14 bytes more.
    text = script(sojourn, tmp_path, 'discipline = "cake", overhead = "18 B", cells = "atm"')
    assert " overhead 18 atm " in text
    assert " raw " not in text
    assert " overhead -20 " in script(sojourn, tmp_path, 'discipline = "cake", overhead = "-20 B"')
    framed = 'discipline = "cake", framing = "docsis", overhead = "22 B"'
    assert " docsis overhead 22 " in script(sojourn, tmp_path, framed)
    assert " raw " in script(sojourn, tmp_path, 'discipline = "cake"')


def test_tbf_has_room_for_the_headers_that_linux_counts(sojourn, tmp_path):
    text = script(sojourn, tmp_path, 'discipline = "tbf", burst = "1500 B"')
    assert "burst 1514 " in text
    assert "Linux counts 14 B of Ethernet for each packet: burst and mtu" in text
    # Seven packets, the last of them not a whole one.
    assert "burst 10098 " in script(sojourn, tmp_path, 'discipline = "tbf", burst = "10 kB"')
    queue = 'discipline = "tbf", peak_rate = "20 Mbit/s", mtu = "1500 B"'
    assert "peakrate 20000000bit mtu 1514" in script(sojourn, tmp_path, queue)


FLOW_RED = (
    'discipline = "sfq", preset = "linux", head_drop = true, '
    'inner = "red(limit = 60 kB, ecn = true, hard_drop = true, max_p = 0.1)"'
)


def test_sfq_with_red_in_each_flow(sojourn, tmp_path):
    # A quarter of the limit and a third of that; (2 x 5000 + 15000) / (3 x 1000) = 8.3 packets.
    text = script(sojourn, tmp_path, FLOW_RED)
    assert (
        "depth 127 headdrop redflowlimit 60000 min 5000 max 15000 avpkt 1000 burst 8 "
        "probability 0.1 ecn harddrop"
    ) in text
    assert "# inner" not in text
    text = script(sojourn, tmp_path, 'discipline = "sfq", preset = "linux", inner = "codel"')
    assert "# inner = codel: not written for sfq, which has none" in text
    assert "redflowlimit" not in text
    text = script(sojourn, tmp_path, 'discipline = "sfq", inner = "red"')
    assert "# inner = red: not written for sfq, which has none" in text
    queue = 'discipline = "sfq", inner = "red(preset = linux, min_th = 9 kB, w_q = 0.25)"'
    assert "redflowlimit" not in script(sojourn, tmp_path, queue)
    text = script(sojourn, tmp_path, queue.replace('"sfq"', '"sfq", preset = "linux"'))
    assert "min 9000 max 27000 " in text
    assert "w_q = 0.25): w_q: no option of this RED" in text


NO_DROP = 'discipline = "red", preset = "linux", ecn = true, no_drop = true'


def test_red_that_drops_nothing_early(sojourn, tmp_path):
    assert " ecn nodrop " in script(sojourn, tmp_path, NO_DROP)
    assert "nodrop" not in script(sojourn, tmp_path, 'discipline = "red", ecn = true')


FULL_FQ_CODEL = (
    'discipline = "fq_codel", memory_limit = "4 MB", '
    'ce_threshold = "1 ms", ce_threshold_selector = "0x1/0x3"'
)


def test_the_limits_and_thresholds_of_fq_codel(sojourn, tmp_path):
    text = script(sojourn, tmp_path, FULL_FQ_CODEL)
    assert " memory_limit 4000000 " in text
    assert " ce_threshold 1ms ce_threshold_selector 0x1/0x3 " in text
    text = script(sojourn, tmp_path, 'discipline = "fq_codel", memory_limit = "3 GB"')
    assert "memory_limit 2147483648 comes nearest" in text
    assert "memory_limit" not in script(sojourn, tmp_path, 'discipline = "fq_codel"')


BEYOND = {
    ("10 Mbit/s", "100 Gbit/s", 'discipline = "red"'): (
        "bandwidth 34359738360bit",
        "# red: tc counts in bit/s from 8 up to 34359738360; bandwidth",
    ),
    ("10 Mbit/s", "100 Gbit/s", 'discipline = "choke"'): (
        "bandwidth 34359738360bit",
        "# choke: tc counts in bit/s from 8 up to 34359738360; bandwidth",
    ),
    ("10 Mbit/s", "1 bit/s", 'discipline = "codel"'): (
        "rate 8bit ceil 8bit",
        "# rate = 1 bit/s: tc counts in bit/s from 8 up to",
    ),
    ('delay = "20 ms"', 'delay = "5 min"', 'discipline = "codel"'): (
        "netem delay 274877906us limit 5859375",
        "# delay = 300.0 s: tc counts in microseconds up to 274877906",
    ),
    ('overhead = "38 B"', 'overhead = "100 kB"', 'discipline = "codel"'): (
        "overhead 65535",
        "# overhead = 100000 B: tc counts in bytes up to 65535",
    ),
}
"""Links that tc cannot make: of the scenario, what stands in the place of what."""


@pytest.mark.parametrize(("old", "new", "queue"), BEYOND)
def test_links_beyond_what_tc_can_make(sojourn, tmp_path, old, new, queue):
    path = tmp_path / "linux.toml"
    path.write_text(SCENARIO.replace(old, new, 1).format(queue=queue))
    text = sojourn("tc", path).out
    words, note = BEYOND[old, new, queue]
    assert any(words in command for command in commands(text))
    assert note in text
    if shutil.which("tc") is not None:
        read_by_tc(text)


def test_what_is_automatic_is_written_where_linux_would_take_another(sojourn, tmp_path):
    # Half of 5 ms at 10 Mbit/s, and three times that.
    text = script(sojourn, tmp_path, 'discipline = "ared"')
    assert "min 3125 max 9375 avpkt 500 burst 10 " in text
    assert " adaptive" in text
    assert "adapts" not in text
    text = script(sojourn, tmp_path, 'discipline = "red", min_th = "auto", max_th = "auto"')
    assert "min 3125 max 9375 " in text
    # Where tc works them out as Sojourn does, they are left to it.
    text = script(sojourn, tmp_path, 'discipline = "ared", preset = "linux"')
    assert "red limit 400000 avpkt 1000 probability 0.02 bandwidth" in text
    assert "max 1000000 target" in script(sojourn, tmp_path, 'discipline = "sfb"')
    assert "flows 1024 depth 127" in script(sojourn, tmp_path, 'discipline = "sfq"')
    text = script(sojourn, tmp_path, 'discipline = "cake", limit = "none"')
    assert "# limit = none: not written for cake, which has auto" in text


def test_the_ramp_of_dualpi2_is_a_step_in_linux(sojourn, tmp_path):
    text = script(sojourn, tmp_path, 'discipline = "dualpi2", min_th = "1 ms", range = "1 ms"')
    assert "# min_th = 1 ms: the L queue marks by a ramp" in text
    assert "step_thresh 1500us classic_protection" in text
    text = script(sojourn, tmp_path, 'discipline = "dualpi2", preset = "linux", step_th = "2 ms"')
    assert "step_thresh 2ms classic_protection 10" in text
    assert "ramp" not in text


def test_a_title_of_two_lines_stays_a_comment(sojourn, tmp_path):
    path = tmp_path / "two.toml"
    text = SCENARIO.format(queue='discipline = "codel"')
    path.write_text(text.replace("A slow uplink", "A slow\\nuplink"))
    done = sojourn("tc", path)
    assert done.out.splitlines()[1].startswith("# A slow uplink, in Linux's words.")


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_every_discipline_has_a_qdisc_or_a_comment(sojourn, tmp_path, discipline):
    text = script(sojourn, tmp_path, f'discipline = "{discipline}"')
    has_qdisc = any("handle 10:" in command for command in commands(text))
    assert has_qdisc == (discipline in QDISCS)
    assert has_qdisc or f"# {discipline}: no equivalent in Linux" in text


def test_the_table_names_parameters_that_exist():
    entries = registries.entries("disciplines")
    for name, qdisc in QDISCS.items():
        params = {param["name"] for param in entries[name]["params"]}
        assert set(qdisc.options) <= params, name


@needs_tc
@pytest.mark.parametrize("preset", ["reference", "linux"])
@pytest.mark.parametrize("discipline", [name for name in DISCIPLINES if name in QDISCS])
def test_tc_reads_every_option(sojourn, tmp_path, discipline, preset):
    """tc reads the options before it looks for the device: it finds fault with that alone."""
    read_by_tc(script(sojourn, tmp_path, f'discipline = "{discipline}", preset = "{preset}"'))


@needs_tc
@pytest.mark.parametrize(
    "queue",
    [
        *NEAREST,
        FLOW_RED,
        NO_DROP,
        FULL_FQ_CODEL,
        'discipline = "tbf", peak_rate = "2 Mbit/s"',
        'discipline = "tbf", peak_rate = "2 Mbit/s", mtu = "2000 B"',
        'discipline = "red", min_th = "250 B", max_th = "750 B"',
        'discipline = "red", min_th = "500 B", max_th = "750 B"',
        'discipline = "choke", min_th = "1 packets", max_th = "3 packets"',
    ],
)
def test_tc_reads_what_it_could_not_take_as_it_was(sojourn, tmp_path, queue):
    read_by_tc(script(sojourn, tmp_path, queue))


def read_by_tc(text: str) -> None:
    """Has tc read the commands of a script, for a device that there is not."""
    for command in commands(text):
        if not command.startswith("tc "):
            continue
        words = re.sub(r"\$\w+|sojourn\d+", "nowhere", command.partition(" 2>")[0]).split()
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        said = done.stderr.strip()
        if "dualpi2" in command and "nknown qdisc" in said:
            pytest.skip("this tc does not know dualpi2")
        assert NO_DEVICE.fullmatch(said), f"{command}: {said}"


LACKING = (
    "Unknown device type",
    "qdisc kind is unknown",
    "Unknown qdisc",
    "Operation not supported",
    "Operation not permitted",
    "TC classifier not found",
    "No such file",
)
"""What is said by a kernel without a module, or a tc older than the qdisc."""


def in_a_namespace(shell: str) -> str:
    """Run commands in a network namespace of their own, with an interface for each end."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("a network namespace needs root and unshare")
    ends = "set -e\nip link add d0 type veth peer name d1\n"
    run = ["unshare", "--net", "sh", "-c", ends + shell]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    if any(missing in done.stderr for missing in LACKING):
        pytest.skip(f"this kernel lacks a module: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return done.stdout


def at_the_ends(text: str) -> str:
    """A script with the interfaces named."""
    text = re.sub(r"^(\w+_IN)=eth0", r"\1=d1", text, flags=re.MULTILINE)
    return re.sub(r"^(\w+)=eth0", r"\1=d0", text, flags=re.MULTILINE)


@needs_tc
@pytest.mark.parametrize("discipline", [name for name in DISCIPLINES if name in QDISCS])
def test_the_kernel_takes_every_command(sojourn, tmp_path, discipline):
    text = script(sojourn, tmp_path, f'discipline = "{discipline}", preset = "linux"')
    in_a_namespace(at_the_ends(text))


SHOWN = {
    'discipline = "droptail", limit = "70 packets"': "pfifo 10: parent 1:1 limit 70p",
    'discipline = "droptail", limit = "64 kB"': "bfifo 10: parent 1:1 limit 64000b",
    'discipline = "headdrop", limit = "80 packets"': "pfifo_head_drop 10: parent 1:1 limit 80p",
    'discipline = "pfifo_fast"': "pfifo_fast 10: parent 1:1 bands 3 ",
    'discipline = "tbf", rate = "5 Mbit/s"': "tbf 10: parent 1:1 rate 5Mbit ",
    'discipline = "codel", target = "7 ms"': "codel 10: parent 1:1 limit 1000p target 7ms ",
    'discipline = "fq_codel", flows = 64': "fq_codel 10: parent 1:1 limit 10240p flows 64 ",
}
"""Queues, and what `tc qdisc show` says of each."""


@needs_tc
@pytest.mark.parametrize("queue", SHOWN)
def test_a_script_replaces_what_another_has_set(sojourn, tmp_path, queue):
    """A script after that of another discipline, and once more."""
    texts = [
        at_the_ends(script(sojourn, tmp_path, each, "--queue-only"))
        for each in ('discipline = "pfifo", limit = "5 packets"', queue, queue)
    ]
    shown = in_a_namespace("\n".join([*texts, "tc qdisc show dev d0"]))
    qdiscs = [line.removeprefix("qdisc ") for line in shown.splitlines()]
    assert [line.split()[0] for line in qdiscs] == ["htb", SHOWN[queue].split()[0]]
    assert qdiscs[1].startswith(SHOWN[queue])


@needs_tc
def test_a_whole_script_runs_twice(sojourn, tmp_path):
    text = at_the_ends(script(sojourn, tmp_path, 'discipline = "pfifo", limit = "5 packets"'))
    in_a_namespace(text + text)


@needs_tc
def test_the_device_of_the_path_is_made_anew(sojourn, tmp_path):
    """Without netem and the filter, which many kernels lack: what is left may be run twice."""
    text = at_the_ends(script(sojourn, tmp_path, 'discipline = "pfifo", limit = "5 packets"'))
    text = "".join(
        line for line in text.splitlines(keepends=True) if not re.search("netem|filter", line)
    )
    shown = in_a_namespace(text + text + "ip -o link show type ifb; tc qdisc show dev d1")
    assert "sojourn0" in shown
    assert "ingress ffff:" in shown


def test_links_and_points_are_chosen(sojourn, tmp_path, small):
    done = sojourn("tc", small, "--link", "bottleneck", "--point", 1)
    assert "red limit" in done.out
    assert "IDLE" not in done.out
    done = sojourn("tc", small, "--link", "nothing")
    expected = f"error: {small}: --link: found 'nothing'; allowed: bottleneck, idle\n"
    assert (done.status, done.errors) == (2, expected)
    done = sojourn("tc", small, "--point", 2)
    assert (done.status, done.errors) == (2, f"error: {small}: --point: found 2; allowed: 0 to 1\n")


DUMBBELL = """
name = "dumbbell"
duration = "1 s"

[dumbbell]
bottleneck = {{ rate = "10 Mbit/s", delay = "20 ms"{queue} }}

[[flow]]
name = "bulk"
count = 2
transport = {{ protocol = "tcp" }}
traffic = {{ source = "bulk" }}
"""


def test_links_without_a_queue_of_their_own_are_left_out(sojourn, tmp_path):
    path = tmp_path / "dumbbell.toml"

    def shown(*more: str) -> tuple[list[str], str]:
        done = sojourn("tc", path, *more)
        return re.findall(r"^# (\S+)$", done.out, re.MULTILINE), done.errors

    path.write_text(DUMBBELL.format(queue=', queue = { limit = "50 packets" }'))
    said = "9 links without a queue of their own left out: --all-links shows them\n"
    assert shown() == (["bottleneck"], said)
    everything, errors = shown("--all-links")
    assert (len(everything), errors) == (10, "")
    assert shown("--link", "bulk.0.up") == (["bulk.0.up"], "")
    path.write_text(DUMBBELL.format(queue=""))
    assert shown() == (everything, ""), "where none has one, all are shown"


def test_units():
    link = Link(rate_bps=8e6, base_rtt_s=0.1, mtu_bytes=1500)
    assert length_bytes("5 ms", 1500, link) == 5000
    assert length_bytes("0.5 bdp", 1500, link) == 50_000
    assert length_packets("64 kB", 1500, link) == 43
    assert [time_text(value) for value in (5e-3, 5.5e-3, 1e-9, 0)] == [
        "5ms",
        "5500us",
        "1us",
        "0us",
    ]


def test_a_rate_that_changes_is_told(sojourn, tmp_path):
    changes = 'changes = [{{ at = "100 ms", rate = "1 Mbit/s" }}]\n'
    path = tmp_path / "linux.toml"
    for more in ("", changes):
        text = SCENARIO.replace("queue = ", more + "queue = ")
        path.write_text(text.format(queue='discipline = "codel"'))
        out = sojourn("tc", path).out
        assert ("# changes: HTB has one rate" in out) == bool(more)


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        ("0.015", "loss random 1.5%"),
        (
            "{{ good_to_bad = 0.01, bad_to_good = 0.3, in_good = 0.001 }}",
            "loss gemodel 1% 30% 100% 0.1%",
        ),
        ("{{ packets = [3, 7] }}", None),
    ],
)
def test_netem_loses_what_the_wire_loses(sojourn, tmp_path, loss, words):
    path = tmp_path / "linux.toml"
    for delay in ("20 ms", "0 s"):
        text = SCENARIO.replace("queue = ", f"loss = {loss}\nqueue = ").replace("20 ms", delay)
        path.write_text(text.format(queue='discipline = "codel"'))
        out = sojourn("tc", path).out
        (netem,) = (line for line in commands(out) if "netem" in line)
        assert netem.partition(" loss ")[2] == (words or "").removeprefix("loss ")
        assert ("netem loses packets by other laws" in out) == (words is None)


@pytest.mark.parametrize(
    ("jitter", "words", "says"),
    [
        ('"uniform(2 ms, 6 ms)"\nreorders = true', "delay 24ms 2ms limit 1000", None),
        ('"uniform(0 s, 5 ms)"', "delay 22500us 2500us limit 1000 rate 10tbit", "keeps the order"),
        ('"3 ms"', "delay 23ms limit 1000", None),
        ('"exponential(2 ms)"', "delay 20ms limit 1000", "netem has other laws"),
        ('{{ extra = "9 ms", share = 0.1 }}', "delay 20ms limit 1000", "netem has other laws"),
    ],
)
def test_netem_delays_as_the_wire_does(sojourn, tmp_path, jitter, words, says):
    path = tmp_path / "linux.toml"
    text = SCENARIO.replace("queue = ", f"jitter = {jitter}\nqueue = ")
    path.write_text(text.format(queue='discipline = "codel"'))
    out = sojourn("tc", path).out
    (netem,) = (line for line in commands(out) if "netem" in line)
    assert netem.partition("netem ")[2] == words
    assert says is None or says in out
    assert ("other laws" in out) == (says == "netem has other laws")


@needs_tc
def test_tc_reads_a_delay_that_varies():
    words = "netem delay 22500us 2500us limit 1000 rate 10tbit loss random 1%"
    read = subprocess.run(
        ["tc", "qdisc", "replace", "dev", "nowhere", "root", *words.split()],
        capture_output=True,
        text=True,
    )
    assert NO_DEVICE.search(read.stderr), read.stderr


def test_changes_of_a_delay_are_told(sojourn, tmp_path):
    path = tmp_path / "linux.toml"
    text = SCENARIO.replace("queue = ", 'changes = [{{ at = "1 s", delay = "9 ms" }}]\nqueue = ')
    path.write_text(text.format(queue='discipline = "codel"'))
    out = sojourn("tc", path).out
    assert "netem has one delay" in out
    assert "HTB has one rate" not in out
