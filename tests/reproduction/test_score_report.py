from itertools import pairwise

import numpy as np
import pytest

from reproduction.comparisons import Scores
from reproduction.encodings import CUT, KENDALL, UNIT
from reproduction.learning import FURTHER_SEEDS, SCORES, SEEDS
from reproduction.score_report import (
    difference_row,
    draw_paths,
    summary_rows,
    whether_it_matters,
)


def rows(method, values):
    return [
        {"kind": "full", "method": method, "seed": seed} | dict.fromkeys(SCORES, value)
        for seed, value in zip([*SEEDS, *FURTHER_SEEDS], values, strict=False)
    ]


@pytest.mark.parametrize(
    ("gain", "spread", "answer"),
    [(0.0, 0.01, "no"), (0.05, 0.01, "yes"), (0.0, 0.3, "too few seeds")],
)
def test_whether_a_variant_matters(gain, spread, answer):
    noise = np.random.RandomState(0).normal(0, spread, 30)
    noise -= noise.mean()
    scores = Scores(
        rows(CUT, 0 * noise) + rows(UNIT, gain + noise) + rows(KENDALL, 0.5 + noise), "kind"
    )
    differences = [
        {"kind": "full", "method": method} | difference_row(scores, ("full", method), ("full", CUT))
        for method in (UNIT, KENDALL)
    ]
    assert differences[1]["F1"] == pytest.approx(0.5)
    (found,) = whether_it_matters(differences, "kind")
    assert (found["instead"], found["does it matter?"]) == ("unit length", answer)


def test_summary():
    scores = Scores(rows(CUT, [0.2, 0.4, 0.9, 0.2, 0.4, 0.9, 0.9]), "kind")
    six, every = summary_rows(scores, "kind", ["full", "top-3"], [CUT])
    assert (six["seeds"], six["n"], six["F1"]) == ("the paper's", 6, pytest.approx(0.5))
    assert (every["seeds"], every["n"]) == ("all", 7)
    assert six["F1, low"] < 0.5 < six["F1, high"]


@pytest.mark.parametrize("last", [1, 20, 200, 1000])
def test_labels_of_steps_do_not_overlap(last):
    rows = [
        {"method": CUT, "seed": 4, "step": step, "bound": -300.0 / (1 + step)}
        for step in range(last + 1)
    ]
    for gap in (False, True):
        figure = draw_paths(rows, "Full", {CUT: last}, gap=gap)
        figure.draw_without_rendering()
        (axes,) = figure.axes
        assert not axes.get_xticklabels(minor=True)
        boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
        assert all(one.x1 < other.x0 for one, other in pairwise(boxes))
