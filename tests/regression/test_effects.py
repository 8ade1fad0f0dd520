"""Explanations are what finite changes do to predictions."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit
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
    ViewFeatures,
    explain,
    make_food,
)
from rankcut.errors import InputError
from rankcut.kernels import KendallFeatures
from rankcut.regression import effects

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
def test_moving_an_item_or_a_pair_changes_the_prediction_by_its_effect(name):
    model = MODELS[name]()
    rows = RANKS[:40]
    found = explain(model, rows)
    by_item = dict(zip(found.items["item"], found.items["effect"], strict=True))
    item = 2
    others = np.delete(np.arange(N), item)
    first, last = rows.astype(float), rows.astype(float)
    # Written down once more: all others keep their order, and close the gap.
    order = rows[:, others].argsort(axis=1).argsort(axis=1)
    first[:, others], first[:, item] = order + 2, 1
    last[:, others], last[:, item] = order + 1, N
    expected = (prediction(model, first) - prediction(model, last)).mean()
    assert by_item[item] == pytest.approx(expected, rel=1e-8, abs=1e-10)
    # So does swapping a pair.
    row = np.arange(1.0, N + 1)[None]
    found = explain(model, row)
    by_pair = {(each["first"], each["second"]): each["effect"] for each in found.pairs}
    # Neighbours in this ranking: the effect is that of exchanging them.
    swapped = row.copy()
    swapped[0, [1, 2]] = swapped[0, [2, 1]]
    expected = prediction(model, row) - prediction(model, swapped)
    assert by_pair[1, 2] == pytest.approx(expected[0], rel=1e-8, abs=1e-10)
    # Far apart: the second comes directly after the first, or before it.
    after, before = row.copy(), row.copy()
    after[0, 4], before[0, 4] = 2.5, 1.5
    expected = prediction(model, after) - prediction(model, before)
    assert by_pair[1, 4] == pytest.approx(expected[0], rel=1e-8, abs=1e-10)


def test_listing_an_item_changes_the_prediction_by_its_effect():
    lists = np.where(RANKS <= 4, RANKS, np.nan)
    item = 2
    # One person lists the item alone, and would list nothing without it.
    lists[0], lists[0, item] = np.nan, 1
    model = RankingClassifier().fit(lists, TARGET)
    found = explain(model, lists[:40])
    by_item = dict(zip(found.listed["item"], found.listed["effect"], strict=True))
    own = [row for row in lists[1:40] if not np.isnan(row[item])]
    without = np.array(own)
    without[:, item] = np.nan
    last = without.copy()
    last[:, item] = np.nanmax(without, axis=1) + 1
    expected = (prediction(model, last) - prediction(model, without)).mean()
    assert by_item[item] == pytest.approx(expected, rel=1e-8, abs=1e-10)
    assert min(explain(model, lists, TARGET).listed["std_error"]) > 0
    assert "Item listed last instead of not at all:\n" in found.summary()
    assert repr(found).startswith("Explanation(The largest effect of a place: ")
    assert "<table" in found._repr_html_()
    assert len(found.to_dict()["listed"]) == len(found.to_frame("listed")) == N


def test_effects_that_no_ranking_tells_are_not_shown():
    lists = np.full((150, N), np.nan)
    lists[np.arange(150), np.argmin(RANKS, axis=1)] = 1
    found = explain(RankingClassifier().fit(lists, TARGET), lists[:40])
    assert np.isnan(found.listed["effect"]).all()
    assert "nan" not in found.summary()
    assert "listed" not in found.summary()
    # Who ranks all items is not asked what listing does.
    found = explain(MODELS["views"](), RANKS[:40])
    assert len(found.listed) == 0
    assert "listed" not in found.summary()
    assert list(found.to_frame("listed").columns) == ["item", "effect", "std_error"]


def with_and_without_shrinkage(model, targets):
    """Effects of items by their column, as the model predicts them and as estimated."""
    return ({row["item"]: row for row in explain(model, RANKS, y).items} for y in (None, targets))


def moved_first(item):
    """How Borda positions change, as a mean over the rankings that are moved."""
    rows = RANKS[np.unique(np.linspace(0, 149, 100).astype(int))].astype(float)
    first, last = rows.copy(), rows.copy()
    first[:, item], last[:, item] = 0, N + 1
    return (last.argsort(1).argsort(1) - first.argsort(1).argsort(1)).mean(axis=0)


def test_effects_on_a_number_are_those_of_least_squares():
    model = make_pipeline(GraphCutFeatures(), GPRegressor()).fit(RANKS, NUMBERS)
    shrunk, found = with_and_without_shrinkage(model, NUMBERS)
    # Ranks of all items add up, so that one of them says nothing.
    design = np.column_stack([-RANKS[:, 1:], np.ones(150)])
    inverse = np.linalg.inv(design.T @ design)
    weights = inverse @ design.T @ NUMBERS
    leverages = np.einsum("ij,jk,ik->i", design, inverse, design)
    left_out = (NUMBERS - design @ weights) / (1 - leverages)
    covariance = inverse @ (design.T * left_out**2) @ design @ inverse
    for item in range(N):
        change = np.append(moved_first(item)[1:], 0.0)
        assert found[item]["effect"] == pytest.approx(change @ weights)
        assert found[item]["std_error"] == pytest.approx(np.sqrt(change @ covariance @ change))
    assert abs(shrunk[0]["effect"]) < abs(found[0]["effect"])
    assert np.isnan(shrunk[0]["std_error"])


def test_effects_on_a_class_are_those_of_the_likelihood_times_jeffreys_prior():
    """Firth's logistic regression, as the maximum of a function."""
    model = MODELS["logistic"]()
    _, found = with_and_without_shrinkage(model, TARGET)
    design = np.column_stack([-RANKS[:, 1:], np.ones(150)])
    design[:, :-1] -= design[:, :-1].mean(axis=0)

    def information(weights):
        p = expit(design @ weights)
        return (design.T * (p * (1 - p))) @ design

    def loss(weights):
        likelihood = log_expit(np.where(TARGET, 1, -1) * (design @ weights)).sum()
        return -likelihood - 0.5 * np.linalg.slogdet(information(weights))[1]

    weights = minimize(loss, np.zeros(N), method="BFGS", options={"gtol": 1e-7}).x
    covariance = np.linalg.inv(information(weights))
    for item in range(N):
        change = np.append(moved_first(item)[1:], 0.0)
        assert found[item]["effect"] == pytest.approx(change @ weights, abs=1e-4)
        expected = np.sqrt(change @ covariance @ change)
        assert found[item]["std_error"] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("last", [GPClassifier(), LogisticRegression()])
def test_a_class_that_can_be_told_without_error_has_finite_effects(last):
    target = RANKS[:, 0] < RANKS[:, 1]
    model = make_pipeline(GraphCutFeatures(), last).fit(RANKS, target)
    _, found = with_and_without_shrinkage(model, target)
    assert 0 < found[0]["std_error"] < found[0]["effect"] < 100
    unit = "probit scale" if isinstance(last, GPClassifier) else "log-odds"
    assert explain(model, RANKS, target).unit == unit


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("size", [0.0, 0.1, 0.4])
def test_intervals_hold(classes, size):
    """For items that matter and for items that do not; see benchmarks/regression."""
    inside = []
    for seed in range(60):
        rng = np.random.default_rng([seed, classes])
        ranks = rng.permuted(np.tile(np.arange(1.0, 7.0), (120, 1)), axis=1)
        scores = size * (ranks[:, 1] - ranks[:, 0])
        if classes:
            y = rng.random(120) < expit(scores)
            model = RankingClassifier(smoothing=0).fit(ranks, y)
        else:
            y = scores + rng.normal(size=120)
            model = make_pipeline(ViewFeatures(smoothing=0), GPRegressor()).fit(ranks, y)
        # Moving one of them by five places moves the other by one, one time in five.
        truth = size * np.array([6, -6, 0, 0, 0, 0])
        for row in explain(model, ranks, y).items:
            inside.append(abs(row["effect"] - truth[row["item"]]) < 1.96 * row["std_error"])
    # 360 intervals of 60 samples: a standard error of at most 0.02.
    assert np.mean(inside) > 0.93 - 2 * 0.02


def test_few_rankings_and_many_items_have_no_intervals(monkeypatch):
    few = explain(MODELS["number"](), RANKS[:13], NUMBERS[:13])
    assert np.isnan(few.items["std_error"]).all()
    assert "too few rankings for 7 directions" in few.summary()
    monkeypatch.setattr(effects, "_MOST_PRODUCTS", 1000)
    assert "too many items" in explain(MODELS["number"](), RANKS, NUMBERS).summary()


def test_counts_are_repeated_rows():
    model = MODELS["gp"]()
    counts = np.arange(150) % 3 + 1
    votes = RankingSet(RANKS, tuple(range(N)), counts=counts)
    repeated = np.repeat(np.arange(150), counts)
    one, other = explain(model, votes, TARGET), explain(model, RANKS[repeated], TARGET[repeated])
    for name in ("effect", "std_error"):
        np.testing.assert_allclose(one.items[name], other.items[name], rtol=1e-6)


def test_more_than_two_classes_have_an_effect_each():
    target = np.digitize(NUMBERS, np.quantile(NUMBERS, [1 / 3, 2 / 3]))
    model = RankingClassifier(smoothing=0).fit(RANKS, target)
    found = explain(model)
    assert len(found.items) == 3 * N
    assert set(found.items["class"]) == {0, 1, 2}
    assert "[2]" in found.summary()
    assert [text.get_text() for text in found.plot().axes[0].texts[:3]] == ["0", "1", "2"]


def test_labels_frames_and_what_is_unknown():
    table = pd.DataFrame(RANKS, columns=list("abcdefgh"))
    model = make_pipeline(GraphCutFeatures(), Ridge()).fit(table, NUMBERS)
    found = explain(model, table)
    frame = found.to_frame()
    assert list(frame.columns) == ["item", "effect", "std_error"]
    assert frame["item"].isin(table.columns).all()
    assert frame["std_error"].isna().all()
    assert "intervals need X and y" in found.summary()
    assert "±" not in found.summary()
    assert found.to_dict()["items"][0]["std_error"] is None
    assert list(found.to_frame("pairs").columns) == ["first", "second", "effect", "std_error"]
    assert len(found.plot().axes) == 1


def test_intervals_are_as_sure_as_one_asks():
    model = make_pipeline(GraphCutFeatures(), GPRegressor()).fit(RANKS, NUMBERS)
    found = explain(model, RANKS, NUMBERS, confidence=0.5)
    assert found.reach == pytest.approx(0.6744897501960817)  # the upper quartile
    row = found.items[0]
    assert f"{row['effect']:+.3g} ± {found.reach * row['std_error']:.3g}" in found.summary()
    assert "± 50 % interval" in found.summary()
    assert found.to_dict()["confidence"] == 0.5
    assert found.picture().said.endswith("Lines: 50 % intervals.")
    with pytest.raises(InputError, match="confidence must be between 0 and 1"):
        explain(model, confidence=1.0)


def test_mistakes_are_named():
    with pytest.raises(InputError, match="SVC is not a linear model"):
        explain(SVC().fit(RANKS, TARGET))
    with pytest.raises(InputError, match="X ranks 2 items"):
        explain(MODELS["gp"](), [[1, 2]])
    with pytest.raises(InputError, match="table must be"):
        explain(MODELS["gp"]()).to_frame("all")
