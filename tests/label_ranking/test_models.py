"""The parts of the default regression, each against an oracle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

from rankcut._loops.trees import LEAF
from rankcut.estimators import as_matrices
from rankcut.label_ranking import models
from rankcut.label_ranking.models import (
    ForestModel,
    fit_combination,
    fit_forest,
    fit_kernel,
    flatten,
    landmark_spectrum,
    weigh,
)
from rankcut.label_ranking.scores import (
    Calibration,
    calibrate,
    differences,
    pair_targets,
    scores_of_pairs,
)
from rankcut.rankings import read_rankings


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def problem(rng):
    rows = rng.normal(size=(30, 3))
    targets = np.column_stack([np.sin(rows[:, 0]), rows[:, 1] ** 2]) + rng.normal(0, 0.1, (30, 2))
    return rows, targets, rng.integers(1, 4, 30).astype(float)


def ridge(rows, targets, weights, model):
    """Kernel ridge with an intercept, by centring the kernel, from scikit-learn."""
    kernel = np.exp(-euclidean_distances(rows) / model.lengthscale)
    share = weights / weights.sum()
    centred = kernel - share @ kernel - (kernel @ share)[:, None] + share @ kernel @ share
    mean = share @ targets
    fitted = KernelRidge(alpha=model.penalty, kernel="precomputed")
    return mean + fitted.fit(centred, targets - mean, sample_weight=weights).predict(centred)


def refit(rows, targets, weights, some, lengthscale, penalties):
    """A fit to some rows, with all rows as landmarks."""
    spectrum = landmark_spectrum(rows[some], weights[some], rows, lengthscale)
    return spectrum.fit(targets[some], weights[some], penalties)


def test_kernel_model_is_kernel_ridge(problem):
    rows, targets, weights = problem
    model, _ = fit_kernel(rows, targets, weights, 0)
    expected = ridge(rows, targets, weights, model)
    np.testing.assert_allclose(model.predict(rows), expected, atol=1e-6)


def test_scale_and_penalty_have_the_least_error_of_rows_left_out(problem, monkeypatch):
    rows, targets, _ = problem
    ones = np.ones(30)
    scales, penalties = (0.6, 1.8, 6.0), np.array([1e-3, 0.1, 10.0])
    monkeypatch.setattr(models, "_SCALES", scales)
    monkeypatch.setattr(models, "_PENALTIES", penalties)
    model, _ = fit_kernel(rows, targets, ones, 0)
    errors = {}
    for scale in scales:
        for penalty in penalties:
            gaps = []
            for row in range(30):
                others = np.arange(30) != row
                without, _ = refit(
                    rows, targets, ones, others, scale * np.sqrt(3), np.array([penalty])
                )
                gaps.append(targets[row] - without.predict(rows[row : row + 1])[0])
            errors[scale * np.sqrt(3), penalty] = np.mean(np.square(gaps))
    best = min(errors, key=errors.get)
    assert (model.lengthscale, model.penalty) == pytest.approx(best)
    assert model.loss == pytest.approx(errors[best], rel=1e-6)


@pytest.mark.parametrize("n_rows", [1, 2, 20])
def test_equal_rows_are_predicted_by_the_mean(n_rows):
    targets = np.arange(2.0 * n_rows).reshape(n_rows, 2)
    model, _ = fit_kernel(np.ones((n_rows, 3)), targets, np.ones(n_rows), 0)
    found = model.predict(np.array([[1.0, 1.0, 1.0], [5.0, 0.0, 2.0]]))
    np.testing.assert_allclose(found, np.tile(targets.mean(axis=0), (2, 1)), atol=1e-9)


def test_landmarks_come_near_the_exact_model(rng, monkeypatch):
    rows = rng.uniform(-1, 1, (150, 1))
    targets = np.sin(3 * rows)
    exact, _ = fit_kernel(rows, targets, np.ones(150), 0)
    monkeypatch.setattr(models, "MOST_COMPARED", 60)
    rough, _ = fit_kernel(rows, targets, np.ones(150), 0)
    assert len(rough.landmarks) == 60
    assert np.abs(rough.predict(rows) - exact.predict(rows)).max() < 0.05


def test_flat_trees_predict_as_scikit_learns_do(problem):
    rows, targets, _ = problem
    single = rows.astype(np.float32)
    trees = [
        kind(min_samples_leaf=leaf, random_state=seed).fit(single, targets)
        for kind in (ExtraTreeRegressor, DecisionTreeRegressor)
        for seed, leaf in enumerate((1, 4))
    ]
    forest = flatten([tree.tree_ for tree in trees])
    expected = np.mean([tree.predict(single) for tree in trees], axis=0)
    np.testing.assert_allclose(forest.predict(rows), expected, atol=1e-12)


@pytest.mark.parametrize(
    "damage",
    [
        {"left": np.zeros(3, np.uint32)},
        {"feature": np.array([7, LEAF, LEAF], dtype=np.uint32)},
        {"roots": np.array([3], dtype=np.uint32)},
        {"values": np.zeros((1, 1))},
    ],
)
def test_damaged_trees_are_refused(damage):
    whole = {
        "roots": np.array([0], dtype=np.uint32),
        "feature": np.array([0, LEAF, LEAF], dtype=np.uint32),
        "left": np.array([1, 0, 1], dtype=np.uint32),
        "right": np.array([2, 0, 0], dtype=np.uint32),
        "threshold": np.zeros(3),
        "values": np.array([[1.0], [2.0]]),
    }
    forest = ForestModel(**whole)
    forest.check(2)
    assert forest.predict(np.array([[-1.0, 0.0], [1.0, 0.0]])).tolist() == [[1.0], [2.0]]
    with pytest.raises(ValueError, match="damaged"):
        ForestModel(**(whole | damage)).check(2)


def test_predictions_of_rows_left_out_are_honest(problem):
    rows, targets, weights = problem
    forest, left_out = fit_forest(rows, targets, weights, seed=0)
    # A row's own target does not enter its left-out prediction.
    changed = targets.copy()
    changed[4] += 1000.0
    other, others_left_out = fit_forest(rows, changed, weights, seed=0)
    assert np.abs(forest.predict(rows) - other.predict(rows))[4].max() > 100
    assert np.abs(left_out[4] - others_left_out[4]).max() < 10


def test_forest_is_the_same_for_any_number_of_threads(problem):
    one, two = (fit_forest(*problem, seed=0, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert (one[1] == two[1]).all()
    assert (one[0].predict(problem[0], 1) == two[0].predict(problem[0], 2)).all()


@given(st.integers(0, 2**32 - 1))
def test_trees_do_not_depend_on_the_order_or_direction_of_targets(seed):
    rng = np.random.default_rng(seed)
    # Few different rows and targets, so that many splits are equally good.
    rows = rng.integers(0, 3, (20, 3)).astype(float)
    targets = rng.choice([-1.0, -1 / 3, 0.0, 0.2, 1.0], (20, 6))
    order, turned = rng.permutation(6), rng.choice([-1.0, 1.0], 6)
    weights = rng.integers(1, 5, 20).astype(float)
    one, other = (
        fit_forest(rows, each, weights, seed=seed)[0]
        for each in (targets, (targets * turned)[:, order])
    )
    np.testing.assert_array_equal(other.feature, one.feature)
    np.testing.assert_array_equal(other.predict(rows), (one.predict(rows) * turned)[:, order])


def test_weights_of_models_are_the_least_squares_without_negative_ones(rng):
    predictions = [rng.normal(size=(50, 2)) for _ in range(3)]
    targets = 0.7 * predictions[0] - 0.2 * predictions[1] + rng.normal(size=(50, 2))
    weights = rng.uniform(0, 2, (50, 2))
    roots = np.sqrt(weights).ravel()
    columns = np.stack([roots * each.ravel() for each in predictions], axis=1)
    expected = lsq_linear(columns, roots * targets.ravel(), (0, np.inf), tol=1e-14).x
    np.testing.assert_allclose(weigh(predictions, targets, weights), expected, atol=1e-6)


def test_only_what_rows_tell_counts(rng):
    rows = rng.normal(size=(60, 2))
    targets = np.column_stack([np.sign(rows[:, 0]), np.sign(rows[:, 1]), rng.choice([-1, 1], 60)])
    told = rng.uniform(size=(60, 3)) < 0.5
    model, left_out = fit_combination(rows, targets, told, np.ones(60), seed=0)
    np.testing.assert_allclose(model.mean, np.nanmean(np.where(told, targets, np.nan), axis=0))
    # The weights have the least squares of what is told: the residual is orthogonal, or they are 0.
    filled = np.where(told, targets, model.mean)
    parts = [
        fit(rows, filled, np.ones(60), seed=0)[1] - model.mean for fit in (fit_forest, fit_kernel)
    ]
    slopes = np.array([((targets - left_out) * part)[told].sum() for part in parts])
    np.testing.assert_allclose(slopes[model.weights > 0], 0.0, atol=1e-6)
    assert (slopes <= 1e-6).all()
    other, _ = fit_combination(rows, np.where(told, targets, 99.0), told, np.ones(60), seed=0)
    np.testing.assert_array_equal(model.predict(rows), other.predict(rows))


def test_calibration_maximises_the_likelihood(rng):
    signs = rng.uniform(-1, 1, 20_000)
    truth = Calibration(slope=1.7, shrinkage=0.9)
    outcomes = (rng.uniform(size=20_000) < truth.probabilities(signs)).astype(float)
    found = calibrate(signs, outcomes, np.ones(20_000), 0)
    assert log_loss(outcomes, found.probabilities(signs)) <= log_loss(
        outcomes, truth.probabilities(signs)
    )
    np.testing.assert_allclose(found.probabilities(signs), truth.probabilities(signs), atol=0.02)
    np.testing.assert_allclose(found.probabilities(-signs), 1 - found.probabilities(signs))


def test_signs_and_scores_of_pairs_are_those_of_the_definition(rng):
    ranks = rng.integers(1, 4, (5, 4)).astype(float)
    targets = pair_targets(read_rankings(ranks))
    signs = np.sign(ranks[:, None, :] - ranks[:, :, None])
    first, second = np.triu_indices(4, 1)
    assert (targets.signs == signs[:, first, second]).all()
    np.testing.assert_allclose(scores_of_pairs(targets.signs, 4), signs.sum(axis=2) / 3)
    lower = ranks[:, None, :] - ranks[:, :, None]
    np.testing.assert_allclose(differences(-ranks), lower[:, first, second])
    matrices = as_matrices((1 + targets.signs) / 2, 4)
    np.testing.assert_allclose(matrices, (1 + signs) / 2)
