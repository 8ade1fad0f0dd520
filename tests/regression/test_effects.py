"""Explanations are what finite changes do to predictions."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from rankcut import (
    GPClassifier,
    GPRegressor,
    GraphCutFeatures,
    RankingClassifier,
    RankingSet,
    SimilarityGraph,
    explain,
    make_food,
)
from rankcut.errors import InputError
from rankcut.kernels import KendallFeatures

FOOD = make_food(150, noise=1.0, random_state=0)
RANKS, TARGET = FOOD.ranks, FOOD.target
N = RANKS.shape[1]
NUMBERS = RANKS[:, 0] - 0.5 * RANKS[:, 1] + np.random.default_rng(0).normal(0, 1, 150)


def prediction(model, ranks):
    """What effects are changes of: log-odds, the mean of the latent function, or the number."""
    last = model[-1] if hasattr(model, "steps") else model
    if isinstance(last, GPClassifier):
        return last.predict_latent(model[:-1].transform(ranks))[0]
    return model.predict(ranks) if not hasattr(last, "classes_") else model.decision_function(ranks)


MODELS = {
    "views": lambda: RankingClassifier(SimilarityGraph(FOOD.item_features)).fit(RANKS, TARGET),
    "gp": lambda: make_pipeline(GraphCutFeatures(), GPClassifier()).fit(RANKS, TARGET),
    "number": lambda: make_pipeline(
        GraphCutFeatures(SimilarityGraph(FOOD.item_features)), GPRegressor()
    ).fit(RANKS, NUMBERS),
    "logistic": lambda: make_pipeline(
        GraphCutFeatures(), StandardScaler(), LogisticRegression()
    ).fit(RANKS, TARGET),
    "ridge": lambda: make_pipeline(KendallFeatures(), Ridge()).fit(RANKS, NUMBERS),
}


@pytest.mark.parametrize("name", MODELS)
def test_moving_an_item_changes_the_prediction_by_its_effect(name):
    model = MODELS[name]()
    rows = RANKS[:40]
    found = explain(model, rows)
    effects = dict(zip(found.items["item"], found.items["effect"], strict=True))
    item = 2
    others = np.delete(np.arange(N), item)
    first, last = rows.astype(float), rows.astype(float)
    # Written down once more: all others keep their order, and close the gap.
    order = rows[:, others].argsort(axis=1).argsort(axis=1)
    first[:, others], first[:, item] = order + 2, 1
    last[:, others], last[:, item] = order + 1, N
    expected = (prediction(model, first) - prediction(model, last)).mean()
    assert effects[item] == pytest.approx(expected, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("name", MODELS)
def test_swapping_a_pair_changes_the_prediction_by_its_effect(name):
    model = MODELS[name]()
    row = np.arange(1.0, N + 1)[None]
    found = explain(model, row)
    effects = {(each["first"], each["second"]): each["effect"] for each in found.pairs}
    # Neighbours in this ranking: the effect is that of exchanging them.
    swapped = row.copy()
    swapped[0, [1, 2]] = swapped[0, [2, 1]]
    expected = prediction(model, row) - prediction(model, swapped)
    assert effects[1, 2] == pytest.approx(expected[0], rel=1e-8, abs=1e-10)
    # Far apart: the second comes directly after the first, or before it.
    after, before = row.copy(), row.copy()
    after[0, 4], before[0, 4] = 2.5, 1.5
    expected = prediction(model, after) - prediction(model, before)
    assert effects[1, 4] == pytest.approx(expected[0], rel=1e-8, abs=1e-10)


def test_listing_an_item_changes_the_prediction_by_its_effect():
    lists = np.where(RANKS <= 4, RANKS, np.nan)
    item = 2
    # One person lists the item alone, and would list nothing without it.
    lists[0], lists[0, item] = np.nan, 1
    model = RankingClassifier().fit(lists, TARGET)
    found = explain(model, lists[:40])
    effects = dict(zip(found.listed["item"], found.listed["effect"], strict=True))
    own = [row for row in lists[1:40] if not np.isnan(row[item])]
    without = np.array(own)
    without[:, item] = np.nan
    last = without.copy()
    last[:, item] = np.nanmax(without, axis=1) + 1
    expected = (prediction(model, last) - prediction(model, without)).mean()
    assert effects[item] == pytest.approx(expected, rel=1e-8, abs=1e-10)
    assert min(found.listed["std_error"]) > 0
    assert "Item listed last instead of not at all:\n" in found.summary()
    assert len(found.to_dict()["listed"]) == len(found.to_frame("listed")) == N


def test_effects_that_no_ranking_tells_are_not_shown():
    lists = np.full((150, N), np.nan)
    lists[np.arange(150), np.argmin(RANKS, axis=1)] = 1
    found = explain(RankingClassifier().fit(lists, TARGET), lists[:40])
    assert np.isnan(found.listed["effect"]).all()
    assert "nan" not in found.summary()
    assert "listed" not in found.summary()


def test_who_ranks_all_items_is_not_asked_what_listing_does():
    found = explain(MODELS["views"](), RANKS[:40])
    assert len(found.listed) == 0
    assert "listed" not in found.summary()
    assert list(found.to_frame("listed").columns) == ["item", "effect", "std_error"]


def test_errors_of_a_gaussian_process_are_those_of_its_weights():
    model = MODELS["number"]()
    found = explain(model, RANKS[:1])
    row = RANKS[:1].astype(float)
    first, last = row.copy(), row.copy()
    first[0, 3], last[0, 3] = 0, N + 1
    change = model[0].transform(first) - model[0].transform(last)
    draws = np.random.default_rng(1).multivariate_normal(
        model[-1].coef_, model[-1].covariance_[:-1, :-1], 20_000
    )
    errors = dict(zip(found.items["item"], found.items["std_error"], strict=True))
    # 20,000 draws: a relative error of 0.5 %.
    assert errors[3] == pytest.approx((draws @ change[0]).std(), rel=0.03)


def test_errors_of_a_classifying_process_are_those_of_its_latent_function():
    model = MODELS["gp"]()
    found = explain(model, RANKS[:1])
    first, last = RANKS[:1].astype(float), RANKS[:1].astype(float)
    first[0, 3], last[0, 3] = 0, N + 1
    ends = model[0].transform(np.vstack([first, last]))
    _, (one, other) = model[-1].predict_latent(ends)
    _, (middle,) = model[-1].predict_latent(ends.mean(axis=0, keepdims=True))
    # A linear function f: the variance of f(a) − f(b) from those at a, b and half way.
    expected = np.sqrt(2 * one + 2 * other - 4 * middle)
    errors = dict(zip(found.items["item"], found.items["std_error"], strict=True))
    assert errors[3] == pytest.approx(expected, rel=1e-6)


def test_errors_of_a_logistic_regression_are_those_of_the_information():
    model = MODELS["logistic"]()
    found = explain(model, RANKS)
    features = model[:-1].transform(RANKS)
    design = np.column_stack([features, np.ones(150)])
    p = model.predict_proba(RANKS)[:, 1]
    information = (design.T * (p * (1 - p))) @ design
    information[np.arange(N), np.arange(N)] += 1.0
    covariance = np.linalg.inv(information)[:N, :N]
    rows = RANKS[np.unique(np.linspace(0, 149, 100).astype(int))].astype(float)
    first, last = rows.copy(), rows.copy()
    first[:, 0], last[:, 0] = 0, N + 1
    change = (model[:-1].transform(first) - model[:-1].transform(last)).mean(axis=0)
    errors = dict(zip(found.items["item"], found.items["std_error"], strict=True))
    assert errors[0] == pytest.approx(np.sqrt(change @ covariance @ change), rel=1e-6)


def test_what_drives_the_number_is_on_top_and_clear():
    found = explain(MODELS["number"](), RANKS)
    assert found.items[0]["item"] == 0
    assert found.items[0]["effect"] < -4 * found.items[0]["std_error"] < 0
    assert "0: -" in found.summary()
    assert "± 95 % interval" in found.summary()
    assert found.unit == "units of the target"


def test_more_than_two_classes_have_an_effect_each():
    target = np.digitize(NUMBERS, np.quantile(NUMBERS, [1 / 3, 2 / 3]))
    model = RankingClassifier(smoothing=0).fit(RANKS, target)
    found = explain(model)
    assert len(found.items) == 3 * N
    assert set(found.items["class"]) == {0, 1, 2}
    assert "[2]" in found.summary()
    assert {text.get_text() for text in found.plot().legends[0].texts} == {"0", "1", "2"}


def test_labels_frames_and_what_is_unknown():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(RANKS, columns=list("abcdefghijklmnopqrst")[:N])
    model = make_pipeline(GraphCutFeatures(), Ridge()).fit(table, NUMBERS)
    found = explain(model, table)
    frame = found.to_frame()
    assert list(frame.columns) == ["item", "effect", "std_error"]
    assert frame["item"].isin(table.columns).all()
    assert frame["std_error"].isna().all()
    assert "not known" in found.summary()
    assert "±" not in found.summary()
    assert found.to_dict()["items"][0]["std_error"] is None
    assert list(found.to_frame("pairs").columns) == ["first", "second", "effect", "std_error"]
    assert len(found.plot().axes) == 1


def test_a_ranking_that_counts_often_is_moved_often():
    model = make_pipeline(GraphCutFeatures(unranked="last"), GPRegressor()).fit(RANKS, NUMBERS)
    lists = np.array([np.where(RANKS[0] <= 3, RANKS[0], np.nan), RANKS[1]])
    votes = RankingSet(lists, FOOD.items, counts=[3, 1])
    found, expanded, once = (
        {row["item"]: row["effect"] for row in explain(model, each).items}
        for each in (votes, lists[[0, 0, 0, 1]], lists)
    )
    assert found == pytest.approx(expanded)
    assert found != pytest.approx(once)


def test_mistakes_are_named():
    with pytest.raises(InputError, match="SVC is not a linear model"):
        explain(SVC().fit(RANKS, TARGET))
    with pytest.raises(InputError, match="X ranks 2 items"):
        explain(MODELS["gp"](), [[1, 2]])
    with pytest.raises(InputError, match="table must be"):
        explain(MODELS["gp"]()).to_frame("all")
