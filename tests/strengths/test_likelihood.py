"""The likelihood of strengths against its definition: products of probabilities of choices."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rankcut.rankings import read_rankings
from rankcut.strengths import ChoiceLikelihood, Choices

KINDS = ["error", "last", "anywhere"]
TIES = ["davidson", "exact", "efron", "breslow", "half"]


def groups_and_rest(row, unranked):
    """The groups that are chosen, best first, and the items that are only at choice."""
    listed = [i for i in range(len(row)) if not np.isnan(row[i])]
    groups = [[i for i in listed if row[i] == rank] for rank in sorted(set(row[listed]))]
    if unranked != "last":
        return groups, []
    if len(listed) < len(row):
        return groups, [i for i in range(len(row)) if i not in listed]
    return groups[:-1], groups[-1]


def choice_probability(chosen, at_choice, theta, log_delta, ties):
    worths = np.exp(theta)
    if ties == "davidson":
        total = sum(
            np.exp(log_delta[d]) * np.prod(worths[list(some)]) ** (1 / d)
            for d in log_delta
            for some in combinations(at_choice, d)
        )
        d = len(chosen)
        return np.exp(log_delta[d]) * np.prod(worths[chosen]) ** (1 / d) / total
    if ties == "half":
        logs = []
        for order in permutations(chosen):
            left, own = list(at_choice), 0.0
            for item in order:
                own += theta[item] - np.log(worths[left].sum())
                left.remove(item)
            logs.append(own)
        return np.exp(np.mean(logs))
    if ties == "exact":
        probability = 0.0
        for order in permutations(chosen):
            left, product = list(at_choice), 1.0
            for item in order:
                product *= worths[item] / worths[left].sum()
                left.remove(item)
            probability += product
        return probability
    gone = np.arange(len(chosen)) / len(chosen) * (ties == "efron")
    return np.prod(worths[chosen] / (worths[at_choice].sum() - gone * worths[chosen].sum()))


def log_likelihood(row, unranked, theta, log_delta, ties):
    groups, rest = groups_and_rest(row, unranked)
    total = 0.0
    for t, chosen in enumerate(groups):
        at_choice = [i for group in groups[t:] for i in group] + rest
        if len(at_choice) > 1:
            total += np.log(choice_probability(chosen, at_choice, theta, log_delta, ties))
    return total


def make_ranks(rng, unranked, tied, n_rows=9, n_items=5):
    if tied:
        ranks = rng.integers(1, 4, size=(n_rows, n_items)).astype(float)
    else:
        ranks = rng.permuted(np.tile(np.arange(1.0, n_items + 1), (n_rows, 1)), axis=1)
    if unranked == "votes":
        others = rng.permuted(np.tile(np.arange(n_items) > 1, (n_rows, 1)), axis=1)
        ranks[others] = np.nan
    elif unranked != "error":
        ranks[rng.random(ranks.shape) < 0.4] = np.nan
    return ranks


def make_likelihood(ranks, unranked, ties="davidson", weights=None):
    meaning = "anywhere" if unranked == "votes" else unranked
    rankings = read_rankings(ranks, unranked=meaning, sample_weight=weights)
    return ChoiceLikelihood(Choices.of(rankings), ties)


CASES = [
    *((kind, False, "davidson") for kind in KINDS),
    *((kind, True, ties) for kind in [*KINDS, "votes"] for ties in TIES),
    ("votes", False, "davidson"),
]


@pytest.mark.parametrize(("unranked", "tied", "ties"), CASES)
def test_the_likelihood_is_the_product_of_its_choices(unranked, tied, ties):
    rng = np.random.default_rng(0)
    ranks = make_ranks(rng, unranked, tied)
    likelihood = make_likelihood(ranks, unranked, ties)
    parameters = rng.normal(size=likelihood.n_parameters)
    sizes = likelihood.orders[1:].tolist()
    log_delta = {1: 0.0, **dict(zip(sizes, parameters[5:], strict=True))}
    expected = [log_likelihood(row, unranked, parameters[:5], log_delta, ties) for row in ranks]
    np.testing.assert_allclose(likelihood.scores(parameters).values, expected, atol=1e-11)
    assert likelihood.derivatives(parameters)[0] == pytest.approx(sum(expected), abs=1e-10)


@pytest.mark.parametrize(("unranked", "tied", "ties"), CASES)
def test_derivatives_are_those_of_the_value(unranked, tied, ties):
    rng = np.random.default_rng(1)
    weights = rng.integers(1, 4, size=9)
    likelihood = make_likelihood(make_ranks(rng, unranked, tied), unranked, ties, weights)
    parameters = rng.normal(size=likelihood.n_parameters)
    _, gradient, curvature = likelihood.derivatives(parameters)
    step = 1e-5 * np.eye(len(parameters))
    rises = [
        (likelihood.value(parameters + s) - likelihood.value(parameters - s)) / 2e-5 for s in step
    ]
    bends = [
        (likelihood.derivatives(parameters - s)[1] - likelihood.derivatives(parameters + s)[1])
        / 2e-5
        for s in step
    ]
    np.testing.assert_allclose(gradient, rises, atol=1e-6)
    np.testing.assert_allclose(curvature, bends, atol=1e-6)
    scores = likelihood.scores(parameters)
    np.testing.assert_allclose(scores.added(weights), gradient, atol=1e-10)
    np.testing.assert_allclose(weights @ scores.added(np.eye(9)), gradient, atol=1e-10)
    some, counts = csr_array(rng.random((4, 9)).round()), np.array([1.0, 2.0, 1.0, 5.0])
    rows = scores.added(some)
    expected = (rows * counts[:, None]).T @ rows
    np.testing.assert_allclose(scores.squares(some, counts), expected, atol=1e-10)
    each = [
        likelihood.scores(parameters - s).rows(0, 9) - likelihood.scores(parameters + s).rows(0, 9)
        for s in step
    ]
    whole = replace(likelihood, choices=likelihood.choices.with_others_as_entries())
    values, _, curvatures = whole.grouped(parameters, np.arange(9), 9)
    bends_each = np.stack(each, axis=1) * weights[:, None, None] / 2e-5
    np.testing.assert_allclose(curvatures, bends_each, atol=1e-6)
    np.testing.assert_allclose(values, scores.values, atol=1e-10)
    value, slope, sparse = whole.sparse_derivatives(parameters)
    assert value == pytest.approx(weights @ values, abs=1e-10)
    np.testing.assert_allclose(slope, gradient, atol=1e-10)
    np.testing.assert_allclose(sparse.toarray(), curvature, atol=1e-10)


@pytest.mark.parametrize("unranked", KINDS)
def test_products_without_a_matrix_are_those_of_the_matrix(unranked):
    rng = np.random.default_rng(2)
    likelihood = make_likelihood(make_ranks(rng, unranked, False), unranked)
    parameters, vector = rng.normal(size=(2, 5))
    value, gradient, curvature = likelihood.derivatives(parameters)
    same_value, same_gradient, slope = likelihood.slope(parameters)
    assert same_value == pytest.approx(value)
    np.testing.assert_allclose(same_gradient, gradient, atol=1e-12)
    np.testing.assert_allclose(slope.diagonal, np.diag(curvature), atol=1e-12)
    np.testing.assert_allclose(slope.product(vector), curvature @ vector, atol=1e-12)


def test_large_ties_among_many_items_do_not_overflow():
    ranks = np.repeat([1.0, 2.0], [180, 220])[None, :]
    likelihood = make_likelihood(ranks, "error")
    value, gradient, curvature = likelihood.derivatives(np.zeros(likelihood.n_parameters))
    # Sets of one size are equally probable: one of them is chosen, then all that is left.
    assert np.isfinite(value)
    np.testing.assert_allclose(gradient[:180], gradient[0])
    np.testing.assert_allclose(curvature @ np.append(np.ones(400), [0, 0]), 0, atol=1e-9)


def test_a_tiny_rest_is_not_lost_to_rounding():
    """Two unlisted items whose worth is 1e-18 of all: their share is still exact."""
    ranks = np.array([[1.0, 2.0, np.nan, np.nan]])
    theta = np.array([40.0, -1.0, -1.0, -2.0])
    values = make_likelihood(ranks, "last").scores(theta).values
    assert values[0] == pytest.approx(log_likelihood(ranks[0], "last", theta, {1: 0.0}, "davidson"))


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from(CASES))
def test_items_may_come_in_any_order(seed, case):
    unranked, tied, ties = case
    rng = np.random.default_rng(seed)
    ranks = make_ranks(rng, unranked, tied)
    order = rng.permutation(5)
    one = make_likelihood(ranks, unranked, ties)
    other = make_likelihood(ranks[:, order], unranked, ties)
    parameters = rng.normal(size=one.n_parameters)
    moved = np.append(parameters[:5][order], parameters[5:])
    np.testing.assert_allclose(
        other.scores(moved).values, one.scores(parameters).values, atol=1e-10
    )


def test_threads_do_not_change_a_bit():
    rng = np.random.default_rng(3)
    for tied in (False, True):
        rankings = read_rankings(make_ranks(rng, "last", tied, 300, 7), unranked="last")
        one, two = (ChoiceLikelihood(Choices.of(rankings), n_jobs=n) for n in (1, 2))
        parameters = rng.normal(size=one.n_parameters)
        for a, b in zip(one.derivatives(parameters), two.derivatives(parameters), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("unranked", ["last", "anywhere"])
def test_squares_of_short_lists_need_no_rows(unranked):
    rng = np.random.default_rng(3)
    places = rng.random((12, 200)).argsort(axis=1) + 1.0
    likelihood = make_likelihood(np.where(places <= 3, places, np.nan), unranked, "davidson")
    scores = likelihood.scores(rng.normal(size=likelihood.n_parameters))
    assert scores.is_sparse
    some, counts = csr_array(rng.random((5, 12)).round()), np.arange(1.0, 6.0)
    rows = scores.added(some)
    expected = (rows * counts[:, None]).T @ rows
    np.testing.assert_allclose(scores.squares(some, counts), expected, atol=1e-10)
