"""Rankings from covariates: kinds of rankings, of covariates, of models, and of answers."""

from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankcut import (
    GraphCutFeatures,
    RankingRegressor,
    to_ranking,
)
from rankcut.errors import InputError
from rankcut.kernels import KendallFeatures
from rankcut.label_ranking import kendall_score, models
from rankcut.label_ranking.covariates import fit_encoder

NAN = float("nan")
ITEMS = ["red", "green", "blue", "white"]


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    monkeypatch.setattr(models, "_TREES", 8)


@pytest.fixture(scope="module")
def people():
    """150 people: one covariate decides the order of four items, with some noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (150, 2))
    slopes = np.array([2.0, 0.5, -0.5, -2.0])
    utilities = X[:, :1] * slopes + rng.gumbel(0, 0.3, (150, 4))
    return X, (-utilities).argsort(axis=1).argsort(axis=1) + 1.0


def test_predicts_the_order_that_the_covariate_decides(people):
    X, ranks = people
    model = RankingRegressor().fit(X[:100], ranks[:100])
    assert model.score(X[100:], ranks[100:]) > 0.6
    assert model.predict([[0.9, 0], [-0.9, 0]]).tolist() == [[1, 2, 3, 4], [4, 3, 2, 1]]
    scores = model.predict_scores(X)
    assert (to_ranking(scores) == model.predict(X)).all()
    assert np.abs(scores).max() <= 1.2
    assert min(model.model_weights_.values()) >= 0


def test_pairs_are_probabilities_in_both_shapes(people):
    X, ranks = people
    model = RankingRegressor().fit(X[:100], pd.DataFrame(ranks[:100], columns=ITEMS))
    cube = model.predict_pairs(X)
    assert cube.shape == (150, 4, 4)
    np.testing.assert_allclose(cube + cube.transpose(0, 2, 1), 1.0)
    some = model.predict_pairs(X, [("red", "white"), (2, 0)])
    np.testing.assert_array_equal(some, cube[:, [0, 2], [3, 0]])
    # Calibrated: the mean probability is the share, in new rows.
    better = ranks[100:, 0] < ranks[100:, 3]
    sure = cube[100:, 0, 3] > 0.5
    assert abs(cube[100:, 0, 3][sure].mean() - better[sure].mean()) < 0.12
    with pytest.raises(InputError, match="'pink' is not among the 4 items"):
        model.predict_pairs(X, [("red", "pink")])


@pytest.mark.parametrize("kind", ["ties", "incomplete", "top-k", "sparse"])
def test_training_rankings_of_any_kind(people, kind):
    X, ranks = people
    rng = np.random.default_rng(1)
    unranked = "anywhere"
    told = ranks.copy()
    if kind == "ties":
        told = np.ceil(told / 2)
    elif kind == "top-k":
        told[told > 2] = NAN
        unranked = "last"
    else:
        told[rng.uniform(size=told.shape) < 0.4] = NAN
    if kind == "sparse":
        told = csr_array(np.nan_to_num(told))
    model = RankingRegressor(unranked=unranked).fit(X[:100], told[:100])
    assert kendall_score(ranks[100:], model.predict(X[100:])) > 0.55


def test_a_multi_output_regressor_of_ones_own_predicts_the_signs(people):
    X, ranks = people
    model = RankingRegressor(LinearRegression()).fit(X, ranks)
    first, second = np.triu_indices(4, 1)
    signs = np.sign(ranks[:, second] - ranks[:, first])
    expected = LinearRegression().fit(X, signs).predict(X)
    np.testing.assert_allclose(model._predicted(X), expected, atol=1e-9)
    weighted = make_pipeline(StandardScaler(), Ridge())
    RankingRegressor(weighted).fit(X, ranks, sample_weight=np.ones(150))


def test_features_of_ones_own_are_decoded_by_their_order(people):
    X, ranks = people
    graph = np.ones((4, 4)) - np.eye(4)
    model = RankingRegressor(Ridge(), GraphCutFeatures(graph)).fit(X, ranks)
    vectors = GraphCutFeatures(graph).fit_transform(ranks)
    expected = Ridge().fit(X, vectors).predict(X)
    np.testing.assert_allclose(model.predict_scores(X), expected, atol=1e-9)
    cube = model.predict_pairs(X)
    assert ((cube[:, 0, 1] > 0.5) == (expected[:, 0] > expected[:, 1])).all()
    with pytest.raises(InputError, match="one for each item"):
        RankingRegressor(Ridge(), KendallFeatures()).fit(X, ranks)


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_frames_with_categories_and_missing_values(library):
    rng = np.random.default_rng(4)
    town = rng.choice(["north", "south"], 120)
    age = rng.uniform(20, 80, 120)
    north = town == "north"
    ranks = np.where(north[:, None], [[1.0, 2.0, 3.0]], [[3.0, 2.0, 1.0]])
    table = library.DataFrame(
        {
            "age": [None if i % 7 == 0 else float(value) for i, value in enumerate(age)],
            "town": [None if i % 11 == 0 else str(value) for i, value in enumerate(town)],
            "member": [bool(value) for value in rng.integers(0, 2, 120)],
            "asked": [None if i == 3 else datetime(2024, 1, 1 + i % 28) for i in range(120)],
        }
    )
    labels = {"columns": ITEMS[:3]} if library is pd else {"schema": ITEMS[:3]}
    names = library.DataFrame(ranks, **labels)
    model = RankingRegressor().fit(table[:80], names[:80])
    assert model.items_ == ("red", "green", "blue")
    assert model.score(table[80:], names[80:]) > 0.8
    new = library.DataFrame(
        {"age": [30.0], "town": ["east"], "member": [True], "asked": [datetime(2025, 1, 1)]}
    )
    assert sorted(model.predict(new)[0]) == [1, 2, 3]


@pytest.mark.parametrize("estimator", [None, Ridge()])
def test_many_items_are_predicted_by_their_positions(estimator):
    rng = np.random.default_rng(6)
    X = rng.uniform(-1, 1, (60, 1))
    utilities = X * np.linspace(-1, 1, 70)
    ranks = (-utilities).argsort(axis=1).argsort(axis=1) + 1.0
    model = RankingRegressor(estimator).fit(X, ranks)
    assert model.score(X, ranks) > 0.9
    assert model.predict_pairs(X[:2]).shape == (2, 70, 70)


@pytest.mark.parametrize("unranked", ["error", "last", "anywhere"])
@pytest.mark.parametrize("n_items", [5, 18])
def test_the_order_of_the_items_does_not_matter(n_items, unranked):
    for seed in range(12 if n_items == 5 else 3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 3))
        ranks = rng.permuted(np.tile(np.arange(1.0, n_items + 1), (60, 1)), axis=1)
        if unranked != "error":
            ranks[rng.random(ranks.shape) < 0.3] = np.nan
        order = rng.permutation(n_items)
        one = RankingRegressor(unranked=unranked).fit(X, ranks).predict_scores(X)
        other = RankingRegressor(unranked=unranked).fit(X, ranks[:, order]).predict_scores(X)
        np.testing.assert_allclose(other, one[:, order], atol=1e-9)


def test_mistakes_are_named(people):
    X, ranks = people
    with pytest.raises(InputError, match="no ranking ranks any item"):
        RankingRegressor(unranked="anywhere").fit(X, np.full(ranks.shape, NAN))
    told = ranks.copy()
    told[3, 1] = NAN
    with pytest.raises(InputError, match=r"row 3: item 1 .*not ranked"):
        RankingRegressor().fit(X, told)
    with pytest.raises(InputError, match="takes no weights"):
        RankingRegressor(KNeighborsRegressor()).fit(X, ranks, sample_weight=np.ones(150))


def test_a_text_where_numbers_were_fitted_is_named_with_its_row():
    encoder = fit_encoder(pd.DataFrame({"age": [30.0, NAN, 50.0]}), np.ones(3))
    with pytest.raises(InputError, match=r"row 1: column 'age' had numbers .*'old'"):
        encoder.encode(pd.DataFrame({"age": [30.0, "old"]}))


def test_numbers_are_scaled_and_indicators_are_not():
    table = pd.DataFrame({"age": [1.0, NAN, 5.0, 9.0], "town": ["a", "b", "a", None]})
    weights = np.array([1.0, 2.0, 1.0, 1.0])
    age, missing, *towns = fit_encoder(table, weights).encode(table).T
    assert np.average(age, weights=weights) == pytest.approx(0.0)
    assert np.average(age**2, weights=weights) == pytest.approx(1.0)
    assert missing.tolist() == [0, 1, 0, 0]
    assert [town.tolist() for town in towns] == [[1, 0, 1, 0], [0, 1, 0, 0]]
