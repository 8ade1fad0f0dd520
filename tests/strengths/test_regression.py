"""Strengths by covariates against Cox models of statsmodels, and against their own laws.

R's ``coxph`` with strata and clusters agrees too, to 1e-12, for errors with Efron's ties as well;
those of statsmodels take the residuals of Breslow's ties there.
"""

import numpy as np
import pytest
from scipy.sparse import csr_array
from statsmodels.duration.hazard_regression import PHReg

from rankcut.errors import InputError
from rankcut.graphs import as_item_graph
from rankcut.rankings import read_rankings
from rankcut.strengths import fit_strengths
from rankcut.strengths.choices import Choices
from rankcut.strengths.regression import Column, SeparateLikelihood, contrasts, fit_regression


def make_ranks(rng, n_rows, n_items, n_columns=2, size=0.5):
    covariates = rng.normal(size=(n_rows, n_columns))
    effects = rng.normal(size=(n_columns, n_items)) * size
    noisy = rng.normal(size=n_items) + covariates @ effects + rng.gumbel(size=(n_rows, n_items))
    return covariates, effects, (-noisy).argsort(axis=1).argsort(axis=1) + 1.0


def by_item(covariates, n_items):
    """A constant column and the covariates, each with a coefficient for each item."""
    basis = contrasts(n_items)
    first = Column("strength", np.ones(len(covariates)), basis, True)
    return [first, *(Column(f"x{c}", own, basis, True) for c, own in enumerate(covariates.T))]


def beside_the_first(fit):
    """Coefficients and errors as those of other programs: the first item has 0."""
    n_items = fit.coefficients.shape[1]
    change = np.hstack([-np.ones((n_items - 1, 1)), np.eye(n_items - 1)])
    errors = [
        np.sqrt(np.diag(change @ fit.item_covariance(c, c) @ change.T))
        for c in range(len(fit.coefficients))
    ]
    return (fit.coefficients @ change.T).ravel(), np.concatenate(errors)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("errors", ["information", "sandwich"])
def test_coefficients_and_errors_are_those_of_a_stratified_cox_model(ties, tied, errors):
    rng = np.random.default_rng(0)
    n_rows, n_items = 120, 5
    covariates, _, ranks = make_ranks(rng, n_rows, n_items)
    ranks = np.ceil(ranks / 2) if tied else ranks
    people = np.arange(n_rows) // 2
    rankings = read_rankings(ranks, people=people)
    fit = fit_regression(rankings, by_item(covariates, n_items), ties=ties, errors=errors)
    own = np.eye(n_items)[:, 1:]
    design = np.vstack([np.hstack([own, own * x[0], own * x[1]]) for x in covariates])
    strata = np.repeat(np.arange(n_rows), n_items)
    groups = np.repeat(people, n_items) if errors == "sandwich" else None
    cox = PHReg(ranks.ravel(), design, strata=strata, ties=ties).fit(disp=0, groups=groups)
    values, found = beside_the_first(fit)
    np.testing.assert_allclose(values, cox.params, atol=1e-6)
    assert fit.log_likelihood == pytest.approx(cox.llf, abs=1e-6)
    if errors == "sandwich":
        found = found * np.sqrt(59 / 60)  # ours corrects for the number of people
    if not (errors == "sandwich" and tied and ties == "efron"):
        np.testing.assert_allclose(found, cox.bse, atol=1e-6)


def test_features_of_items_are_those_of_a_cox_model():
    rng = np.random.default_rng(1)
    covariates, _, ranks = make_ranks(rng, 100, 6, 1)
    features = rng.normal(size=(6, 2)) * [1.0, 1000.0]
    columns = [
        Column("strength", np.ones(100), features - features.mean(axis=0), False),
        Column("age", covariates[:, 0], features[:, :1] - features[:, :1].mean(), False),
    ]
    fit = fit_regression(read_rankings(ranks), columns, errors="information")
    design = np.vstack([np.hstack([features, features[:, :1] * x]) for x in covariates])
    cox = PHReg(ranks.ravel(), design, strata=np.repeat(np.arange(100), 6)).fit(disp=0)
    np.testing.assert_allclose(fit.parameters, cox.params, rtol=1e-6)
    np.testing.assert_allclose(np.sqrt(np.diag(fit.covariance)), cox.bse, rtol=1e-6)


@pytest.mark.parametrize("prior", ["none", "evidence"])
@pytest.mark.parametrize("ties", ["davidson", "exact"])
@pytest.mark.parametrize("unranked", ["anywhere", "last"])
@pytest.mark.parametrize("tied", [False, True])
def test_without_covariates_they_are_strengths(prior, ties, unranked, tied):
    rng = np.random.default_rng(2)
    _, _, ranks = make_ranks(rng, 80, 5)
    ranks = np.ceil(ranks / 2) if tied else ranks
    ranks[rng.random(ranks.shape) < 0.3] = np.nan
    rankings = read_rankings(ranks, unranked=unranked)
    options = {"prior": prior, "ties": ties, "errors": "information"}
    expected = fit_strengths(rankings, **options)
    fit = fit_regression(rankings, by_item(np.zeros((80, 0)), 5), **options)
    np.testing.assert_allclose(fit.coefficients[0], expected.theta, atol=1e-8)
    if prior == "none":
        np.testing.assert_allclose(fit.item_covariance(0, 0), expected.covariance, atol=1e-8)
    assert fit.log_ties == pytest.approx(expected.log_ties, abs=1e-6)
    assert fit.priors == [expected.prior]


def test_an_indicator_is_a_fit_of_each_group():
    rng = np.random.default_rng(3)
    ranks = [make_ranks(rng, 60, 4)[2] for _ in range(2)]
    group = np.repeat([0.0, 1.0], 60)
    fit = fit_regression(read_rankings(np.vstack(ranks)), by_item(group[:, None], 4))
    one, other = (fit_strengths(read_rankings(own), prior="none") for own in ranks)
    np.testing.assert_allclose(fit.coefficients[0], one.theta, atol=1e-8)
    np.testing.assert_allclose(fit.coefficients[1], other.theta - one.theta, atol=1e-8)


@pytest.mark.parametrize("ties", ["davidson", "exact", "efron", "breslow"])
@pytest.mark.parametrize("unranked", ["anywhere", "last"])
def test_derivatives_are_those_of_differences(ties, unranked):
    rng = np.random.default_rng(4)
    covariates, _, ranks = make_ranks(rng, 12, 4, 1)
    ranks = np.ceil(ranks / 2)
    ranks[rng.random(ranks.shape) < 0.2] = np.nan
    choices = Choices.of(read_rankings(ranks, unranked=unranked)).with_others_as_entries()
    design = np.hstack([np.ones((12, 1)), covariates])
    likelihood = SeparateLikelihood(choices, design, ties, None)
    point = rng.normal(size=8 + len(likelihood.orders) - 1)
    _, gradient, curvature = likelihood.derivatives(point)
    step = 1e-5
    for k, direction in enumerate(np.eye(len(point)) * step):
        (up, slope_up, _), (down, slope_down, _) = (
            likelihood.derivatives(point + sign * direction) for sign in (1, -1)
        )
        assert gradient[k] == pytest.approx((up - down) / 2 / step, abs=1e-6)
        np.testing.assert_allclose(curvature[k], -(slope_up - slope_down) / 2 / step, atol=1e-6)


def test_threads_and_blocks_do_not_change_a_bit(monkeypatch):
    rng = np.random.default_rng(5)
    covariates, _, ranks = make_ranks(rng, 400, 5)
    monkeypatch.setattr("rankcut.strengths.regression.AT_ONCE", 1000)
    one, two = (
        fit_regression(read_rankings(ranks), by_item(covariates, 5), n_jobs=n) for n in (1, 2)
    )
    np.testing.assert_array_equal(one.parameters, two.parameters)
    np.testing.assert_array_equal(one.covariance, two.covariance)


def test_counts_are_repeated_rows_and_only_the_ratio_of_weights_matters():
    rng = np.random.default_rng(6)
    covariates, _, ranks = make_ranks(rng, 60, 4)
    counts = rng.integers(1, 4, 60)
    counted, repeated, small, large = (
        fit_regression(read_rankings(r, **options), by_item(x, 4))
        for r, options, x in (
            (ranks, {"counts": counts}, covariates),
            (np.repeat(ranks, counts, axis=0), {}, np.repeat(covariates, counts, axis=0)),
            (ranks, {"sample_weight": counts * 1e-3}, covariates),
            (ranks, {"sample_weight": counts}, covariates),
        )
    )
    np.testing.assert_allclose(counted.parameters, repeated.parameters, atol=1e-9)
    np.testing.assert_allclose(counted.covariance, repeated.covariance, atol=1e-9)
    np.testing.assert_allclose(small.parameters, large.parameters, atol=1e-9)
    assert small.n_people == large.n_people == 60
    np.testing.assert_allclose(small.covariance, large.covariance, atol=1e-9)


def test_the_evidence_uses_a_graph_that_fits():
    rng = np.random.default_rng(7)
    n_items, n_rows = 30, 150
    wave = np.sin(2 * np.pi * np.arange(n_items) / n_items)
    group = (np.arange(n_rows) % 2).astype(float)
    noisy = np.outer(group, wave) + rng.gumbel(size=(n_rows, n_items))
    ranks = (-noisy).argsort(axis=1).argsort(axis=1) + 1.0
    ranks[rng.random(ranks.shape).argsort(axis=1) >= 5] = np.nan
    weights = np.roll(np.eye(n_items), 1, axis=1) + np.roll(np.eye(n_items), -1, axis=1)
    rankings = read_rankings(ranks, unranked="anywhere")
    columns = by_item(group[:, None], n_items)
    plain, near = (
        fit_regression(rankings, columns, prior="evidence", graph=graph)
        for graph in (None, as_item_graph(csr_array(weights)))
    )
    errors = [np.mean((fit.coefficients[1] - wave) ** 2) for fit in (plain, near)]
    assert errors[1] < errors[0] / 2
    assert near.priors[1].share > 0


def test_what_rankings_do_not_say_is_named():
    rng = np.random.default_rng(8)
    covariates, _, ranks = make_ranks(rng, 60, 4)
    both = np.column_stack([covariates[:, 0], covariates[:, 0]])
    rankings = read_rankings(ranks, items=tuple("abcd"))
    with pytest.raises(InputError, match="column 'x1' says nothing that the others do not"):
        fit_regression(rankings, by_item(both, 4))
    agreed = read_rankings(np.tile([1.0, 2, 3, 4], (20, 1)))
    with pytest.raises(InputError, match=r'the strength of . could be anything.*prior="evidence"'):
        fit_regression(agreed, by_item(np.zeros((20, 0)), 4))
    assert np.isfinite(
        fit_regression(rankings, by_item(both, 4), prior="evidence").parameters
    ).all()


def test_people_who_tell_about_a_column_are_counted():
    rng = np.random.default_rng(9)
    ranks = rng.permuted(np.tile([1.0, 2, 3, 4], (60, 1)), axis=1)
    few, number = np.arange(60) < 7, rng.normal(size=60)
    rankings = read_rankings(np.vstack([ranks, ranks]), people=np.tile(np.arange(60), 2))
    design = np.tile(np.column_stack([few, number]), (2, 1)).astype(float)
    found = fit_regression(rankings, by_item(design, 4)).n_telling
    # The residual of a column of ones or of a number, given the others, by least squares.
    full = np.column_stack([np.ones(60), few, number])
    for c in range(3):
        others = np.delete(full, c, axis=1)
        left = full[:, c] - others @ np.linalg.lstsq(others, full[:, c])[0]
        assert found[c] == pytest.approx((left**2).sum() ** 2 / (left**4).sum())
    assert 7 < found[1] < 10


def test_too_many_coefficients_are_refused():
    ranks = np.tile(np.arange(1.0, 1001), (3, 1))
    with pytest.raises(InputError, match="more than 4,096 coefficients"):
        fit_regression(read_rankings(ranks), by_item(np.zeros((3, 5)), 1000))
