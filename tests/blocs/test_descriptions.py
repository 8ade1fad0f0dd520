"""What sets blocs apart, measured on the other half of the people."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rankcut.blocs.centres import Blocs, by_means
from rankcut.blocs.descriptions import measure_differences, share_of_length, split_people


def test_halves_are_other_people():
    counts = np.array([5, 1, 0, 4, 7])
    one, other = split_people(counts, 0)
    assert_array_equal(one + other, counts)
    assert one.sum() == 8
    assert (one >= 0).all()
    assert (other >= 0).all()


def test_means_are_of_the_other_half_alone():
    rng = np.random.default_rng(0)
    side = rng.integers(0, 2, size=200)
    vectors = rng.normal(size=(200, 2)) + 8 * side[:, None]
    places = rng.normal(size=(200, 3)) + side[:, None] * [0, 2, 0]
    counts = np.ones(200, dtype=np.int64)
    whole = by_means(vectors, np.ones(200), 2, 5, 0)
    seen = []

    def search(some, weights):
        seen.append(some)
        return by_means(some, weights, 2, 5, 0)

    found = measure_differences(vectors, places, counts, None, whole.centres, search, 0.95, 0)
    judges = split_people(counts, 0)[1] > 0
    assert not set(map(tuple, seen[0])) & set(map(tuple, vectors[judges]))
    for bloc in range(2):
        own = judges & (whole.labels == bloc)
        assert_allclose(found.inside[bloc], places[own].mean(axis=0), rtol=1e-12)
        assert_allclose(
            found.outside[bloc], places[judges & (whole.labels != bloc)].mean(axis=0), rtol=1e-12
        )
    assert (found.sure[:, 1] != 0).all()
    assert_array_equal(found.columns(["a", "b", "c"])["item"][:1], ["b"])


def test_intervals_hold_for_all_items_at_once():
    # People are in either bloc by a number that has nothing to do with their places.
    missed = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        vectors = np.repeat([[0.0], [1.0]], 30, axis=0)
        places = rng.uniform(1, 5, size=(60, 4))
        centres = np.array([[0.0], [1.0]])

        def search(some, weights, centres=centres):
            return Blocs(centres, np.zeros(len(some), dtype=np.int64), 0.0)

        counts = np.ones(60, dtype=np.int64)
        found = measure_differences(vectors, places, counts, None, centres, search, 0.9, seed)
        missed += (found.sure != 0).any()
    # At most 10 % of samples, and 200 samples vary by 2.1 %.
    assert missed <= 200 * (0.1 + 3 * 0.021)
    assert missed > 0


def test_one_person_says_nothing_sure():
    vectors, places = np.array([[0.0], [1.0]]), np.array([[1.0, 2.0], [2.0, 1.0]])
    found = measure_differences(
        vectors,
        places,
        np.ones(2, dtype=np.int64),
        None,
        vectors,
        lambda some, weights: by_means(some, weights, 1, 1, 0),
        0.95,
        0,
    )
    assert not found.sure.any()


def test_the_share_of_length_is_a_corrected_ratio_of_variances():
    rng = np.random.default_rng(0)
    lengths, labels = rng.integers(1, 9, size=400), rng.integers(0, 3, size=400)
    assert share_of_length(lengths, labels, np.ones(400)) == pytest.approx(0, abs=0.03)
    assert share_of_length(labels + 1, labels, np.ones(400)) == 1
    assert share_of_length(np.full(400, 5), labels, np.ones(400)) is None
    shifted = lengths + 4 * labels
    within = sum(shifted[labels == k].var() * (labels == k).sum() for k in range(3))
    share = 1 - (within / 397) / (shifted.var() * 400 / 399)
    assert share_of_length(shifted, labels, np.ones(400)) == pytest.approx(share, rel=1e-12)
