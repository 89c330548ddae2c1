"""A name that is none of those allowed: the nearest is offered, wherever it was typed."""

import pytest


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["compare", "cdoel"], 'found "cdoel"; allowed: droptail'),
        (["compare", "cdoel"], 'or module:Class; did you mean "codel"?'),
        (["compare", "codel", "--flows", "1 cubik"], 'did you mean "cubic"?'),
        (["list", "disciplines", "codl"], 'did you mean "codel"?'),
        (["list", "disciplins"], 'found "disciplins"; allowed: disciplines'),
        (["list", "disciplins"], 'did you mean "disciplines"?'),
        (["list", "disc"], 'did you mean "disciplines"?'),
        (["list", "disciplines", "fq_"], 'did you mean "fq_codel"?'),
        (["plot", "scenarios/mm1.toml", "lod"], 'did you mean "load"?'),
        (["run", "eqmm"], 'no such file and no such study: found "eqmm"; allowed: eqm, '),
        (["run", "eqmm"], 'did you mean "eqm"?'),
        (["sens"], 'found "sens"; allowed: run, compare'),
        (["sens"], 'did you mean "sensitivity"?'),
    ],
)
def test_the_nearest_is_offered(sojourn, command, message):
    done = sojourn(*command)
    assert done.status == 2
    # Usage errors are wrapped to the width of the terminal.
    assert message.replace(" ", "") in "".join(done.errors.split()).replace("│", "")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            ["replay", "ARRIVALS", "--rate", "8 Mbit/s", "--queue", "codel,x=\udcff"],
            '--queue: found "codel,x=\\xff", which is not UTF-8; allowed: text',
        ),
        (
            ["replay", "ARRIVALS", "--rate", "8 Mbit\udcff", "--queue", "codel"],
            '--rate: found "8 Mbit\\xff", which is not UTF-8; allowed: text',
        ),
        (
            ["compare", "codel,target=\udce4"],
            ", which is not UTF-8; allowed: text",
        ),
        (
            ["run", "FILE", "--set", "duration=\udcff"],
            ", which is not UTF-8; allowed: text",
        ),
        (
            ["check", "FILE", "--set", "link.bottleneck.queue.discipline=\udcff"],
            ", which is not UTF-8; allowed: text",
        ),
    ],
)
def test_bytes_that_are_no_text(sojourn, tmp_path, small, command, message):
    arrivals = tmp_path / "arrivals.csv"
    arrivals.write_text("time_s,size_B\n0,1000\n")
    names = {"ARRIVALS": arrivals, "FILE": small}
    done = sojourn(*(names.get(word, word) for word in command))
    assert done.status == 2
    assert message in done.errors


def test_nothing_near_is_no_hint(sojourn):
    assert "did you mean" not in sojourn("list", "disciplines", "xyzzy").errors


def test_a_study_is_checked_as_a_file_is(sojourn):
    done = sojourn("check", "ece6110")
    assert done.status == 0
    assert done.out.startswith("ece6110: ok: ")
