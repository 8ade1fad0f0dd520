"""Places that are sure: rules for pairs and ranges, and coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import stats

from rankcut import Consensus, make_mallows
from rankcut.consensus.intervals import critical_value, places_by_ranges
from rankcut.consensus.methods import (
    Resampling,
    _first_shares,
    borda_vectors,
    by_majorities,
    by_vectors,
)
from rankcut.consensus.pairs import compare_pairs
from rankcut.rankings import read_rankings
from rankcut.sample import Sample


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_places_by_ranges_count_what_lies_above_and_below(n_items, seed):
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 6, n_items).astype(float)
    high = low + rng.integers(0, 4, n_items)
    expected = [
        [1 + (low > h).sum(), n_items - (high < w).sum()] for w, h in zip(low, high, strict=True)
    ]
    assert_array_equal(places_by_ranges(low, high), expected)


def test_the_critical_value_has_students_tail():
    # The quantile of 999 samples at 95 % is the 950th, scaled for the samples' smaller variance.
    largest = np.linspace(0, 4, 999)
    normal = np.sort(largest)[949] * np.sqrt(10 / 9)
    # Bounded values leave two thirds of the nine degrees of freedom.
    expected = stats.t.isf(stats.norm.sf(normal), 6)
    assert critical_value(largest, 0.95, 10) == pytest.approx(expected, rel=1e-9)
    assert critical_value(largest, 0.95, 1) == np.inf
    assert critical_value(largest[:10], 0.95, 10) == np.inf


def test_with_few_people_the_critical_value_is_at_least_that_of_bonferroni():
    largest = np.full(999, 0.1)
    for n_people, compared, expected in (
        # Up to 49 people all 15 differences count, and from 50 on those on which all agree.
        (49, (15, 0), stats.t.isf(0.025 / 15, 32)),
        (49, (15, 2), stats.t.isf(0.025 / 15, 32)),
        (61, (15, 2), stats.t.isf(0.025 / 2, 40)),
    ):
        assert critical_value(largest, 0.95, n_people, *compared) == pytest.approx(expected)
    assert critical_value(largest, 0.95, 61, 15, 0) < 0.2
    # A bootstrap that sees more chance than Bonferroni's bound is believed.
    assert critical_value(np.full(999, 9.0), 0.95, 49, 15, 0) > 9.0


@pytest.mark.parametrize("n_effective", [2, 5, 50, 200.5])
def test_no_critical_value_is_below_zero(n_effective):
    # The median of Student's t is 0, which not every version of SciPy computes exactly.
    assert 0 <= critical_value(np.zeros(100), 0.95, n_effective) < 1e-9


def places(ranks, method="borda", unranked="anywhere", seed=0, n_bootstraps=200, **options):
    people = Sample.of(read_rankings(ranks, unranked=unranked, **options))
    resampling = Resampling(0.95, n_bootstraps, seed)
    if method == "borda":
        return by_vectors(people, borda_vectors, resampling).intervals
    return by_majorities(people, compare_pairs(people), method, resampling).intervals


def test_few_people_who_agree_make_nothing_sure_and_many_do():
    same = np.tile(np.arange(1.0, 6.0), (30, 1))
    for method in ("borda", "copeland", "kemeny"):
        assert_array_equal(places(same[:4], method), np.tile([1, 5], (5, 1)))
        expected = np.tile(np.arange(1, 6)[:, None], (1, 2))
        assert_array_equal(places(same, method), expected)


def test_seven_people_who_agree_leave_places_open():
    same = np.tile(np.arange(1.0, 7.0), (7, 1))
    for method in ("borda", "copeland", "kemeny", "strengths"):
        low, high = Consensus(method).fit(same).rank_intervals_.T
        assert (low < high).all()


def test_few_people_who_nearly_agree_make_nothing_sure():
    nearly = np.tile(np.arange(1.0, 11.0), (5, 1))
    nearly[0, [8, 9]] = 10, 9
    assert_array_equal(places(nearly), np.tile([1, 10], (10, 1)))


def test_a_tie_for_the_first_place_is_shared_in_spite_of_rounding():
    means = np.array([[0.1 + 0.2, 0.3, 0.0], [1.0, 0.0, 0.0]])
    assert_array_equal(_first_shares(means), [0.75, 0.25, 0.0])


def test_all_tied_or_one_person_leaves_all_places():
    everything = np.tile([1, 4], (4, 1))
    assert_array_equal(places(np.ones((50, 4))), everything)
    assert_array_equal(places(np.array([[1.0, 2.0, 3.0, 4.0]])), everything)


def test_more_items_than_pairs_are_looked_at_have_wider_intervals(monkeypatch):
    ranks = make_mallows(200, 8, phi=0.8, random_state=0).ranks
    by_pairs = places(ranks)
    monkeypatch.setattr("rankcut.consensus.methods.MOST_TABULATED", 4)
    by_items = places(ranks)
    assert (by_items[:, 0] <= by_pairs[:, 0]).all()
    assert (by_items[:, 1] >= by_pairs[:, 1]).all()
    assert (by_items[:, 1] - by_items[:, 0]).sum() < 8 * 7


@pytest.mark.slow
@pytest.mark.parametrize("method", ["borda", "copeland", "kemeny"])
@pytest.mark.parametrize(
    ("kind", "unranked"), [("full", "error"), ("top-k", "last"), ("incomplete", "anywhere")]
)
def test_intervals_cover_all_places_at_once(kind, unranked, method):
    # The population's order is the centre's: 1, 2, …; neighbours are hard to tell apart.
    missed = 0
    for seed in range(200):
        ranks = make_mallows(40, 5, phi=0.85, kind=kind, k=3, random_state=seed).ranks
        found = places(ranks, method, unranked, seed)
        truth = np.arange(1, 6)
        missed += not ((found[:, 0] <= truth) & (truth <= found[:, 1])).all()
    # 5 % of 200 is 10; three standard errors above is 19.
    assert missed <= 19
