"""The estimator: formulas, tables, tests, predictions, words and pictures."""

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from scipy.special import expit
from sklearn.base import clone
from statsmodels.duration.hazard_regression import PHReg

from rankcut import RankingSet, StrengthRegression
from rankcut.errors import InputError

DATA = os.environ.get("RANKCUT_DATA")
ITEMS = ("uni", "ika", "toro", "ebi")
PRICES = {"price": [4.0, 1.0, 5.0, 2.0], "kind": ["egg", "fish", "fish", "other"]}


def make_people(n_rows=400, seed=0):
    """Older people prefer uni to ika, women toro to ebi."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.uniform(20, 70, n_rows),
            "gender": rng.choice(["female", "male", "male"], n_rows),
            "region": rng.choice([1, 2, 3], n_rows),
        }
    )
    older = (table["age"].to_numpy() - 45) / 10
    female = (table["gender"] == "female").to_numpy() * 1.0
    strengths = np.outer(older, [0.25, -0.25, 0, 0]) + np.outer(female, [0, 0, 0.5, -0.5])
    noisy = strengths + rng.gumbel(size=(n_rows, 4))
    return table, RankingSet((-noisy).argsort(axis=1).argsort(axis=1) + 1.0, ITEMS)


TABLE, RANKINGS = make_people()


@pytest.fixture(scope="module")
def model():
    return StrengthRegression(on=["age", "gender"], units={"age": 10}).fit(TABLE, RANKINGS)


def test_the_table_has_a_row_for_each_column_and_item(model):
    table = model.coefficients_
    assert table["column"] == ["strength"] * 4 + ["age per 10"] * 4 + ["gender=female"] * 4
    assert table["item"] == list(ITEMS) * 3
    for start in (0, 4, 8):
        assert sum(table["estimate"][start : start + 4]) == pytest.approx(0, abs=1e-9)
    assert model.origin_ == [f"age {TABLE['age'].mean():.4g}", "gender male"]
    np.testing.assert_allclose(np.log(table["odds_ratio"]), table["estimate"])
    assert all(
        adjusted >= p for adjusted, p in zip(table["p_adjusted"], table["p_value"], strict=True)
    )
    assert list(model.to_frame()["item"]) == table["item"]
    assert isinstance(model.to_frame("tests", "polars"), pl.DataFrame)


def test_odds_ratios_are_of_two_items(model):
    table = model.odds_ratios("uni", "ika")
    assert table["column"] == ["age per 10", "gender=female"]
    rows = [row for row in model.coefficients_ if row["column"] == "age per 10"]
    assert table["estimate"][0] == pytest.approx(rows[0]["estimate"] - rows[1]["estimate"])
    assert table["low"][0] < np.exp(0.5) < table["high"][0]
    assert table["low"][0] > 1
    assert model.odds_ratios(1, "uni")["odds_ratio"][0] == pytest.approx(1 / table["odds_ratio"][0])
    with pytest.raises(InputError, match="item 'tako' is not among the 4 items"):
        model.odds_ratios("tako", "uni")


def test_units_and_references_change_the_words_and_not_the_model(model):
    other = clone(model).set_params(units="deviation", reference={"gender": "female"})
    other.fit(TABLE, RANKINGS)
    assert other.log_likelihood_ == pytest.approx(model.log_likelihood_, abs=1e-8)
    predicted = [own.predict_strengths(TABLE) for own in (model, other)]
    np.testing.assert_allclose(*predicted, atol=1e-7)
    ours, theirs = (np.array(own.coefficients_["estimate"][4:]) for own in (model, other))
    np.testing.assert_allclose(theirs[:4], ours[:4] * TABLE["age"].std(ddof=0) / 10, atol=1e-8)
    np.testing.assert_allclose(theirs[4:], -ours[4:], atol=1e-8)


def test_frames_of_two_libraries_and_arrays_are_alike(model):
    again = clone(model).fit(pl.from_pandas(TABLE), RANKINGS)
    np.testing.assert_allclose(again.fit_.parameters, model.fit_.parameters)
    numbers = np.column_stack([TABLE["age"], TABLE["gender"] == "female"]).astype(float)
    plain = StrengthRegression().fit(numbers, RANKINGS.dense())
    np.testing.assert_allclose(
        plain.predict_strengths(numbers), model.predict_strengths(TABLE), atol=1e-7
    )


def test_tests_find_what_matters_and_not_what_does_not():
    full = StrengthRegression(on=["age", "gender", "C(region)"]).fit(TABLE, RANKINGS)
    assert full.tests_["term"] == ["age", "gender", "C(region)"]
    assert full.tests_["n_coefficients"] == [3, 3, 6]
    p_values = full.tests_["p_value"]
    assert max(p_values[:2]) < 1e-4
    assert p_values[2] > 0.01
    smaller = StrengthRegression(on=["age", "gender"]).fit(TABLE, RANKINGS)
    ratio = full.likelihood_ratio_test(smaller)
    assert ratio.n_coefficients == 6
    # Both tests are of the same hypothesis, and the model is true.
    wald = full.wald_test("C(region)")
    assert ratio.statistic == pytest.approx(wald.statistic * wald.n_contrasts, rel=0.15)
    assert full.wald_test().n_contrasts == 12
    with pytest.raises(InputError, match="smaller is not a part"):
        smaller.likelihood_ratio_test(full)


def test_intervals_of_a_category_are_welchs():
    """Of two items and people who choose one, log odds of a category are two means apart."""
    rng = np.random.default_rng(1)
    group = np.repeat(["many", "few"], [60, 9])
    first = rng.random(69) < np.where(group == "few", 0.6, 0.4)
    ranks = np.where(first[:, None], [1, 2], [2, 1])
    model = StrengthRegression().fit(pd.DataFrame({"group": group}), ranks)
    row = model.odds_ratios(0, 1)[0]
    sizes = np.array([60, 9])
    shares = np.array([first[group == name].mean() for name in ("many", "few")])
    variances = 1 / ((sizes - 1) * shares * (1 - shares))
    assert row["std_error"] == pytest.approx(np.sqrt(variances.sum()))
    # As many degrees of freedom as if each group varied as the model says.
    said = 1 / (sizes * shares * (1 - shares))
    freedom = said.sum() ** 2 / (said**2 / (sizes - 1)).sum()
    reach = np.log(row["high"] / row["odds_ratio"]) / row["std_error"]
    assert reach == pytest.approx(stats.t.ppf(0.975, freedom))


def test_too_few_people_for_a_test_are_named():
    whose = np.arange(len(TABLE)) % 3
    table = TABLE.assign(town=np.where(whose == 0, "Kobe", "Nara"))
    model = StrengthRegression(on=["town"]).fit(table, RANKINGS, people=whose)
    assert np.isnan(model.tests_["p_value"][0])
    assert "So few people tell about town that there can be no test" in model.summary()
    assert not re.search(r"\b(inf|nan)\b", model.page("Votes"))
    model.plot()


def test_the_page_speaks_of_columns_as_its_sentences_do():
    table = TABLE.assign(town=np.where(np.arange(len(TABLE)) % 2, "Kobe", "Nara"))
    model = StrengthRegression(on=["town"]).fit(table, RANKINGS)
    page = model.page("Votes")
    change = model.formula_.columns[-1].change
    assert f"<h2>{change}</h2>" in page
    assert "town=" not in page


def test_twelve_people_and_a_covariate_of_people_have_a_test():
    rng = np.random.default_rng(3)
    whose = np.repeat(np.arange(12), rng.integers(3, 20, 12))
    old = (np.arange(12) % 2)[whose]
    strengths = np.outer(old, [1.5, 0, -1.5, 0])
    ranks = (-strengths - rng.gumbel(size=strengths.shape)).argsort(axis=1).argsort(axis=1) + 1.0
    model = StrengthRegression().fit(pd.DataFrame({"old": old}), ranks, people=whose)
    test = model.wald_test("old")
    assert test.n_contrasts == 3
    assert test.freedom < 12
    assert 0 < test.p_value < 0.05


def test_features_of_items_have_one_coefficient():
    model = StrengthRegression(on=["price", "C(kind)", "age:price"], item_features=PRICES)
    model.fit(TABLE, RANKINGS)
    assert model.coefficients_["column"] == ["price", "kind=egg", "kind=other", "age:price"]
    assert model.tests_["n_coefficients"] == [1, 2, 1]
    age = TABLE["age"].to_numpy()
    high, low = (model.predict_strengths(TABLE.assign(age=age + step)) for step in (1, 0))
    slope = model.coefficients_["estimate"][3]
    centred = np.array(PRICES["price"]) - 3
    np.testing.assert_allclose(high - low, np.tile(slope * centred, (len(age), 1)), atol=1e-9)
    assert "price" in model.summary()


@pytest.mark.parametrize("real", [False, True])
def test_features_alone_are_a_stratified_cox_model(real):
    """Salad dressings by their acids (Critchlow and Fligner 1991), and data of the same form."""
    acids = {"acetic": [0.5, 0.5, 1.0, 0.0], "gluconic": [0.0, 10.0, 0.0, 10.0]}
    if real and DATA is None:
        pytest.skip("RANKCUT_DATA names no data")
    design = np.column_stack(list(acids.values()))
    noisy = design @ [3.0, 0.3] + np.random.default_rng(0).gumbel(size=(32, 4))
    ranks = pd.DataFrame((-noisy).argsort(axis=1).argsort(axis=1) + 1.0)
    if real:
        ranks = pd.read_csv(Path(DATA) / "plackett-luce" / "salad.csv")
    model = StrengthRegression(on=list(acids), item_features=acids, errors="information")
    table = model.fit(pd.DataFrame(index=ranks.index), ranks).coefficients_
    strata = np.repeat(np.arange(len(ranks)), 4)
    cox = PHReg(ranks.to_numpy(float).ravel(), np.tile(design, (len(ranks), 1)), strata=strata)
    fit = cox.fit(disp=0)
    np.testing.assert_allclose(table["estimate"], fit.params, atol=1e-6)
    np.testing.assert_allclose(table["std_error"], fit.bse, atol=1e-6)


def test_predictions_follow_strengths(model):
    strengths, errors = model.predict_strengths(TABLE[:5], return_std=True)
    assert strengths.shape == errors.shape == (5, 4)
    best = model.predict(TABLE[:5])
    np.testing.assert_array_equal(best.argmin(axis=1), strengths.argmax(axis=1))
    pairs = model.predict_pairs(TABLE[:5], [("uni", "ika")])
    np.testing.assert_allclose(pairs[:, 0], expit(strengths[:, 0] - strengths[:, 1]))
    assert model.predict_pairs(TABLE[:5]).shape == (5, 4, 4)
    assert 0 < model.score(TABLE, RANKINGS) < 1
    # At the origin the errors are those of the table.
    origin = TABLE[:1].assign(age=TABLE["age"].mean(), gender="male")
    np.testing.assert_allclose(
        model.predict_strengths(origin, return_std=True)[1][0], model.coefficients_["std_error"][:4]
    )


def test_people_with_several_rankings_count_once(model):
    twice = pd.concat([TABLE, TABLE])
    ranks = np.vstack([RANKINGS.dense(), RANKINGS.dense()])
    people = np.tile(np.arange(len(TABLE)), 2)
    again = clone(model).fit(twice, ranks, people=people)
    assert again.n_people_ == len(TABLE)
    np.testing.assert_allclose(
        again.coefficients_["std_error"], model.coefficients_["std_error"], atol=1e-8
    )
    assert f"{len(TABLE)} people" in again.summary()


def test_words_say_what_a_step_means(model):
    words = model.sentences()
    about_age = [line for line in words if line.startswith("age 10 higher: uni beats ika in ")]
    assert len(about_age) == 1
    row = model.odds_ratios("uni", "ika")[0]
    assert f"the odds are {row['odds_ratio']:.2f} times as high" in about_age[0]
    assert any(line.startswith("gender female rather than male: toro beats ebi") for line in words)
    nothing = StrengthRegression(on=["C(region)"], reference={"region": 1}).fit(TABLE, RANKINGS)
    assert "region 3 rather than 1: no pair of items is clearly moved." in nothing.sentences()
    summary = model.summary()
    assert "400 rankings" in summary
    assert "sandwich errors" in summary
    assert "prior" in clone(model).set_params(prior="evidence").fit(TABLE, RANKINGS).summary()


def test_the_forest_has_a_row_for_each_item(model):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    words = [text.get_text() for text in model.plot().axes[0].texts]
    assert words[0] == "age per 10"
    assert sorted(words[: 2 + 2 * len(ITEMS)]) == sorted(
        ["age per 10", "gender=female", *ITEMS, *ITEMS]
    )


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"on": ["size"]}, "on names 'size', which is no column; the columns are 'age'"),
        ({"units": {"size": 2}}, "column 'size' has a unit or a reference, but is in no term"),
        ({"units": {"age": 0}}, "units 0 is no unit of column 'age'"),
        ({"reference": {"gender": "x"}}, "reference 'x' is not a value of column 'gender'"),
        (
            {"graph": np.ones((4, 4)), "prior": "none"},
            'graph is used by a prior only; use prior="evidence"',
        ),
        ({"item_features": {"z": [1.0]}, "on": ["z"]}, "item_features has 1 rows for 4 items"),
        ({"confidence": 1.0}, "confidence must be between 0 and 1"),
        ({"prior": "flat"}, "prior must be"),
    ],
)
def test_mistakes_are_named(parameters, said):
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        StrengthRegression(**parameters).fit(TABLE, RANKINGS)


def test_missing_and_new_values_are_named(model):
    hole = TABLE.assign(age=TABLE["age"].where(TABLE.index != 7))
    with pytest.raises(InputError, match="row 7: column 'age' has no value"):
        model.predict(hole)
    with pytest.raises(InputError, match="row 0: column 'gender' has 'x', which is not among male"):
        model.predict(TABLE[:1].assign(gender="x"))


def test_a_product_of_covariates_is_a_column_of_its_own():
    model = StrengthRegression(on=["age", "gender", "age:gender"]).fit(TABLE, RANKINGS)
    age = TABLE["age"] - TABLE["age"].mean()
    female = (TABLE["gender"] == "female") * 1.0
    made = pd.DataFrame({"age": age, "female": female, "both": age * female})
    by_hand = StrengthRegression().fit(made, RANKINGS)
    assert model.coefficients_["column"][-1] == "age:gender=female"
    assert model.log_likelihood_ == pytest.approx(by_hand.log_likelihood_, abs=1e-8)
    np.testing.assert_allclose(
        model.coefficients_["estimate"][-4:],
        by_hand.coefficients_["estimate"][-4:],
        atol=1e-8,
    )
    assert any(
        "age 1 higher and gender female rather than male" in line for line in model.sentences()
    )


@pytest.mark.parametrize("convert", [lambda table: table, pl.from_pandas])
def test_rankings_without_a_covariate_are_left_out_and_counted(convert):
    table = TABLE.copy()
    table.loc[[3, 7], "age"] = np.nan
    table.loc[11, "gender"] = None
    complete = table.notna().all(axis=1).to_numpy()
    data, full = convert(table), table[complete]
    some = StrengthRegression().fit(data, RANKINGS.dense())
    every = StrengthRegression().fit(full, RANKINGS.dense()[complete])
    np.testing.assert_allclose(some.coefficients_["estimate"], every.coefficients_["estimate"])
    assert some.notes_ == ["3 rankings without a value of what the model asks for left out."]
    assert some.n_rankings_ == complete.sum()
    with pytest.raises(InputError, match=r"row 3: column '.*' has no value"):
        some.predict_strengths(data)
    # A column that no term names may have gaps.
    assert StrengthRegression(on=["region"]).fit(data, RANKINGS).notes_ == []


def test_three_clusters_with_a_covariate_have_a_test():
    """Too few for all coefficients together: that of the clearest, adjusted for all of them."""
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(12), 10)
    treated = pd.DataFrame({"treated": (cluster < 3) * 1.0})
    tastes = 0.5 * rng.normal(size=(12, 5)) + 4 * (np.arange(12) < 3)[:, None] * np.eye(5)[0]
    ranks = (-(tastes[cluster] + rng.gumbel(size=(120, 5)))).argsort(axis=1).argsort(axis=1) + 1.0
    model = StrengthRegression().fit(treated, ranks, people=cluster)
    test = model.wald_test()
    rows = [row for row in model.coefficients_ if row["term"] == "treated"]
    assert test.p_value == pytest.approx(5 * min(row["p_value"] for row in rows), rel=1e-6)
    assert test.statistic == pytest.approx(max(row["z"] ** 2 for row in rows), rel=1e-6)
    assert test.n_contrasts == 4
    assert 0 < test.p_value < 0.05
