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


def test_nothing_near_is_no_hint(sojourn):
    assert "did you mean" not in sojourn("list", "disciplines", "xyzzy").errors


def test_a_study_is_checked_as_a_file_is(sojourn):
    done = sojourn("check", "ece6110")
    assert done.status == 0
    assert done.out.startswith("ece6110: ok: ")
