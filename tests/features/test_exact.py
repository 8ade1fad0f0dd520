"""The mean over all completions, against brute force."""

import numpy as np
import oracles
import pytest
from hypothesis import given
from maps import flat_features, flat_vectors
from numpy.testing import assert_allclose, assert_array_equal
from strategies import incomplete_cases


def mean(weights, row, **options):
    options = {"completions": "exact", **options}
    return flat_vectors(row[None], weights, unranked="anywhere", **options)[0]


def rounding(weights):
    return 1e-12 * max(weights.sum(), np.finfo(float).tiny)


@given(case=incomplete_cases(most=5))
def test_equals_brute_force(case):
    weights, row = case
    expected = oracles.mean_over_completions(weights, row, oracles.features)
    for algorithm in ("table", "sparse", "dense"):
        got = mean(weights, row, algorithm=algorithm)
        assert_allclose(got, expected, rtol=0, atol=rounding(weights))


@given(case=incomplete_cases())
def test_reversing_flips_the_sign(case):
    weights, row = case
    forward, backward = mean(weights, row), mean(weights, -row)
    assert_allclose(backward, -forward, rtol=0, atol=rounding(weights))


@given(case=incomplete_cases())
def test_relabelling_permutes(case):
    weights, row = case
    new = np.random.default_rng(len(row)).permutation(len(row))
    moved = mean(weights[np.ix_(new, new)], row[new])
    assert_allclose(moved, mean(weights, row)[new], rtol=0, atol=rounding(weights))


@given(case=incomplete_cases())
def test_sums_to_zero(case):
    weights, row = case
    assert abs(mean(weights, row).sum()) <= rounding(weights)


@pytest.mark.parametrize("ranked", [[], [2], [1, 3]])
def test_nothing_is_known_of_the_order_of_one_group(ranked):
    row = np.full(5, np.nan)
    row[ranked] = 1
    weights = np.arange(25.0).reshape(5, 5)
    got = mean(weights + weights.T, row)
    expected = oracles.mean_over_completions(weights + weights.T, row, oracles.features)
    assert_array_equal(got, np.zeros(5))
    assert_allclose(expected, 0, atol=1e-13)


def test_more_completions_than_a_block_holds():
    # 4^8 completions of 11 items are many blocks of about 1,500.
    rng = np.random.default_rng(0)
    upper = np.triu(rng.random((11, 11)), 1)
    weights = upper + upper.T
    row = np.full(11, np.nan)
    row[[0, 4, 7]] = [2, 1, 3]
    sampled, report = (
        flat_features(weights, unranked="anywhere", completions="sampled", tolerance=1e-3)
        .fit(row[None])
        .transform_with_report(row[None])
    )
    difference = np.abs(mean(weights, row) - sampled[0])
    assert (difference < 5 * report.standard_error[0]).all()


def test_too_many_completions_are_refused():
    ranks = np.full((3, 40), np.nan)
    ranks[:2] = np.arange(40)
    ranks[1, 39] = np.nan  # few completions, and the next has many
    ranks[2, :10] = np.arange(10)
    with pytest.raises(ValueError, match=r"row 2: there are about 10\^31 completions, too many"):
        flat_vectors(ranks, np.ones((40, 40)), unranked="anywhere", completions="exact")
