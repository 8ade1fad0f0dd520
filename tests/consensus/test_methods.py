"""Vectors whose means order the items."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rankcut import GraphCutFeatures, make_mallows
from rankcut.consensus import methods
from rankcut.consensus.methods import borda_vectors, listed_wins
from rankcut.rankings import Rankings, read_rankings

VOTES = make_mallows(50, 5, phi=0.8, kind="incomplete", k=3, random_state=0).ranks


def test_vectors_are_those_of_the_complete_graph():
    groups = read_rankings(VOTES, unranked="anywhere").groups()
    features = GraphCutFeatures(unranked="anywhere", completions="closed_form")
    assert_allclose(borda_vectors(groups), features.fit_transform(VOTES), atol=1e-12)


def test_few_rankings_have_the_vectors_of_many(monkeypatch):
    groups = np.random.default_rng(0).integers(4, size=(20, 4)).astype(np.uint32)
    groups = Rankings(groups.astype(np.float64)).groups()
    few = borda_vectors(groups)
    monkeypatch.setattr(methods, "FEW_ENTRIES", 0)
    assert_array_equal(few, borda_vectors(groups))


@pytest.mark.parametrize("seed", range(5))
def test_wins_over_listed_items_are_counted_pair_by_pair(seed):
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, 4, size=(30, 6)).astype(float)
    ranks[rng.random(ranks.shape) < 0.4] = np.nan
    signs = np.sign(ranks[:, None, :] - ranks[:, :, None])
    expected = np.nansum(signs, axis=2)
    met = np.maximum((~np.isnan(signs)).sum(axis=2) - 1, 0)
    wins, meetings = listed_wins(Rankings(ranks, unranked="anywhere").groups())
    assert_array_equal(wins, expected)
    assert_array_equal(meetings, met)
