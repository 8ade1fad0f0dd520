"""Plackett–Luce and Bradley–Terry models against published results and other programs."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.discrete.conditional_models import ConditionalLogit

from rankcut import BradleyTerry, PlackettLuce, RankingSet
from rankcut.errors import InputError
from rankcut.rankings import read_rankings
from rankcut.strengths import fit_strengths

# American League, 1987 (Agresti, Categorical Data Analysis): wins and losses at home against each
# of the other teams, in their order.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
AT_HOME = (
    "43 42 43 61 42 60",
    "33 42 43 60 61 43",
    "25 43 24 43 42 60",
    "33 51 25 43 42 61",
    "51 25 33 42 52 60",
    "25 33 34 43 42 24",
    "25 15 16 24 16 34",
)


def baseball():
    games = []
    for home, results in zip(TEAMS, AT_HOME, strict=True):
        others = [team for team in TEAMS if team != home]
        for away, (won, lost) in zip(others, results.split(), strict=True):
            games += [(home, away, home)] * int(won) + [(home, away, away)] * int(lost)
    return pd.DataFrame(games, columns=["home_team", "away_team", "winner"])


def estimates(model):
    return {row["item"] or row["term"]: row["estimate"] for row in model.coefficients_}


def test_baseball_is_as_published():
    plain = BradleyTerry(reference="Baltimore", errors="information").fit(baseball())
    published = {"Milwaukee": 1.581, "Detroit": 1.436, "Toronto": 1.294, "New York": 1.248}
    published |= {"Boston": 1.108, "Cleveland": 0.684, "Baltimore": 0.0}
    assert {name: round(value, 3) for name, value in estimates(plain).items()} == published
    model = BradleyTerry(adjust="home", reference="Baltimore", errors="information").fit(baseball())
    row = model.coefficients_[len(TEAMS)]
    assert (row["term"], round(row["estimate"], 3), round(row["std_error"], 4)) == (
        "home", 0.302, 0.1309,
    )  # fmt: skip
    test = model.likelihood_ratio_test(plain)
    assert (round(test.statistic, 2), test.n_coefficients) == (5.41, 1)
    assert model.wald_test("home").p_value == pytest.approx(2 * stats.norm.sf(row["z"]))
    assert model.aic_ == pytest.approx(2 * 7 - 2 * model.log_likelihood_)
    assert "Items are compared with Baltimore." in model.summary()


def make_choices(rng, n_rows=300, n_items=4):
    """Choices from sets of items with a price each, and other people's covariate."""
    price = rng.normal(size=(n_rows, n_items)) * 2
    theta = np.linspace(-0.5, 0.5, n_items)
    noisy = theta - 0.6 * price + rng.gumbel(size=(n_rows, n_items))
    return price, (-noisy).argsort(axis=1).argsort(axis=1) + 1.0


def test_features_within_a_choice_are_those_of_a_conditional_logit():
    rng = np.random.default_rng(0)
    price, ranks = make_choices(rng)
    first = np.where(ranks == 1, 1.0, np.nan)
    model = PlackettLuce(unranked="last", errors="information").fit(first, shown={"price": price})
    n_rows, n_items = ranks.shape
    design = np.column_stack([np.tile(np.eye(n_items)[:, 1:], (n_rows, 1)), price.ravel()])
    groups = np.repeat(np.arange(n_rows), n_items)
    logit = ConditionalLogit((ranks == 1).ravel().astype(float), design, groups=groups)
    values = np.array([row["estimate"] for row in model.coefficients_])
    at = np.append(values[1:n_items] - values[0], values[n_items])
    # Its search ends early, so its derivatives are compared rather than its estimates.
    np.testing.assert_allclose(logit.score(at), 0, atol=1e-6)
    assert model.log_likelihood_ == pytest.approx(logit.loglike(at), abs=1e-6)
    error = np.sqrt(np.diag(np.linalg.inv(-logit.hessian(at)))[-1])
    assert model.coefficients_[n_items]["std_error"] == pytest.approx(error, abs=1e-6)


@pytest.mark.skipif("RANKCUT_DATA" not in os.environ, reason="RANKCUT_DATA names no data")
def test_fishing_is_as_published():
    """R's mlogit: ``mlogit(mode ~ price + catch, Fishing)``."""
    table = pd.read_csv(Path(os.environ["RANKCUT_DATA"]) / "choices" / "fishing.csv.gz")
    wide = {name: table.pivot(index="id", columns="alt", values=name) for name in table.columns[2:]}
    first = wide["choice"].where(wide["choice"] == 1).astype(float)
    shown = {name: wide[name].to_numpy() for name in ("price", "catch")}
    model = PlackettLuce(unranked="last", reference="beach", errors="information")
    model.fit(first, shown=shown)
    published = {"boat": 0.8713749, "charter": 1.4988884, "pier": 0.3070552, "beach": 0}
    published |= {"price": -0.0247896, "catch": 0.3771689}
    assert estimates(model) == pytest.approx(published, abs=1e-6)
    assert model.log_likelihood_ == pytest.approx(-1230.8, abs=0.05)


def test_features_may_be_given_in_any_way():
    rng = np.random.default_rng(1)
    price, ranks = make_choices(rng, 60, 3)
    whole = PlackettLuce().fit(ranks, shown={"price": price})
    stacked = PlackettLuce().fit(ranks, shown={"price": price[:, :, None]})
    row, item = np.indices(price.shape).reshape(2, -1)
    table = pd.DataFrame({"row": row, "item": item, "price": price.ravel()})
    long = PlackettLuce(adjust=["price"]).fit(ranks, shown=table.sample(frac=1, random_state=0))
    by_place = PlackettLuce().fit(ranks, shown={"price": lambda place: place}, positions=price)
    for other in (stacked, long, by_place):
        np.testing.assert_allclose(
            other.coefficients_["estimate"], whole.coefficients_["estimate"], atol=1e-9
        )


def test_a_place_of_votes_is_a_function_of_it():
    games = baseball()
    named = BradleyTerry(adjust="home").fit(games)
    function = BradleyTerry().fit(games, shown={"home": lambda place: place == 0})
    np.testing.assert_allclose(
        function.coefficients_["estimate"], named.coefficients_["estimate"], atol=1e-9
    )


def test_plain_strengths_are_those_of_fit_strengths():
    rng = np.random.default_rng(2)
    _, ranks = make_choices(rng, 80)
    model = PlackettLuce(prior="evidence").fit(ranks)
    fit = fit_strengths(read_rankings(ranks))
    np.testing.assert_allclose(model.strengths_.theta, fit.theta)
    np.testing.assert_allclose(model.strengths_.standard_errors, fit.standard_errors)


def test_an_item_that_wins_always_has_a_prior_and_a_note():
    ranks = [[1, 2, 3], [1, 3, 2], [1, 2, 3]]
    model = PlackettLuce(items=["uni", "ika", "ebi"]).fit(ranks)
    assert model.prior_ == "evidence"
    assert model.notes_[0].startswith("The strength of 'uni' could be anything")
    with pytest.raises(InputError, match="could be anything"):
        PlackettLuce(prior="none").fit(ranks)


def test_contexts_and_time_and_covariates_take_columns_of_a_table():
    rng = np.random.default_rng(3)
    _, ranks = make_choices(rng, 200)
    about = pd.DataFrame(
        {
            "town": rng.choice(["Oslo", "Rome"], 200),
            "age": rng.normal(40, 10, 200),
            "when": rng.choice([2020, 2021, 2022], 200),
        }
    )
    model = PlackettLuce(by="town", on=["age"]).fit(ranks, about=about)
    assert list(model.contexts_) == ["Oslo", "Rome"]
    assert set(model.tables()) == {"coefficients", "tests", "contexts"}
    assert np.isnan(model.aic_)
    assert 0 <= model.wald_test("age").p_value <= 1
    over = PlackettLuce(over="when").fit(ranks, about=about)
    assert over.over_time_.periods == (2020, 2021, 2022)
    assert len(over.tables()["over_time"]) == 12
    assert "a strength moves by" in over.summary() or "do not move" in over.summary()
    for each in (model, over):
        assert each.picture().scene.shapes
    known = RankingSet(ranks, tuple("abcd"), columns={"town": about["town"].to_numpy(object)})
    assert list(PlackettLuce(by="town").fit(known).contexts_) == ["Oslo", "Rome"]


def test_rankings_of_which_something_is_missing_are_left_out_and_counted():
    rng = np.random.default_rng(4)
    price, ranks = make_choices(rng, 100)
    about = {"age": np.where(np.arange(100) < 10, np.nan, rng.normal(size=100))}
    price[20, 1] = np.nan
    model = PlackettLuce(on=["age"]).fit(ranks, about=about, shown={"price": price})
    assert model.n_rankings_ == 89
    assert model.notes_ == ["11 rankings without a value of what the model asks for left out."]
    some = np.delete(np.arange(10, 100), 10)
    again = PlackettLuce(on=["age"]).fit(
        ranks[some], about={"age": about["age"][some]}, shown={"price": price[some]}
    )
    np.testing.assert_allclose(
        again.coefficients_["estimate"], model.coefficients_["estimate"], atol=1e-8
    )


@pytest.mark.parametrize(
    ("options", "data", "message"),
    [
        ({"by": "town"}, {}, "by names 'town'; beside the rankings, columns are none"),
        ({"adjust": "price"}, {}, "such as 'price_0'"),
        ({"adjust": "cost"}, {"shown": {"price": np.ones((4, 2))}}, "what was shown has 'price'"),
        ({}, {"shown": {"price": np.ones((2, 2))}}, r"has the shape \(2, 2\)"),
        ({}, {"shown": {"slot": np.sign}}, "a function of the place"),
        ({"reference": "nobody"}, {}, "is not among the items"),
        ({"graph": np.ones((2, 2))}, {}, "is used by a prior only"),
        ({"over": "when"}, {"about": {"when": ["now"] * 4}}, "neither a date nor a number"),
    ],
)
def test_what_cannot_be_used_is_named(options, data, message):
    settings = {"prior": "none"} if "graph" in options else {}
    with pytest.raises(InputError, match=message):
        PlackettLuce(**options, **settings).fit([[1, 2], [2, 1], [1, 2], [1, 2]], **data)


def test_votes_have_two_items():
    with pytest.raises(InputError, match=r"row 1: 3 items are ranked.*use PlackettLuce"):
        BradleyTerry(unranked="anywhere").fit([[1, 2, np.nan], [1, 2, 3]])


def test_independence_holds_in_the_model_and_not_where_it_is_broken():
    rng = np.random.default_rng(5)
    theta = np.array([1.0, 0.5, 0.0, -0.5])
    ranks = (-(theta + rng.gumbel(size=(400, 4)))).argsort(axis=1).argsort(axis=1) + 1.0
    test = PlackettLuce().fit(ranks).iia_test()
    assert test.n_contrasts == 3
    assert test.p_value > 0.05
    # The first two items are much alike: people choose one kind first, then the other one of it.
    kind = rng.random(400) < 0.5
    broken = np.where(kind[:, None], [1.0, 2.0, 3.0, 4.0], [3.0, 4.0, 1.0, 2.0])
    swapped = rng.random(400) < 0.3
    broken[swapped] = broken[swapped][:, [1, 0, 3, 2]]
    noisy = rng.random(400) < 0.3
    broken[noisy] = np.argsort(rng.random((int(noisy.sum()), 4)), axis=1) + 1.0
    assert PlackettLuce().fit(broken).iia_test().p_value < 0.001
    counted = PlackettLuce().fit(ranks[:50], counts=np.full(50, 2)).iia_test()
    repeated = PlackettLuce().fit(np.repeat(ranks[:50], 2, axis=0)).iia_test()
    assert counted.p_value == pytest.approx(repeated.p_value)
    with pytest.raises(InputError, match="none is later"):
        BradleyTerry().fit(baseball()).iia_test()


def test_contexts_beside_time_are_those_of_the_last_period():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 4, 2000)
    second = (first + 1 + rng.integers(0, 3, 2000)) % 4
    language, year = rng.choice(["en", "de"], 2000), rng.integers(2020, 2024, 2000)
    strength = np.array([0.0, 0.5, 1.0, 1.5])
    # In German the first model is better, and the second gets better in time.
    extra = (language == "de")[:, None] * np.eye(4)[0] + 0.3 * (year - 2023)[:, None] * np.eye(4)[1]
    worths = (strength + extra)[np.arange(2000), np.stack([first, second])]
    won = rng.random(2000) < 1 / (1 + np.exp(worths[1] - worths[0]))
    votes = {"model_a": first, "model_b": second, "winner": np.where(won, "model_a", "model_b")}
    model = PlackettLuce(by="language", over="year").fit(
        pd.DataFrame(votes | {"language": language, "year": year})
    )
    for name, better in (("en", 0.0), ("de", 1.0)):
        found, true = model.contexts_[name], strength + better * np.eye(4)[0]
        assert_allclose(found.theta, true - true.mean(), atol=4 * found.standard_errors.max())
        assert found.standard_errors.max() < 0.2


def test_a_feature_whose_name_ends_in_a_digit_is_found():
    games = baseball().assign(x1_home=1.5, x1_away=np.arange(273) % 3)
    model = BradleyTerry(adjust=["x1"]).fit(games)
    assert model.terms_.keys() == {"strength", "x1"}


@pytest.mark.parametrize(
    ("feature", "says"),
    [("same", "'same' never differs"), ("double", "says nothing"), ("result", "could be anything")],
)
def test_features_that_cannot_be_told_are_named(feature, says):
    rng = np.random.default_rng(6)
    games = baseball().assign(size_home=rng.normal(size=273), size_away=0.0)
    won = (games["winner"] == games["home_team"]).to_numpy(float)
    home = {"same": 1.0, "double": 2 * games["size_home"], "result": won}[feature]
    away = {"same": 1.0, "double": 0.0, "result": 1 - won}[feature]
    games = games.assign(**{f"{feature}_home": home, f"{feature}_away": away})
    with pytest.raises(InputError, match=says):
        BradleyTerry(adjust=["size", feature]).fit(games)
