"""The loops of blocs against the plain Python they are compiled from."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tolerances import assert_does_the_same

from rankcut._loops import centres, signs
from rankcut._loops.partitions import NOWHERE

POINTS = np.random.default_rng(0).integers(-9, 10, size=(12, 3)).astype(float)
WEIGHTS = np.arange(1.0, 13.0)
GROUPS = np.array([[0, 1, 2, 2], [1, NOWHERE, 0, NOWHERE], [0, 0, 0, 0]], dtype=np.uint32)

CALLS = {
    "nearest_centres": lambda: (
        POINTS,
        POINTS[:4].copy(),
        np.zeros(12, np.uint32),
        np.zeros(12),
    ),
    "squared_distances": lambda: (POINTS, POINTS[:4].copy(), np.zeros((12, 4))),
    "draw_point": lambda: (WEIGHTS, WEIGHTS, 0.7),
    "plant_centres": lambda: (POINTS, WEIGHTS, np.array([0.1, 0.5, 0.9]), np.zeros((3, 3))),
    "move_centres": lambda: (
        POINTS,
        WEIGHTS,
        POINTS[:3].copy(),
        np.zeros(12, np.uint32),
        9,
    ),
    "grow_centres": lambda: (
        POINTS,
        WEIGHTS,
        np.random.default_rng(1).random((3, 2, 3)),
        np.zeros((3, 3, 3)),
        np.zeros(3),
        9,
    ),
    "swap_medoids": lambda: (
        np.abs(POINTS[:, None] - POINTS[None]).sum(axis=2),
        WEIGHTS,
        np.array([0, 1], np.uint32),
    ),
    "listed_leads": lambda: (GROUPS, np.arange(4.0), np.zeros((3, 4))),
}


@pytest.mark.parametrize("name", CALLS)
def test_machine_code_and_python_agree(name):
    loop = getattr(centres, name, None) or getattr(signs, name)
    ours = copy.deepcopy(CALLS[name]())
    theirs = copy.deepcopy(CALLS[name]())
    said = loop.py_func(*theirs)
    # Means are of twelve points, and distances of three coordinates.
    for mine, other in zip([loop(*ours), *ours], [said, *theirs], strict=True):
        assert_does_the_same(mine, other, 12 * 3)


def test_the_nearest_centre_of_many_points_is_that_of_each_alone():
    points = np.random.default_rng(2).normal(size=(150, 5))
    labels, squares = np.empty(150, np.uint32), np.empty(150)
    centres.nearest_centres(points, points[:4].copy(), labels, squares)
    apart = ((points[:, None] - points[None, :4]) ** 2).sum(axis=2)
    assert_array_equal(labels, apart.argmin(axis=1))
    assert_allclose(squares, apart.min(axis=1), rtol=1e-12)


def test_a_grown_partition_is_never_worse_with_more_centres():
    points = np.random.default_rng(2).normal(size=(80, 2))
    totals = np.zeros(5)
    centres.grow_centres(
        points,
        np.ones(80),
        np.random.default_rng(3).random((5, 3, 5)),
        np.zeros((5, 5, 2)),
        totals,
        50,
    )
    assert totals[0] == pytest.approx(((points - points.mean(axis=0)) ** 2).sum(), rel=1e-12)
    assert (np.diff(totals) < 0).all()
