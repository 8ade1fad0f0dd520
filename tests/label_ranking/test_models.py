"""The parts of the default regression, each against an oracle."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor
from tolerances import assert_rounds_to

from rankcut._loops.trees import LEAF, add_leaves
from rankcut.label_ranking import kernel_ridge
from rankcut.label_ranking.combination import (
    ForestModel,
    fit_combination,
    fit_forest,
    flatten,
    weigh,
)
from rankcut.label_ranking.kernel_ridge import fit_kernel, fit_kernels, landmark_spectrum
from rankcut.label_ranking.targets import (
    Calibration,
    as_matrices,
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
    model = fit_kernel(rows, targets, weights, 0)
    expected = ridge(rows, targets, weights, model)
    np.testing.assert_allclose(model.predict(rows), expected, atol=1e-6)


def test_a_weight_is_a_number_of_copies(problem):
    rows, targets, weights = problem
    once = fit_kernel(rows, targets, weights, 0)
    copies = np.repeat(np.arange(30), weights.astype(int))
    again = fit_kernel(rows[copies], targets[copies], np.ones(len(copies)), 0)
    assert once.loss == pytest.approx(again.loss, rel=1e-6)
    np.testing.assert_allclose(once.predict(rows), again.predict(rows), atol=1e-6)


def test_left_out_predictions_are_those_of_a_fit_without_the_row(problem):
    rows, targets, _ = problem
    ones = np.ones(30)
    model = fit_kernel(rows, targets, ones, 0)
    others = np.arange(30) != 7
    own = np.array([model.penalty])
    without = refit(rows, targets, ones, others, model.lengthscale, own)
    np.testing.assert_allclose(model.left_out[7], without.predict(rows[7:8])[0], atol=1e-8)


def test_scale_and_penalty_have_the_least_error_of_rows_left_out(problem, monkeypatch):
    rows, targets, _ = problem
    ones = np.ones(30)
    scales, penalties = (0.6, 1.8, 6.0), np.array([1e-3, 0.1, 10.0])
    monkeypatch.setattr(kernel_ridge, "_SCALES", scales)
    monkeypatch.setattr(kernel_ridge, "_PENALTIES", penalties)
    model = fit_kernel(rows, targets, ones, 0)
    errors = {}
    for scale in scales:
        for penalty in penalties:
            gaps = []
            for row in range(30):
                others = np.arange(30) != row
                without = refit(
                    rows, targets, ones, others, scale * np.sqrt(3), np.array([penalty])
                )
                gaps.append(targets[row] - without.predict(rows[row : row + 1])[0])
            errors[scale * np.sqrt(3), penalty] = np.mean(np.square(gaps))
    best = min(errors, key=errors.get)
    assert (model.lengthscale, model.penalty) == pytest.approx(best)
    assert model.loss == pytest.approx(errors[best], rel=1e-6)


def test_landmarks_that_are_all_rows_give_the_exact_model(problem):
    rows, targets, weights = problem
    exact = fit_kernel(rows, targets, weights, 0)
    everyone = np.ones(30, bool)
    same = refit(rows, targets, weights, everyone, exact.lengthscale, np.array([exact.penalty]))
    np.testing.assert_allclose(same.left_out, exact.left_out, atol=1e-8)
    new = rows + 0.1
    np.testing.assert_allclose(same.predict(new), exact.predict(new), atol=1e-8)


@pytest.mark.parametrize("n_rows", [1, 2, 20])
def test_equal_rows_are_predicted_by_the_mean(n_rows):
    targets = np.arange(2.0 * n_rows).reshape(n_rows, 2)
    model = fit_kernel(np.ones((n_rows, 3)), targets, np.ones(n_rows), 0)
    found = model.predict(np.array([[1.0, 1.0, 1.0], [5.0, 0.0, 2.0]]))
    np.testing.assert_allclose(found, np.tile(targets.mean(axis=0), (2, 1)), atol=1e-9)


def test_landmarks_come_near_the_exact_model(rng, monkeypatch):
    rows = rng.uniform(-1, 1, (150, 1))
    targets = np.sin(3 * rows)
    exact = fit_kernel(rows, targets, np.ones(150), 0)
    monkeypatch.setattr(kernel_ridge, "MOST_COMPARED", 60)
    rough = fit_kernel(rows, targets, np.ones(150), 0)
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
    columns = np.array([[0, 1], [1, 0], [0, 1], [0, 1]], dtype=np.uint32)
    forest = ForestModel(*flatten([tree.tree_ for tree in trees]), columns, targets)
    order = [[0, 1], [1, 0], [0, 1], [0, 1]]
    expected = np.mean(
        [tree.predict(single)[:, own] for tree, own in zip(trees, order, strict=True)], axis=0
    )
    np.testing.assert_allclose(forest.predict(rows), expected, atol=1e-12)
    # The plain loop is the compiled one.
    plain = np.zeros_like(targets)
    add_leaves.py_func(
        single,
        forest.roots,
        forest.feature,
        forest.threshold,
        forest.left,
        forest.right,
        forest.values,
        forest.columns,
        plain,
    )
    assert_rounds_to(plain / 4, forest.predict(rows), n_terms=4)


@pytest.mark.parametrize(
    "damage",
    [
        {"left": np.zeros(3, np.uint32)},
        {"feature": np.array([7, LEAF, LEAF], dtype=np.uint32)},
        {"roots": np.array([3], dtype=np.uint32)},
        {"columns": np.array([[1]], dtype=np.uint32)},
        {"values": np.zeros((1, 1))},
        {"threshold": np.zeros(2)},
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
        "columns": np.array([[0]], dtype=np.uint32),
        "left_out": np.zeros((0, 1)),
    }
    forest = ForestModel(**whole)
    forest.check(2)
    assert forest.predict(np.array([[-1.0, 0.0], [1.0, 0.0]])).tolist() == [[1.0], [2.0]]
    with pytest.raises(ValueError, match="damaged"):
        ForestModel(**(whole | damage)).check(2)


def grown(rows, targets, weights, **options):
    """A forest of one group of targets."""
    chosen = {"groups": [np.array([0, 1])], "members": [np.arange(30)], "random": True}
    return fit_forest(rows, targets, weights, **(chosen | options), seed=0)


@pytest.mark.parametrize("random", [True, False])
def test_predictions_of_rows_left_out_are_honest(problem, random):
    rows, targets, weights = problem
    forest = grown(rows, targets, weights, n_trees=50, random=random)
    # A row's own target does not enter its left-out prediction.
    changed = targets.copy()
    changed[4] += 1000.0
    other = grown(rows, changed, weights, n_trees=50, random=random)
    assert np.abs(forest.predict(rows) - other.predict(rows))[4].max() > 100
    assert np.abs(forest.left_out[4] - other.left_out[4]).max() < 10


def test_forest_is_the_same_for_any_number_of_threads(problem):
    groups = {
        "groups": [np.array([0]), np.array([1])],
        "members": [np.arange(30), np.arange(10, 25)],
    }
    one, two = (grown(*problem, n_trees=5, n_jobs=n_jobs, **groups) for n_jobs in (1, 2))
    assert (one.left_out == two.left_out).all()
    assert (one.predict(problem[0], 1) == two.predict(problem[0], 2)).all()


def test_weights_of_models_are_the_least_squares_without_negative_ones(rng):
    predictions = [rng.normal(size=(50, 2)) for _ in range(3)]
    targets = 0.7 * predictions[0] - 0.2 * predictions[1] + rng.normal(size=(50, 2))
    weights = rng.uniform(0, 2, (50, 2))
    roots = np.sqrt(weights).ravel()
    columns = np.stack([roots * each.ravel() for each in predictions], axis=1)
    expected = lsq_linear(columns, roots * targets.ravel(), (0, np.inf), tol=1e-14).x
    np.testing.assert_allclose(weigh(predictions, targets, weights), expected, atol=1e-6)


@pytest.fixture
def incomplete(rng):
    """Signs of the pairs of three items, each of which half of the rows list."""
    rows = rng.normal(size=(60, 2))
    targets = np.column_stack([np.sign(rows[:, 0]), np.sign(rows[:, 1]), rng.choice([-1, 1], 60)])
    listed = rng.uniform(size=(60, 3)) < 0.5
    pairs = [np.array([0, 1]), np.array([0, 2]), np.array([1, 2])]
    return rows, targets, listed, pairs, told_by(listed)


def told_by(listed):
    """Which pairs a row says anything about."""
    first, second = np.triu_indices(3, 1)
    return listed[:, first] | listed[:, second]


def fit_some(rows, targets, listed, pairs):
    members = [np.flatnonzero(column) for column in listed.T]
    return fit_combination(
        rows, targets, told_by(listed), np.ones(len(rows)), pairs, members, seed=0
    )


def test_only_what_rows_tell_weighs_the_models(incomplete):
    rows, targets, listed, pairs, told = incomplete
    model = fit_some(rows, targets, listed, pairs)
    left_out = [each.left_out for each in (*model.forests, model.kernel)]
    columns = np.stack([each[told] for each in left_out], axis=1)
    wanted = (targets - model.mean)[told]
    expected = lsq_linear(columns, wanted, (0, np.inf), tol=1e-14).x
    np.testing.assert_allclose(model.weights, expected, atol=1e-6)
    np.testing.assert_allclose(model.mean, np.nanmean(np.where(told, targets, np.nan), axis=0))


def test_what_a_row_does_not_tell_changes_nothing(incomplete):
    rows, targets, listed, pairs, told = incomplete
    one = fit_some(rows, targets, listed, pairs)
    other = fit_some(rows, np.where(told, targets, 99.0), listed, pairs)
    np.testing.assert_array_equal(one.predict(rows), other.predict(rows))


def test_an_item_is_learned_from_the_rows_that_list_it(incomplete):
    rows, targets, listed, pairs, _ = incomplete
    ones = np.ones(60)
    members = [np.flatnonzero(column) for column in listed.T]
    combined = fit_some(rows, targets, listed, pairs)
    sizes = [len(each.landmarks) for each in combined.kernel.models]
    assert sizes == listed.sum(axis=0).tolist()
    whole = fit_kernels(rows, targets, ones, pairs, members, 0)
    alone = [
        fit_kernel(rows[own], targets[np.ix_(own, columns)], np.ones(len(own)), 0)
        for own, columns in zip(members, pairs, strict=True)
    ]
    first = (alone[0].predict(rows)[:, 0] + alone[1].predict(rows)[:, 0]) / 2
    np.testing.assert_allclose(whole.predict(rows)[:, 0], first, atol=1e-12)
    row = int(np.flatnonzero(listed[:, 0] & ~listed[:, 1])[0])
    at = int(np.flatnonzero(members[0] == row)[0])
    assert whole.left_out[row, 0] == pytest.approx(alone[0].left_out[at, 0])


def test_an_item_that_no_row_lists_is_predicted_by_the_others(incomplete):
    rows, targets, listed, pairs, _ = incomplete
    listed[:, 2] = False
    found = fit_some(rows, targets, listed, pairs).predict(rows)
    assert np.isfinite(found).all()
    listed[:] = [[True, False, False]]
    assert (fit_some(rows, targets, listed, pairs).predict(rows)[:, 2] == 0).all()


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


def test_no_pairs_to_calibrate_with_leaves_the_default():
    assert calibrate(np.zeros(0), np.zeros(0), np.zeros(0), 0) == Calibration()


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
