"""Gaussian process classification: what it predicts, and where it stops."""

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline

from rankcut import GPClassifier, MallowsKernel, graph_cut_features, make_food


@pytest.fixture(scope="module")
def food():
    data = make_food(400, noise=1.0, random_state=3)
    return data.ranks, data.target


def test_probabilities_beat_a_plugged_in_mean_and_add_up(food):
    X, y = graph_cut_features(food[0]), food[1]
    model = GPClassifier().fit(X[:40], y[:40])
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-15)
    mean, variance = model.predict_latent(X)
    assert (variance > 0).all()
    np.testing.assert_allclose(model.decision_function(X), mean / np.sqrt(1 + variance))
    plugged_in = 1e-3 + (1 - 2e-3) * ndtr(mean)
    assert log_loss(y[40:], probabilities[40:]) < log_loss(y[40:], plugged_in[40:])


def test_classes_can_be_weighed(food):
    X, y = graph_cut_features(food[0])[:80], food[1][:80]
    by_class = GPClassifier(class_weight={0: 1, 1: 3}).fit(X, y)
    by_row = GPClassifier().fit(X, y, sample_weight=np.where(y == 1, 3, 1))
    np.testing.assert_allclose(by_class.predict_proba(X), by_row.predict_proba(X), atol=1e-6)


def test_many_rows_start_from_some_and_end_at_the_same_maximum(monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(20_000, 4)).astype(np.float32)
    y = (X @ [1, 0.5, 0, -1] + rng.normal(size=20_000) > 0.5).astype(int)
    from_some = GPClassifier().fit(X, y)
    monkeypatch.setattr("rankcut.gp.weight_space.MOST_COMPARED", 10**9)
    from_nothing = GPClassifier().fit(X, y)
    assert from_some.elbo_trace_[0][0] > from_nothing.elbo_trace_[0][0]
    assert from_some.elbo_ == pytest.approx(from_nothing.elbo_, rel=1e-10)
    np.testing.assert_allclose(from_some.coef_, from_nothing.coef_, atol=1e-5)


def test_threads_and_memory_maps_give_the_same_bits(tmp_path):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30_000, 5))
    y = (X[:, 0] + rng.normal(size=30_000) > 0).astype(int)
    np.save(tmp_path / "features.npy", X)
    mapped = np.load(tmp_path / "features.npy", mmap_mode="r")
    one = GPClassifier().fit(X, y)
    many = GPClassifier(n_jobs=3).fit(mapped, y)
    np.testing.assert_array_equal(one.coef_, many.coef_)
    np.testing.assert_array_equal(one.covariance_, many.covariance_)
    np.testing.assert_array_equal(one.predict_proba(X), many.predict_proba(mapped))


def test_strings_and_three_classes():
    X, y = (part[::2] for part in load_iris(return_X_y=True))
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = GPClassifier().fit(X, names)
    assert set(model.predict(X)) == set(names)
    assert model.score(X, names) > 0.9
    assert model.predict_proba(X).shape == model.decision_function(X).shape == (75, 3)
    assert len(model.elbo_trace_) == len(model.kernel_variance_) == 3
    assert model.elbo_ == pytest.approx(sum(trace[-1] for trace in model.elbo_trace_))
    likely = model.classes_[np.argmax(model.predict_proba(X), axis=1)]
    np.testing.assert_array_equal(model.predict(X), likely)


def test_separable_data_is_learned_with_confidence_and_constants_by_the_share_of_each_class():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]]).repeat(20, axis=0)
    y = (X[:, 0] > 0).astype(int)
    model = GPClassifier().fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.predict_proba([[2.0]])[0, 1] > 0.95
    assert np.isfinite(model.elbo_)
    y = np.arange(300) % 3 == 0
    for rows in (np.full((300, 2), 3.0), np.zeros((300, 2))):
        model = GPClassifier().fit(rows, y)
        assert model.predict_proba(rows[:1])[0, 1] == pytest.approx(1 / 3, abs=0.02)


@pytest.mark.parametrize(("n_rows", "n_columns", "least"), [(900, 30, 0.0), (12_000, 20, 0.2)])
def test_little_noise_is_learned_in_few_steps(n_rows, n_columns, least):
    """Away from its maximum the bound is not concave; the ascent must not depend on it there."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    signal = X @ rng.normal(size=n_columns) / np.sqrt(n_columns)
    y = (signal + 0.01 * rng.normal(size=n_rows) > least).astype(int)
    model = GPClassifier().fit(X, y)  # a ConvergenceWarning would be an error
    assert model.n_iter_ < 40
    assert model.score(X, y) > 0.98


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="one class, 'a'"):
        GPClassifier().fit(np.eye(3), ["a", "a", "a"])
    with pytest.raises(ValueError, match="class 1 have weight 0"):
        GPClassifier().fit(np.eye(3), [0, 0, 1], sample_weight=[1, 1, 0])
    wrong = {"kernel_variance": 0.0, "constant_variance": -1.0, "tol": 0, "max_iter": 0}
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=f"{name} must be"):
            GPClassifier(**{name: value}).fit(np.eye(4), [0, 1, 0, 1])


def test_too_few_steps_warn_with_the_remedy(food):
    X, y = graph_cut_features(food[0]), food[1]
    for options in ({}, {"kernel_variance": 1.0, "constant_variance": 1.0}):
        with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
            model = GPClassifier(max_iter=2, **options).fit(X, y)
        assert model.score(X, y) > 0.6


def test_features_of_a_kernel_have_its_bound(food):
    ranks, y = food[0][:120], food[1][:120]
    kernel = MallowsKernel(0.1)
    features = Nystroem(kernel=kernel, n_components=120)
    model = make_pipeline(features, GPClassifier(tol=1e-10)).fit(ranks, y)
    root = np.linalg.cholesky(kernel(ranks) + 1e-12 * np.eye(120))
    assert model[-1].elbo_ == pytest.approx(GPClassifier(tol=1e-10).fit(root, y).elbo_, rel=1e-6)
    assert model.score(food[0][120:], food[1][120:]) > 0.6
