from itertools import permutations

import numpy as np
import pytest
from scipy.sparse import csr_array

from rankcut import graph_cut_features, make_food
from rankcut.kernels import kendall_kernel
from reproduction import encodings
from reproduction.encodings import (
    BORDA,
    CUT,
    EXPONENTIAL,
    KENDALL,
    MALLOWS,
    MALLOWS_DRAWS,
    OWN_DRAWS,
    PRESENCE,
    SAME_DRAWS,
    UNIT,
    UNWEIGHTED,
    Rankings,
    encode,
)

POINTS = np.random.RandomState(0).random_sample((6, 2))


def full(n_rankings=5, n_items=6, seed=0):
    rng = np.random.RandomState(seed)
    return np.array([rng.permutation(n_items) + 1.0 for _ in range(n_rankings)])


def test_weights_are_those_of_the_text_and_of_the_experiments():
    distances = np.linalg.norm(POINTS[:, None] - POINTS[None], axis=2)
    scale = np.median(distances)
    rankings = Rankings(full(), "error", POINTS)
    for method, weights in (
        (CUT, np.exp(-0.5 * (distances / scale) ** 2)),
        (EXPONENTIAL, np.exp(-distances / scale)),
    ):
        np.fill_diagonal(weights, 0)
        expected = graph_cut_features(rankings.ranks, weights)
        np.testing.assert_allclose(encode(method, rankings).features, expected)


@pytest.mark.parametrize("unranked", ["error", "anywhere"])
def test_unweighted_on_a_complete_graph_is_the_borda_count(unranked):
    ranks = full()
    if unranked == "anywhere":
        ranks[ranks > 3] = np.nan
    rankings = Rankings(ranks, unranked, POINTS)
    expected = graph_cut_features(ranks, unranked=unranked)
    np.testing.assert_allclose(encode(UNWEIGHTED, rankings).features, expected)


def test_unweighted_on_a_thinned_graph_keeps_its_edges():
    rankings = Rankings(full(), "error", POINTS, keep=0.4)
    kept = encodings.item_graph(POINTS, "squared_exponential", 0.4).to_dense() > 0
    assert kept.sum() == 2 * 6
    expected = graph_cut_features(rankings.ranks, kept.astype(float))
    np.testing.assert_allclose(encode(UNWEIGHTED, rankings).features, expected)


def test_unit_length():
    vectors = encode(UNIT, Rankings(full(), "error", POINTS)).features
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0)


def test_baselines():
    ranks = full()
    ranks[ranks > 3] = np.nan
    rankings = Rankings(ranks, "last", POINTS)
    assert np.array_equal(encode(PRESENCE, rankings).features, ~np.isnan(ranks))
    points = encode(BORDA, rankings).features
    assert np.unique(points[0]).tolist() == [-3.0, 1.0, 3.0, 5.0]
    unknown = Rankings(ranks, "anywhere", POINTS)
    # Four gaps: an unlisted item beats one, two or three of three listed with 1/4, 2/4, 3/4.
    assert np.unique(encode(BORDA, unknown).features[0].round(9)).tolist() == [-3.5, 0.0, 3.5]
    with pytest.raises(ValueError, match="no method"):
        encode("guessing", rankings)


def test_many_pairs_go_in_by_the_gram_matrix(monkeypatch):
    rankings = Rankings(full(), "error", POINTS)
    features = encode(KENDALL, rankings).features
    np.testing.assert_allclose(features @ features.T, kendall_kernel(rankings.ranks))
    monkeypatch.setattr(encodings, "_MOST_PAIRS", 2)
    np.testing.assert_allclose(encode(KENDALL, rankings).gram, kendall_kernel(rankings.ranks))


def test_the_same_completions_for_all(monkeypatch):
    """By the definition: the j-th unranked item of each ranking goes into the same gap."""
    monkeypatch.setattr(encodings, "N_DRAWS", 7)
    monkeypatch.setattr(encodings, "_AT_ONCE", 2)
    ranks = full()
    ranks[ranks > 3] = np.nan
    ranks = np.array([(np.argsort(np.argsort(row)) + 1.0) * row / row for row in ranks])
    graph = encodings.item_graph(POINTS, "squared_exponential")
    gaps = np.random.RandomState(5).randint(0, 4, (7, 3))
    expected = np.zeros(ranks.shape)
    for row, ranking in enumerate(ranks):
        missing = np.flatnonzero(np.isnan(ranking))
        for draw in gaps:
            completed = ranking.copy()
            completed[missing] = draw + 0.5
            expected[row] += graph_cut_features(completed[None], graph)[0] / 7
    stored = csr_array(np.nan_to_num(ranks))
    for form in (ranks, stored):
        found = encode(SAME_DRAWS, Rankings(form, "anywhere", POINTS), seed=5).features
        np.testing.assert_allclose(found, expected)


@pytest.mark.slow
def test_own_completions_are_independent_draws_near_the_exact_mean():
    ranks = full(20)
    ranks[ranks > 3] = np.nan
    rankings = Rankings(ranks, "anywhere", POINTS)
    drawn = encode(OWN_DRAWS, rankings).features
    exact = encode(CUT, rankings).features
    assert 0 < np.abs(drawn - exact).max() < 0.3


@pytest.mark.slow
def test_mallows_from_draws_is_exact_on_full_rankings_and_near_it_on_lists():
    rankings = Rankings(full(), "error", POINTS)
    np.testing.assert_allclose(encode(MALLOWS_DRAWS, rankings).gram, encode(MALLOWS, rankings).gram)
    lists = make_food(40, noise=1.0, kind="top-k", k=6, random_state=0)
    rankings = Rankings(lists.ranks, "last", lists.item_features)
    drawn, exact = (encode(method, rankings).gram for method in (MALLOWS_DRAWS, MALLOWS))
    assert np.corrcoef(drawn.ravel(), exact.ravel())[0, 1] > 0.95
    assert not np.allclose(drawn, exact)
    assert np.array_equal(drawn, drawn.T)


def test_draws_respect_the_lists(monkeypatch):
    """Four draws of a list of one item of three are full rankings that begin with it."""
    seen = []

    def kernel(rows, full, lam):
        seen.append(full)
        return np.ones((len(rows), len(full)))

    monkeypatch.setattr(encodings, "mallows_kernel", kernel)
    ranks = np.array([[np.nan, 1.0, np.nan], [1.0, np.nan, np.nan]])
    encode(MALLOWS_DRAWS, Rankings(ranks, "last", POINTS[:3]), seed=1)
    drawn = seen[0]
    assert drawn.shape == (8, 3)
    assert set(map(tuple, drawn)) <= set(permutations((1.0, 2.0, 3.0)))
    assert (drawn[:4, 1] == 1).all()
    assert (drawn[4:, 0] == 1).all()
