"""Sums over rankings in blocks give what all rankings in memory give."""

from functools import partial

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from rankcut import Consensus, RankingBlocs, compare_groups, make_mallows
from rankcut.dask import add_up, merged
from rankcut.errors import InputError
from rankcut.rankings import read_rankings
from rankcut.strengths import ChoiceLikelihood, Choices, fit_strengths

NAMES = ["ann", "bob", "cy", "dan", "eve"]
CENTERS = [[1, 2, 3, 4, 5], [5, 4, 2, 1, 3]]
FULL = make_mallows(400, 5, phi=0.5, centers=CENTERS, random_state=0).ranks
SHORT = np.where(FULL <= 3, FULL, np.nan)
TOWNS = np.where(np.arange(400) % 3 == 0, "Kobe", "Nara")


def lazy(ranks, rows=70):
    return da.from_array(ranks, chunks=(rows, -1))


@pytest.mark.parametrize(("ranks", "unranked"), [(FULL, "error"), (SHORT, "last")])
def test_answers_from_blocks_have_the_bits_of_all_rankings(ranks, unranked):
    votes = merged(lazy(ranks), unranked=unranked)
    assert votes.counts.sum() == 400
    assert len(votes) < 121
    one = Consensus("borda").fit(votes)
    other = Consensus("borda", unranked=unranked).fit(ranks)
    np.testing.assert_array_equal(one.scores_, other.scores_)
    np.testing.assert_array_equal(one.rank_intervals_, other.rank_intervals_)
    strengths = [fit_strengths(read_rankings(each, unranked=unranked)) for each in (votes, ranks)]
    np.testing.assert_array_equal(*(fit.theta for fit in strengths))
    np.testing.assert_array_equal(*(fit.standard_errors for fit in strengths))
    blocs = RankingBlocs().fit(votes), RankingBlocs(unranked=unranked).fit(ranks)
    assert blocs[0].n_blocs_ == blocs[1].n_blocs_ == 2
    np.testing.assert_array_equal(*(model.strengths_ for model in blocs))


def test_what_stands_beside_rankings_keeps_them_apart():
    frame = pd.DataFrame(FULL, columns=NAMES)
    parts = dd.from_pandas(frame, npartitions=4)
    counts = 1 + np.arange(400) % 2
    towns = dd.from_pandas(pd.Series(TOWNS), npartitions=4)
    votes = merged(
        da.from_array(FULL, chunks=(100, -1)),
        items=NAMES,
        counts=counts,
        beside={"town": da.from_array(TOWNS, chunks=100)},
    )
    assert votes.items == tuple(NAMES)
    for town in ("Kobe", "Nara"):
        assert votes.counts[votes.columns["town"] == town].sum() == counts[town == TOWNS].sum()
    options = {"n_permutations": 99}
    one = compare_groups(votes, votes.columns["town"], **options)
    other = compare_groups(np.repeat(FULL, counts, axis=0), np.repeat(TOWNS, counts), **options)
    assert one.p_value == other.p_value
    # A frame has names, and its columns beside are series.
    framed = merged(parts, beside={"town": towns})
    assert (framed.items, framed.counts.sum()) == (tuple(NAMES), 400)


def test_empty_blocks_and_sparse_blocks():
    halves = [FULL[:0], SHORT[:200], FULL[:0], SHORT[200:]]
    arrays = [da.from_array(half, chunks=(50, -1)) for half in halves]
    votes = merged(da.concatenate(arrays), unranked="anywhere")
    whole = read_rankings(SHORT, unranked="anywhere").merged().rankings
    assert sorted(votes.counts.tolist()) == sorted(whole.counts.astype(int).tolist())
    with pytest.raises(InputError, match="all blocks are empty"):
        merged(da.from_array(FULL[:0], chunks=(5, -1)))
    with pytest.raises(ValueError, match="X has 400 rows and counts has 3"):
        merged(lazy(FULL), counts=[1, 2, 3])


def test_gradients_and_curvatures_of_strengths_are_sums():
    """Newton's method, a pass over the blocks for each step."""

    def derivatives(block, theta):
        likelihood = ChoiceLikelihood(Choices.of(read_rankings(block)))
        return likelihood.derivatives(theta)

    theta = np.zeros(5)
    for _ in range(8):
        _, gradient, information = add_up(partial(derivatives, theta=theta), lazy(FULL))
        theta = theta + np.linalg.solve(information + 1.0, gradient)
    expected = fit_strengths(read_rankings(FULL), prior="none").theta
    np.testing.assert_allclose(theta - theta.mean(), expected, atol=1e-9)


def test_sums_of_numbers_arrays_and_what_stands_beside():
    weights = np.linspace(0, 1, 400)
    total = add_up(lambda rows, weight: weight @ rows, lazy(FULL), weights)
    np.testing.assert_allclose(total, weights @ FULL, rtol=1e-13)
    total, number = add_up(lambda rows: (rows.sum(axis=0), len(rows)), lazy(FULL))
    np.testing.assert_array_equal(total, FULL.sum(axis=0))
    assert number == 400
