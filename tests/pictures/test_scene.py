"""Labels that do not collide."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankcut.pictures.scene import place_labels

BOUNDS = (0.0, 0.0, 400.0, 300.0)


@given(st.integers(1, 25), st.floats(5, 120), st.floats(5, 30), st.integers(0, 1000), st.booleans())
def test_no_two_boxes_overlap_and_none_leaves_the_bounds(n, width, height, seed, blocked):
    rng = np.random.default_rng(seed)
    anchors = rng.uniform((0, 0), (400, 300), (n, 2))
    sizes = rng.uniform(0.5, 1, (n, 2)) * (width, height)
    wall = np.array([[100.0, 100.0, 200.0, 200.0]]) if blocked else None
    placed = place_labels(anchors, sizes, BOUNDS, obstacles=wall)
    boxes = [
        (x - sizes[k, 0] / 2, y - sizes[k, 1] / 2, x + sizes[k, 0] / 2, y + sizes[k, 1] / 2)
        for k, x, y in placed
    ]
    for left, low, right, high in boxes:
        assert left >= 0
        assert low >= 0
        assert right <= 400
        assert high <= 300
    for a, b in combinations([*boxes, *(() if wall is None else wall)], 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_labels_far_from_each_other_are_all_placed_in_the_favoured_direction():
    anchors = np.array([[50.0, 50.0], [200.0, 50.0], [50.0, 200.0]])
    away = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    placed = place_labels(anchors, np.full((3, 2), 20.0), BOUNDS, away=away, gap=4)
    moved = np.array([[x, y] for _, x, y in placed]) - anchors
    np.testing.assert_allclose(moved, 14 * away, atol=1e-9)


def test_equal_anchors_get_places_beside_each_other():
    placed = place_labels(np.full((4, 2), 150.0), np.full((4, 2), 12.0), BOUNDS)
    assert len({(x, y) for _, x, y in placed}) == 4


def test_a_label_goes_elsewhere_rather_than_cover_points():
    anchor, size, right = np.array([[200.0, 150.0]]), np.array([[40.0, 12.0]]), np.array([[1.0, 0]])
    ((_, x, y),) = place_labels(anchor, size, BOUNDS, away=right)
    assert (x, y) == (224.0, 150.0)
    marks = np.array([[230.0, 150.0], [240.0, 152.0]])
    ((_, x, y),) = place_labels(anchor, size, BOUNDS, away=right, covered=marks)
    assert not ((abs(marks[:, 0] - x) < 20) & (abs(marks[:, 1] - y) < 6)).any()
    # Where everything is covered, the favoured place is as good as another.
    wall = np.stack(np.meshgrid(np.arange(0, 401, 2.0), np.arange(0, 301, 2.0)), -1).reshape(-1, 2)
    ((_, x, y),) = place_labels(anchor, size, BOUNDS, away=right, covered=wall, reach=1)
    assert abs(x - 224) < 40
