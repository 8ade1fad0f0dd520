"""Part-worths: found again, the same as of items with attributes, from tables of many kinds."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rankcut import Conjoint, RankingSet, Utilities
from rankcut.errors import InputError, RankingFileError
from rankcut.files.tables import frame_blocks
from rankcut.utilities.profiles import ProfileColumns, looks_like_profiles

BRANDS = np.array(["Ada", "Bea", "Cy"])
WORTHS = np.array([1.0, 0.0, -1.0])


def survey(n_people=80, n_tasks=10, n_shown=3, seed=0, none=False):
    """Choices by people with part-worths of brands, a price, and perhaps none of these."""
    rng = np.random.default_rng(seed)
    brands = WORTHS + rng.normal(size=(n_people, 3))
    brands -= brands.mean(axis=1, keepdims=True)
    price = -0.8 + 0.4 * rng.normal(size=n_people)
    nothing = rng.normal(size=n_people)
    rows = []
    for person in range(n_people):
        for task in range(n_tasks):
            shown = rng.integers(3, size=n_shown)
            prices = rng.integers(1, 6, size=n_shown)
            worth = brands[person, shown] + price[person] * prices
            worth = np.append(worth, nothing[person] + price[person] * 3) if none else worth
            chosen = np.argmax(worth + rng.gumbel(size=len(worth)))
            for place in range(n_shown):
                cells = [BRANDS[shown[place]], float(prices[place]), int(place == chosen)]
                rows.append([person + 1, task + 1, place + 1, *cells])
            if none:
                rows.append([person + 1, task + 1, n_shown + 1, None, None, int(chosen == n_shown)])
    names = ["resp.id", "ques", "alt", "brand", "price", "choice"]
    return pd.DataFrame(rows, columns=names), np.column_stack([brands, price]), nothing


TABLE, TRUTH, _ = survey()


@pytest.fixture(scope="module")
def model():
    return Conjoint().fit(TABLE)


def test_part_worths_are_found_again_within_their_intervals(model):
    assert model.coefficients_ == ("brand: Ada", "brand: Bea", "brand: Cy", "price")
    within = np.abs(model.part_worths_ - TRUTH) < 1.96 * model.errors_
    assert 0.9 < within.mean() < 0.99
    # They are as far off as they say, and nearer than if all people were alike.
    misses = np.mean((model.part_worths_ - TRUTH) ** 2, axis=0)
    assert_allclose(misses, np.mean(model.errors_**2, axis=0), rtol=0.35)
    assert (misses < TRUTH.var(axis=0)).all()
    assert_allclose(model.part_worths_[:, :3].sum(axis=1), 0, atol=1e-9)
    table = model.to_frame("coefficients")
    mean = TRUTH.mean(axis=0)
    assert ((table["low"] < mean) & (mean < table["high"])).sum() >= 3


def test_a_unit_of_a_number_is_worth_the_same_on_any_scale(model):
    cents = Conjoint().fit(TABLE.assign(price=100 * TABLE["price"]))
    assert_allclose(cents.part_worths_[:, 3], model.part_worths_[:, 3] / 100, rtol=1e-6)
    assert_allclose(cents.errors_[:, 3], model.errors_[:, 3] / 100, rtol=1e-6)
    assert_allclose(cents.importance().means, model.importance().means, rtol=1e-6)
    ours, theirs = model.worth("price"), cents.worth("price")
    assert_allclose(theirs.of_average, 100 * ours.of_average, rtol=1e-6)


def test_levels_alone_are_items_with_an_attribute():
    """A choice among brands is a choice among items whose only attribute is the brand."""
    rng = np.random.default_rng(3)
    tastes = rng.normal(size=(30, 5))
    rows, ranks = [], np.full((180, 5), np.nan)
    for number in range(180):
        person, shown = number // 6, rng.choice(5, 3, replace=False)
        chosen = shown[np.argmax(tastes[person, shown] + rng.gumbel(size=3))]
        ranks[number, shown] = 2
        ranks[number, chosen] = 1
        rows += [[person, number % 6, "abcde"[i], int(i == chosen)] for i in shown]
    table = pd.DataFrame(rows, columns=["person", "task", "item", "chosen"])
    people = np.repeat(np.arange(30), 6)
    items = RankingSet(ranks, tuple("abcde"), people=people, unranked="anywhere", asked_ties=False)
    ours = Conjoint().fit(table)
    theirs = Utilities(attributes={"item": list("abcde")}).fit(items)
    assert_allclose(ours.part_worths_, theirs.part_worths_, atol=1e-8)
    assert_allclose(ours.part_worths_, theirs.utilities_, atol=1e-8)
    assert_allclose(ours.errors_, theirs.errors_, atol=1e-8)


def test_none_is_compared_with_an_average_profile():
    table, _, nothing = survey(n_tasks=15, seed=1, none=True)
    fitted = Conjoint().fit(table)
    assert fitted.coefficients_[-1] == "none"
    assert abs(fitted.part_worths_[:, -1].mean() - nothing.mean()) < 0.4
    assert np.corrcoef(fitted.part_worths_[:, -1], nothing)[0, 1] > 0.6
    offers = {"brand": ["Ada", "Cy"], "price": [2, 1]}
    shares = fitted.shares(offers, none=True)
    assert shares.names == ("Ada, 2", "Cy, 1", "none")
    assert_allclose(shares.of_people.sum(axis=1), 1)
    # As zeros, and by name, it is the same.
    zeros = table.fillna({"price": 0}).fillna("0")
    assert_allclose(Conjoint().fit(zeros).part_worths_, fitted.part_worths_)
    with pytest.raises(InputError, match="no task had none"):
        Conjoint().fit(TABLE).shares(offers, none=True)


def test_shares_follow_price_and_new_people_are_scored(model):
    dear, cheap = ({"brand": ["Ada", "Bea"], "price": [price, 3.0]} for price in (5.0, 1.0))
    assert model.shares(cheap).means[0] > model.shares(dear).means[0]
    assert (model.choose(cheap) == "Ada, 1").mean() > (model.choose(dear) == "Ada, 5").mean()
    some = TABLE[TABLE["resp.id"].isin([3, 17])]
    # But for the draws behind means, which are others.
    gaps = np.abs(model.transform(some) - model.part_worths_[[2, 16]])
    assert (gaps < 0.3 * model.errors_[[2, 16]]).all()
    frame = pd.DataFrame(cheap, index=["ours", "theirs"])
    assert model.shares(frame).names == ("ours", "theirs")


def test_worth_is_what_a_higher_price_makes_up_for(model):
    worth = model.worth("price")
    expected = -TRUTH.mean(axis=0)[:3] / TRUTH.mean(axis=0)[3]
    assert ((worth.intervals[:, 0] < expected) & (expected < worth.intervals[:, 1])).all()
    assert_allclose(worth.of_average, -model.mean_[:3] / model.mean_[3])
    rng = np.random.default_rng(0)
    vague = Conjoint().fit(TABLE.assign(price=rng.permutation(TABLE["price"])))
    assert np.isinf(vague.worth("price").intervals).all()
    assert "Nothing can be said" in vague.worth("price").summary()
    with pytest.raises(InputError, match="no attribute that is a number"):
        model.worth("brand")


def test_what_was_chosen_is_said_in_many_ways(model):
    def same(table, **columns):
        assert_allclose(Conjoint(**columns).fit(table).part_worths_, model.part_worths_)

    yes = TABLE["choice"] == 1
    same(TABLE.assign(choice=np.where(yes, "Yes", "No")))
    same(TABLE.rename(columns={"resp.id": "person_id", "ques": "choice_id"}))
    same(TABLE.rename(columns={"resp.id": "id", "ques": "chid"}))
    same(TABLE.rename(columns={"resp.id": "id", "ques": "obsID"}))
    # The place of the chosen one, in the first row of a task.
    place = TABLE["alt"].where(yes).groupby([TABLE["resp.id"], TABLE["ques"]]).transform("max")
    first = TABLE["alt"] == 1
    same(TABLE.assign(choice=place.where(first, 0).astype(int)).rename(columns={"choice": "y"}))
    same(TABLE.assign(choice=place.astype(int)))
    # Tasks that nobody numbered, and rows that are.
    same(TABLE.drop(columns="ques"))
    same(TABLE.reset_index(names="row"))
    other = TABLE.rename(columns={"resp.id": "who", "ques": "when", "choice": "took"})
    same(other, person="who", task="when", chosen="took")
    with pytest.raises(InputError, match="no column that says"):
        Conjoint().fit(other)


def test_what_says_nothing_is_left_out():
    table = TABLE.assign(age=TABLE["resp.id"] % 7)
    fitted = Conjoint().fit(table)
    assert "age" not in fitted.coefficients_
    assert "left out: age" in fitted.notes_[0]
    unanswered = (TABLE["resp.id"] == 4) & (TABLE["ques"] == 2)
    fitted = Conjoint().fit(TABLE.assign(choice=TABLE["choice"].where(~unanswered, 0)))
    assert fitted.n_tasks_[3] == 9
    assert any("1 task without a chosen" in note for note in fitted.notes_)


def test_names_of_alternatives_are_an_attribute():
    table = TABLE.assign(alt=np.array(["car", "bus", "train"])[TABLE["alt"] - 1])
    fitted = Conjoint().fit(table)
    assert fitted.coefficients_[-3:] == ("alt: bus", "alt: car", "alt: train")
    # Where the brand says it already, it does not.
    assert "alt: Ada" not in Conjoint().fit(TABLE.assign(alt=TABLE["brand"])).coefficients_


def test_numbers_may_be_levels():
    fitted = Conjoint(levels=["price"]).fit(TABLE)
    assert fitted.coefficients_[3:] == tuple(f"price: {k}" for k in range(1, 6))
    means = fitted.part_worths_.mean(axis=0)[3:]
    assert means[0] > means[2] > means[4]
    with pytest.raises(RankingFileError, match="no column 'size'"):
        Conjoint(levels=["size"]).fit(TABLE)


def test_survey_weights_move_the_population():
    few = TABLE["resp.id"] <= 10
    heavy = Conjoint(weight="w").fit(TABLE.assign(w=np.where(few, 20.0, 1.0)))
    alone = Conjoint().fit(TABLE[few])
    plain = Conjoint().fit(TABLE)
    apart = [np.abs(each.mean_ - alone.mean_).sum() for each in (heavy, plain)]
    assert apart[0] < apart[1]
    assert "w" not in heavy.coefficients_


def test_one_profile_twice_in_a_task():
    table = TABLE.copy()
    table.loc[1, ["brand", "price"]] = table.loc[0, ["brand", "price"]]
    assert np.isfinite(Conjoint().fit(table).part_worths_).all()


def test_mistakes_are_named():
    table = TABLE.copy()
    table.loc[:2, "choice"] = 1
    with pytest.raises(RankingFileError, match="table:2: column 'choice': another"):
        Conjoint().fit(table)
    with pytest.raises(RankingFileError, match=r"table:5: column 'resp.id': is empty"):
        Conjoint().fit(TABLE.assign(**{"resp.id": TABLE["resp.id"].where(TABLE.index != 4)}))
    with pytest.raises(RankingFileError, match="no alternative of this task"):
        Conjoint().fit(TABLE.assign(choice=9))
    fitted = Conjoint().fit(TABLE)
    with pytest.raises(InputError, match="'Dee' is not among the levels"):
        fitted.shares({"brand": ["Ada", "Dee"], "price": [1, 1]})
    with pytest.raises(InputError, match="lack the attribute 'price'"):
        fitted.shares({"brand": ["Ada", "Bea"]})


def test_other_tables_are_not_taken_for_profiles():
    tasks = {"person": [1, 1, 2], "item1": list("aab"), "item2": list("bcc"), "choice": list("abc")}
    for frame in (pd.DataFrame(tasks), pd.DataFrame({"toro": [1, 2], "uni": [2, 1]})):
        (block,) = frame_blocks(frame, "it")
        assert not looks_like_profiles(block)
    (block,) = frame_blocks(TABLE, "it")
    assert looks_like_profiles(block)
    assert_array_equal(ProfileColumns.find(block).attributes, [3, 4])


def test_results(model, tmp_path):
    assert model.to_frame().shape == (80, 5)
    model.save(tmp_path / "worths.xlsx")
    assert model.plot() is not None
    assert model.worth("price").plot() is not None
    assert "matters most" in model.summary()
    assert model.to_frame("people")["tasks"].tolist() == [10] * 80
