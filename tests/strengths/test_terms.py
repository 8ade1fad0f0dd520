"""Strengths by covariates against Cox models of statsmodels, and against their own laws.

R's ``coxph`` with strata and clusters agrees too, to 1e-12, for errors with Efron's ties as well;
those of statsmodels take the residuals of Breslow's ties there.
"""

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array
from statsmodels.duration.hazard_regression import PHReg

from rankcut.errors import InputError
from rankcut.graphs import as_item_graph
from rankcut.rankings import read_rankings
from rankcut.strengths import ChoiceLikelihood, Choices, fit_strengths
from rankcut.strengths.designs import covariate, feature, items
from rankcut.strengths.terms import fit_terms


def make_ranks(rng, n_rows, n_items, n_columns=2, size=0.5):
    covariates = rng.normal(size=(n_rows, n_columns))
    effects = rng.normal(size=(n_columns, n_items)) * size
    noisy = rng.normal(size=n_items) + covariates @ effects + rng.gumbel(size=(n_rows, n_items))
    return covariates, effects, (-noisy).argsort(axis=1).argsort(axis=1) + 1.0


def by_item(covariates):
    """Strengths, and covariates with a coefficient for each item."""
    return [items(), *(covariate(f"x{c}", own) for c, own in enumerate(covariates.T))]


def coefficients(fit):
    """Coefficients of each term by item, of shape (n_terms, n_items)."""
    return fit.parameters[: fit.places[-1].stop].reshape(-1, fit.n_items)


def beside_the_first(fit):
    """Coefficients and errors as those of other programs: the first item has 0."""
    change = np.hstack([-np.ones((fit.n_items - 1, 1)), np.eye(fit.n_items - 1)])
    contrasts = [change @ fit.of_items([c], [1.0]) for c in range(len(fit.places))]
    values, errors, _ = fit.estimates(np.vstack(contrasts))
    return values, errors


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
    fit = fit_terms(rankings, by_item(covariates), ties=ties, errors=errors)
    own = np.eye(n_items)[:, 1:]
    design = np.vstack([np.hstack([own, own * x[0], own * x[1]]) for x in covariates])
    strata = np.repeat(np.arange(n_rows), n_items)
    groups = np.repeat(people, n_items) if errors == "sandwich" else None
    cox = PHReg(ranks.ravel(), design, strata=strata, ties=ties).fit(disp=0, groups=groups)
    values, found = beside_the_first(fit)
    np.testing.assert_allclose(values, cox.params, atol=1e-6)
    assert fit.log_likelihood == pytest.approx(cox.llf, abs=1e-6)
    if errors == "information":
        np.testing.assert_allclose(found, cox.bse, atol=1e-6)
    elif not (tied and ties == "efron"):
        # Ours are corrected for what each of the sixty people contributes.
        assert (found > cox.bse).all()
        np.testing.assert_allclose(found, cox.bse, rtol=0.06)


def test_features_of_items_are_those_of_a_cox_model():
    rng = np.random.default_rng(1)
    covariates, _, ranks = make_ranks(rng, 100, 6, 1)
    features = rng.normal(size=(6, 2)) * [1.0, 1000.0]
    columns = [
        feature("z0", lambda _, which: features[which, 0]),
        feature("z1", np.tile(features[:, 1], (100, 1))),
        feature("age", covariates * features[:, 0]),
    ]
    fit = fit_terms(read_rankings(ranks), columns, errors="information")
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
    fit = fit_terms(rankings, by_item(np.zeros((80, 0))), **options)
    np.testing.assert_allclose(coefficients(fit)[0], expected.theta, atol=1e-8)
    np.testing.assert_allclose(fit.covariance[:5, :5], expected.covariance, atol=1e-8)
    assert fit.log_ties == pytest.approx(expected.log_ties, abs=1e-6)
    assert fit.priors == [expected.prior]


def test_an_indicator_is_a_fit_of_each_group():
    rng = np.random.default_rng(3)
    ranks = [make_ranks(rng, 60, 4)[2] for _ in range(2)]
    group = np.repeat([0.0, 1.0], 60)
    fit = fit_terms(read_rankings(np.vstack(ranks)), by_item(group[:, None]))
    one, other = (fit_strengths(read_rankings(own), prior="none") for own in ranks)
    np.testing.assert_allclose(coefficients(fit)[0], one.theta, atol=1e-8)
    np.testing.assert_allclose(coefficients(fit)[1], other.theta - one.theta, atol=1e-8)


@pytest.mark.parametrize("ties", ["davidson", "exact", "efron", "breslow", "half"])
def test_derivatives_by_a_design_are_those_of_differences(ties):
    rng = np.random.default_rng(4)
    _, _, ranks = make_ranks(rng, 12, 4, 1)
    ranks = np.ceil(ranks / 2)
    ranks[rng.random(ranks.shape) < 0.2] = np.nan
    choices = Choices.of(read_rankings(ranks, unranked="last")).with_others_as_entries()
    design = csr_array(rng.normal(size=(len(choices.items), 3)))
    likelihood = ChoiceLikelihood(choices, ties, design=design)
    point = rng.normal(size=likelihood.n_parameters)
    _, gradient, curvature = likelihood.derivatives(point)
    np.testing.assert_allclose(likelihood.scores(point).added(np.ones(12)), gradient, atol=1e-10)
    step = 1e-5
    for k, direction in enumerate(np.eye(len(point)) * step):
        (up, slope_up, _), (down, slope_down, _) = (
            likelihood.derivatives(point + sign * direction) for sign in (1, -1)
        )
        assert gradient[k] == pytest.approx((up - down) / 2 / step, abs=1e-6)
        np.testing.assert_allclose(curvature[k], -(slope_up - slope_down) / 2 / step, atol=1e-6)


def test_threads_do_not_change_a_bit():
    rng = np.random.default_rng(5)
    covariates, _, ranks = make_ranks(rng, 400, 5)
    one, two = (fit_terms(read_rankings(ranks), by_item(covariates), n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.parameters, two.parameters)
    np.testing.assert_array_equal(one.covariance, two.covariance)


def test_counts_are_repeated_rows_and_only_the_ratio_of_weights_matters():
    rng = np.random.default_rng(6)
    covariates, _, ranks = make_ranks(rng, 60, 4)
    counts = rng.integers(1, 4, 60)
    counted, repeated, small, large = (
        fit_terms(read_rankings(r, **options), by_item(x))
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
    columns = by_item(group[:, None])
    plain, near = (
        fit_terms(rankings, columns, prior="evidence", graph=graph)
        for graph in (None, as_item_graph(csr_array(weights)))
    )
    errors = [np.mean((coefficients(fit)[1] - wave) ** 2) for fit in (plain, near)]
    assert errors[1] < errors[0] / 2
    assert near.priors[1].share > 0


def test_what_rankings_do_not_say_is_named():
    rng = np.random.default_rng(8)
    covariates, _, ranks = make_ranks(rng, 60, 4)
    both = np.column_stack([covariates[:, 0], covariates[:, 0]])
    rankings = read_rankings(ranks, items=tuple("abcd"))
    with pytest.raises(InputError, match="column 'x1' says nothing that the others do not"):
        fit_terms(rankings, by_item(both))
    agreed = read_rankings(np.tile([1.0, 2, 3, 4], (20, 1)))
    with pytest.raises(InputError, match=r'the strength of . could be anything.*prior="evidence"'):
        fit_terms(agreed, by_item(np.zeros((20, 0))))
    assert np.isfinite(fit_terms(rankings, by_item(both), prior="evidence").parameters).all()


def root_of(matrix):
    """The symmetric root of a matrix, which may be singular."""
    values, vectors = np.linalg.eigh(matrix)
    return vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T


def corrected_by_the_book(likelihood, point, whose):
    """CR2 as Bell and McCaffrey write it, by least squares of rankings' roots of information.

    The information of a ranking is XᵀX, and its score Xᵀe.
    """
    n_rows = likelihood.choices.n_rankings
    _, _, curvatures = likelihood.grouped(point, np.arange(n_rows), n_rows)
    gradients = likelihood.scores(point).rows(0, n_rows)
    inverse = np.linalg.pinv(curvatures.sum(axis=0))
    middle = np.zeros_like(inverse)
    pulls, rows = [], []
    for person in np.unique(whose):
        own = np.flatnonzero(whose == person)
        x = np.vstack([root_of(curvatures[r]) for r in own])
        e = np.concatenate([np.linalg.pinv(root_of(curvatures[r])) @ gradients[r] for r in own])
        left = np.eye(len(x)) - x @ inverse @ x.T
        values, vectors = np.linalg.eigh((left + left.T) / 2)
        adjusted = (
            vectors
            @ np.diag(np.where(values > 1e-9, np.maximum(values, 1e-9) ** -0.5, 0))
            @ vectors.T
        )
        score = x.T @ adjusted @ e
        middle += np.outer(score, score)
        pulls.append(x.T @ adjusted)
        rows.append(x)
    return inverse @ middle @ inverse, inverse, pulls, rows


def test_errors_of_few_people_are_those_of_the_book():
    rng = np.random.default_rng(11)
    ranks = make_ranks(rng, 24, 4, 1)[2]
    whose = np.repeat(np.arange(6), [1, 2, 3, 4, 6, 8])
    covariates = (whose % 2).astype(float)[:, None] + 0.1 * rng.normal(size=(24, 1))
    fit = fit_terms(read_rankings(ranks, people=whose), by_item(covariates))
    design = np.zeros((24, 4, 8))
    choices = Choices.of(read_rankings(ranks))
    for item in range(4):
        design[:, item, item], design[:, item, 4 + item] = 1.0, covariates[:, 0]
    entries = design[choices.owners(), choices.items]
    likelihood = ChoiceLikelihood(choices, design=csr_array(entries))
    expected, inverse, pulls, rows = corrected_by_the_book(likelihood, fit.parameters, whose)
    np.testing.assert_allclose(fit.covariance, expected, atol=1e-7)
    # Degrees of freedom: of a sum of squares of normal numbers, whose covariance is that of
    # residuals.
    contrast = fit.of_items([1], [1.0])[0]
    whole = np.vstack(rows)
    residual = np.eye(len(whole)) - whole @ inverse @ whole.T
    ends = np.cumsum([0, *map(len, rows)])
    weights = np.zeros((len(rows), len(whole)))
    for g, pull in enumerate(pulls):
        weights[g, ends[g] : ends[g + 1]] = contrast @ inverse @ pull
    spread = weights @ residual @ weights.T
    freedom = np.trace(spread) ** 2 / (spread**2).sum()
    assert fit.estimates(contrast)[2][0] == pytest.approx(freedom)
    one = fit.wald(contrast)
    assert one.freedom == pytest.approx(freedom)
    value, error, _ = fit.estimates(contrast)
    assert one.statistic == pytest.approx((value[0] / error[0]) ** 2)
    assert one.p_value == pytest.approx(2 * stats.t.sf(abs(value[0] / error[0]), freedom))


def test_tests_of_few_people_hold_their_level():
    """Eleven people with two to twelve rankings, a covariate of people, no effect."""
    rng = np.random.default_rng(12)
    whose = np.repeat(np.arange(11), rng.integers(2, 13, size=11))
    p_values = []
    for _ in range(150):
        ranks = rng.permuted(np.tile([1.0, 2, 3], (len(whose), 1)), axis=1)
        group = rng.permutation(np.arange(11) % 2).astype(float)[whose]
        fit = fit_terms(read_rankings(ranks, people=whose), by_item(group[:, None]))
        p_values.append(fit.wald(fit.of_items([1], [1.0])).p_value)
    # Within three errors of five in a hundred.
    assert np.mean(np.array(p_values) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)
    assert np.mean(np.array(p_values) <= 0.5) > 0.3


def test_too_many_coefficients_are_refused():
    ranks = np.tile(np.arange(1.0, 1001), (3, 1))
    with pytest.raises(InputError, match="6,000 coefficients, and more than 4,096 need a prior"):
        fit_terms(read_rankings(ranks), by_item(np.zeros((3, 5))))
