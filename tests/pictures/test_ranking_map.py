"""A map as numbers: directions, marks and groups."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA

from rankcut import RankingSet, make_mallows
from rankcut.datasets import load_lunch
from rankcut.errors import InputError
from rankcut.kernels import RBOKernel, SpearmanKernel
from rankcut.pictures.map_pictures import MOST_ARROWS, map_picture
from rankcut.pictures.map_pictures import read_map as read
from rankcut.pictures.ranking_map import (
    MOST_MARKS,
    Directions,
    kernel_directions,
    main_directions,
    map_rankings,
)
from rankcut.pictures.scene import Mark, Path, Text
from rankcut.pictures.theme import COLOURS, OTHERS


def test_a_kernel_of_vectors_gives_their_own_directions():
    rng = np.random.default_rng(0)
    vectors, counts = rng.normal(size=(30, 6)), rng.integers(1, 5, 30)
    expected = main_directions(vectors, counts)
    found = kernel_directions(vectors @ vectors.T, vectors, counts)
    assert_allclose(found.points, expected.points, atol=1e-10)
    assert_allclose(found.shares, expected.shares, rtol=1e-10)
    assert_allclose(found.loadings, expected.loadings, atol=1e-10)


def test_maps_by_a_kernel():
    lunch = load_lunch()
    by_places = read(lunch, features=SpearmanKernel())
    assert by_places.n_rankings == len(lunch)
    ranks = np.where(lunch.ranks <= 4, lunch.ranks, np.nan)
    by_tops = read(ranks, features=RBOKernel())
    assert by_tops.directions.shape == (lunch.ranks.shape[1], 2)
    assert 0 < by_tops.shares[1] <= by_tops.shares[0] < 1
    with pytest.raises(InputError, match="features is a kernel, which compares all pairs"):
        read(np.tile([[1, 2, 3]], (5001, 1)), features=SpearmanKernel())


def test_directions_are_those_of_repeated_vectors():
    rng = np.random.default_rng(0)
    vectors, counts = rng.normal(size=(30, 6)), rng.integers(1, 5, 30)
    found = main_directions(vectors, counts)
    model = PCA(2).fit(np.repeat(vectors, counts, axis=0))
    signs = np.sign((model.components_ * found.loadings.T).sum(axis=1))
    assert_allclose(found.points, model.transform(vectors) * signs, atol=1e-12)
    assert_allclose(found.shares, model.explained_variance_ratio_, atol=1e-12)
    assert_allclose(found.loadings.T, model.components_ * signs[:, None], atol=1e-12)


def test_rankings_that_fall_together_are_one_mark_of_their_groups():
    votes = RankingSet(
        np.array([[1.0, 2, 3], [1, 2, 3], [3, 2, 1], [1, 2, 3]]),
        ("a", "b", "c"),
        counts=[2, 1, 4, 3],
        columns={"town": np.array(["x", "y", "x", None], dtype=object)},
    )
    found = read(votes, "town")
    assert found.counts.tolist() == [6, 4]
    assert [(group.name, group.count) for group in found.groups] == [
        ("x", 6),
        ("y", 1),
        ("unknown", 3),
    ]
    assert found.parts.tolist() == [[2, 1, 3], [4, 0, 0]]
    assert found.rows == [3, 2]
    assert found.subtitle() == "10 rankings of 3 items at 2 points"
    # The ellipse is of rankings, not of rows; a group of one has none.
    assert found.groups[0].spread is not None
    assert found.groups[1].spread is None
    assert found.groups[2].mean is None


def test_counts_are_the_same_as_repeated_rankings():
    votes = make_mallows(40, 5, phi=0.5, random_state=1)
    counts = np.random.default_rng(2).integers(1, 4, 40)
    towns = np.array(["x", "y"])[np.arange(40) % 2]
    counted = read(votes.ranks, towns, counts=counts)
    repeated = read(np.repeat(votes.ranks, counts, axis=0), np.repeat(towns, counts))
    assert_allclose(counted.places, repeated.places, atol=1e-9)
    assert counted.parts.tolist() == repeated.parts.tolist()
    for one, other in zip(counted.groups, repeated.groups, strict=True):
        assert_allclose(one.mean, other.mean, atol=1e-9)
        assert_allclose(one.spread, other.spread, atol=1e-9)


def test_many_groups_keep_the_largest_and_a_grey_rest():
    votes = make_mallows(120, 4, phi=0.5, random_state=0)
    towns = np.array([f"town {min(k, 55 - k):02d}" for k in np.arange(120) % 55])
    found = read(votes.ranks, towns)
    assert len(found.groups) == len(COLOURS) + 1
    assert found.groups[-1].colour == OTHERS
    assert found.groups[-1].name == f"{28 - len(COLOURS)} others"
    names = [group.name for group in found.groups[:-1]]
    assert names == sorted(names)
    assert found.parts.sum() == 120


def test_numbers_are_a_scale_if_there_are_more_than_colours():
    votes = make_mallows(60, 4, phi=0.5, random_state=0)
    found = read(votes.ranks, np.where(np.arange(60) == 3, np.nan, np.arange(60.0)), by_name="age")
    assert found.values is not None
    assert found.value_range()[0] >= 0
    assert len(found.value_colours()) == len(found.counts)
    assert [group.mean for group in found.groups] == [None]
    few = read(votes.ranks, np.arange(60) % 12 // 4)
    assert few.values is None
    assert [group.name for group in few.groups] == ["0", "1", "2"]


def test_near_points_are_drawn_as_one_if_there_are_many():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20_000, 2))
    found = map_rankings(
        Directions(points, np.array([0.5, 0.5]), np.eye(2)),
        np.ones(20_000, dtype=np.int64),
        ["a", "b"],
    )
    assert found.merged
    assert len(found.counts) <= MOST_MARKS
    assert found.n_rankings == 20_000
    assert_allclose(found.counts @ found.places / 20_000, points.mean(axis=0), atol=1e-12)


def shapes(picture, kind, **wanted):
    found = [shape for shape in picture.scene.shapes if isinstance(shape, kind)]
    return [s for s in found if all(getattr(s, name) == value for name, value in wanted.items())]


def arrows(picture):
    return [shape for shape in shapes(picture, Path) if shape.item is not None]


def test_the_scene_has_equal_scales_and_areas_in_proportion():
    votes = RankingSet(
        np.array([[1.0, 2, 3, 4], [4, 3, 2, 1], [2, 1, 4, 3]]), tuple("abcd"), counts=[1, 4, 9]
    )
    found = read(votes)
    picture = map_picture(found)
    marks = shapes(picture, Mark)
    assert_allclose([mark.radius / marks[-1].radius for mark in marks], [3, 2, 1])
    places = np.array([[mark.x, mark.y] for mark in marks[::-1]])
    drawn = np.linalg.norm(places - places[0], axis=1)
    true = np.linalg.norm(found.places - found.places[0], axis=1)
    assert_allclose(drawn[1:] / drawn[1], true[1:] / true[1])
    assert (places > 0).all()
    assert (places < (picture.scene.width, picture.scene.height)).all()
    # Up is positive on the map, and y grows downwards on the page.
    drawn = np.array(
        [(arrow.lines[1][1] - arrow.lines[0][0]) * (1, -1) for arrow in arrows(picture)]
    )
    loadings = found.directions[[arrow.item for arrow in arrows(picture)]]
    assert_allclose(drawn * loadings[0, 0], loadings * drawn[0, 0], atol=1e-9)


def test_the_longest_arrows_come_first_and_only_they_are_named():
    found = read(make_mallows(60, 40, phi=0.9, random_state=0).ranks)
    every = map_picture(found, most_arrows=40)
    lengths = [np.linalg.norm(arrow.lines[1][1] - arrow.lines[0][0]) for arrow in arrows(every)]
    assert (np.diff(lengths) <= 1e-9).all()
    assert len(lengths) > MOST_ARROWS
    longest = [arrow.item for arrow in arrows(every)][:MOST_ARROWS]
    named = {text.item for text in shapes(every, Text, where="roomy", halo=True)}
    assert named
    assert named <= set(longest)
    few = map_picture(found)
    assert [arrow.item for arrow in arrows(few)] == longest
    assert "24 shorter arrows left out" in few.said


def test_mistakes():
    lunch = load_lunch()
    with pytest.raises(InputError, match=r"'town', not a column; columns are: guest"):
        read(lunch, "town")
    with pytest.raises(InputError, match="3 values for 48 rankings"):
        read(lunch, ["a", "b", "c"])
    with pytest.raises(InputError, match="at least two rankings"):
        read([[1, 2, 3]])
    with pytest.raises(InputError, match="whole number of 1 or more"):
        read(lunch, counts=np.full(48, 0) + (np.arange(48) > 0))
    with pytest.raises(InputError, match="option of the features"):
        read(lunch, features=object(), unranked="last")
