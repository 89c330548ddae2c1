"""Every discipline has a look of its own, also for those who see fewer colours."""

import itertools
import random

import numpy as np
import pytest

from sojourn import registries
from sojourn.plots.looks import COLOURS, LINES, LOOKS, line_styles, look, looks
from sojourn.plots.reasons import REASON_COLOURS

DISCIPLINES = [*registries.entries("disciplines")]

# Machado, Oliveira, Fernandes, "A physiologically-based model for simulation of color vision
# deficiency", IEEE TVCG 15 (2009), severity 1.0; they work on linear RGB.
SEES = {
    "all": np.eye(3),
    "protanope": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranope": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanope": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = np.array([0.95047, 1.0, 1.08883])


def lab(colour, sight):
    """CIE L*a*b* of a colour as it is seen."""
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    ratio = TO_XYZ @ np.clip(sight @ linear, 0, 1) / WHITE
    f = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize(
    ("colours", "least"), [(COLOURS, 14), (REASON_COLOURS.values(), 20)], ids=["looks", "reasons"]
)
@pytest.mark.parametrize("sight", SEES)
def test_colours_stay_apart(sight, colours, least):
    """14 units of L*a*b* are some six times what is just noticed (2.3: Mahy, 1994)."""
    for one, other in itertools.combinations(colours, 2):
        distance = np.linalg.norm(lab(one, SEES[sight]) - lab(other, SEES[sight]))
        assert distance > least, (one, other)


def test_every_discipline_has_its_own():
    assert list(LOOKS.keys() ^ set(DISCIPLINES)) == []
    assert len(set(LOOKS.values())) == len(LOOKS)
    assert {marker for _, marker in LOOKS.values()} <= LINES.keys()
    assert len({str(line) for line in LINES.values()}) == len(LINES)


@pytest.mark.parametrize("name", DISCIPLINES)
def test_alone_it_looks_as_it_always_does(name):
    assert (look(name).colour, look(name).marker) == LOOKS[name]


def test_in_a_small_set_no_colour_and_no_marker_comes_twice():
    for names in itertools.combinations(DISCIPLINES, 3):
        drawn = looks(names).values()
        assert len({one.colour for one in drawn}) == 3
        assert len({one.marker for one in drawn}) == 3


def test_all_at_once_still_differ():
    drawn = looks(DISCIPLINES).values()
    assert len({(one.colour, one.marker) for one in drawn}) == len(DISCIPLINES)


def test_lines_of_one_colour_have_dashes_of_their_own():
    few = looks(["droptail", "red", "codel"])
    assert set(line_styles(few).values()) == {"-"}
    every = looks(DISCIPLINES)
    lines = [(look.colour, line_styles(every)[name]) for name, look in every.items()]
    assert len(set(lines)) == len(lines)


def test_settings_make_a_label_and_a_look_of_their_own():
    drawn = looks(["codel", "codel, target=20 ms", "codel, target=50 ms", "codel"])
    assert [one.label for one in drawn.values()] == [
        "CoDel",
        "CoDel, target=20 ms",
        "CoDel, target=50 ms",
    ]
    assert len({one.colour for one in drawn.values()}) == 3
    assert len({one.marker for one in drawn.values()}) == 3
    assert drawn["codel"] == look("codel")


def test_what_is_no_discipline_has_a_look_too():
    flows = [f"cubic.{n}" for n in range(30)]
    drawn = looks(flows)
    assert len({(one.colour, one.marker) for one in drawn.values()}) == 30
    assert drawn["cubic.0"].label == "cubic.0"
    assert look("eqm").label == "EQM (reconstruction)"


def test_a_discipline_keeps_its_colour_beside_one_that_has_lost_its_own():
    # Drop-tail takes PFIFO-fast's grey, and RED's blue is no substitute for it.
    given = looks(["droptail", "pfifo_fast", "red", "ared"])
    assert list(given) == ["droptail", "pfifo_fast", "red", "ared"]
    assert given["red"].colour == look("red").colour
    assert given["ared"].colour == look("ared").colour
    assert given["pfifo_fast"].colour not in {
        given[one].colour for one in ("droptail", "red", "ared")
    }


def colours_kept(names):
    """Hold the colours of a figure against the promise."""
    drawn = looks(names)
    wanted = {name: LOOKS[name][0] for name in names}
    for number, name in enumerate(names):
        if wanted[name] not in [wanted[one] for one in names[:number]]:
            assert drawn[name].colour == wanted[name], f"{name}, the first that wants it"
        elif drawn[name].colour != wanted[name]:
            assert drawn[name].colour not in wanted.values(), f"{name} has another's"
    assert len({(one.colour, one.marker) for one in drawn.values()}) == len(names)
    assert len({(one.colour, str(one.line)) for one in drawn.values()}) == len(names)


def test_no_colour_goes_from_one_discipline_to_another_where_there_are_more_than_colours():
    nine = ["droptail", "headdrop", "red", "eqm", "codel", "fq_codel", "pie", "sfq", "blue"]
    given = looks(nine)
    assert {name: given[name].colour for name in nine} == {name: LOOKS[name][0] for name in nine}
    assert given["headdrop"].marker != given["droptail"].marker
    # As many as there are may stand in one figure, in any order.
    draw = random.Random(1)
    for count in range(2, 17):
        for _ in range(200):
            colours_kept(draw.sample(DISCIPLINES, count))
    colours_kept(DISCIPLINES)


def test_a_discipline_with_more_settings_than_markers_takes_other_colours():
    codels = ["codel", *(f"codel, target={n} ms" for n in range(1, 40))]
    given = looks([*codels, "red"])
    assert given["red"].colour == look("red").colour
    assert len({(one.colour, one.marker) for one in given.values()}) == 41
