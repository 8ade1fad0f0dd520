"""What utilities say of people: scales, shares, new people, camps, and who said too little."""

import numpy as np
import pytest
from best_worst import some_tasks
from numpy.testing import assert_allclose

from rankcut import RankingSet, Utilities
from rankcut.errors import InputError

NAN = np.nan
TASKS = some_tasks(40, n_tasks=6)
TASKS = RankingSet(
    TASKS.ranks, tuple("abcdef"), people=TASKS.people, asked_ties=False, unranked="anywhere"
)


@pytest.fixture(scope="module")
def model():
    return Utilities().fit(TASKS)


def simulated(n_people, tastes, n_tasks, seed=0):
    """Rankings of three random items by people with these utilities."""
    rng = np.random.default_rng(seed)
    n_items = tastes.shape[1]
    ranks = np.full((n_people * n_tasks, n_items), NAN)
    for number, row in enumerate(ranks):
        shown = rng.choice(n_items, 3, replace=False)
        worth = tastes[number // n_tasks, shown] + rng.gumbel(size=3)
        row[shown] = (-worth).argsort().argsort() + 1
    return RankingSet(
        ranks,
        tuple("abcdefgh"[:n_items]),
        people=np.repeat(np.arange(n_people), n_tasks),
        unranked="anywhere",
    )


def test_tastes_are_found_again_within_their_intervals():
    rng = np.random.default_rng(1)
    tastes = rng.normal(size=(80, 6)) @ np.diag([2, 1, 1, 0.5, 1, 1.5]) + np.arange(6) / 2
    tastes -= tastes.mean(axis=1, keepdims=True)
    fitted = Utilities().fit(simulated(80, tastes, 12))
    within = np.abs(fitted.utilities_ - tastes) < 1.96 * fitted.errors_
    assert 0.9 < within.mean() < 0.99
    assert np.corrcoef(fitted.utilities_.ravel(), tastes.ravel())[0, 1] > 0.85


def test_raw_utilities_are_about_the_mean_of_each_person(model):
    assert_allclose(model.utilities_.sum(axis=1), 0, atol=1e-9)
    assert model.utilities_.shape == model.errors_.shape == (40, 6)
    assert (model.errors_ > 0).all()
    assert (model.n_effective_ <= 256).all()


def test_scales(model):
    ranges = Utilities(scale="zero-centred").fit(TASKS)
    assert_allclose(np.ptp(ranges.utilities_, axis=1), 100)
    factor = ranges.utilities_ / model.utilities_
    assert_allclose(factor, factor[:, :1] * np.ones(6))
    chances = Utilities(scale="probability").fit(TASKS)
    assert_allclose(chances.utilities_.sum(axis=1), 100)
    order = np.argsort(model.utilities_, axis=1)
    np.testing.assert_array_equal(np.argsort(chances.utilities_, axis=1), order)
    anchored = Utilities(anchor="c").fit(TASKS)
    assert_allclose(anchored.utilities_, model.utilities_ - model.utilities_[:, 2:3], atol=1e-9)
    assert (anchored.errors_[:, 2] == 0).all()
    half = Utilities(anchor="c", scale="probability").fit(TASKS)
    assert_allclose(half.utilities_, 100 / (1 + np.exp(-anchored.utilities_)))


def test_errors_of_probabilities_are_those_of_differences():
    raw = np.array([0.5, -0.2, -0.3])
    spread = np.diag([1e-6, 4e-6, 2e-6])
    chances = Utilities(scale="probability").fit(TASKS)
    at, errors = chances._scaled(raw, spread)
    step = 1e-5
    slopes = [(chances._scaled(raw + step * unit, spread)[0] - at) / step for unit in np.eye(3)]
    expected = np.sqrt(np.diag(spread) @ np.array(slopes) ** 2)
    assert_allclose(errors, expected, rtol=1e-3)


def test_shares_add_up_and_follow_utilities(model):
    shares = model.shares(["a", "b", "f"])
    assert_allclose(shares.of_people.sum(axis=1), 1)
    assert shares.names == ("a", "b", "f")
    limits = shares.intervals
    assert (limits[:, 0] < shares.means).all()
    assert (shares.means < limits[:, 1]).all()
    assert shares.to_frame()["share"].is_monotonic_decreasing
    # Two items: the logistic function, averaged over what is not sure.
    pair = model.shares(["a", "b"]).of_people[:, 0]
    gap = model.utilities_[:, 0] - model.utilities_[:, 1]
    assert ((pair > 0.5) == (gap > 0)).mean() > 0.95
    chosen = model.choose(["a", "b"])
    np.testing.assert_array_equal(chosen == "a", gap > 0)


def test_new_people_are_scored_as_those_fitted(model):
    rows = np.isin(TASKS.people, [3, 17])
    again = model.transform(TASKS.rows(rows))
    assert_allclose(again, model.utilities_[[3, 17]], atol=1e-9)


def test_attributes_have_part_worths_and_importance():
    rng = np.random.default_rng(0)
    brand, price = np.array(list("xxyyzzxy")), np.array([1.0, 2, 1, 3, 2, 3, 4, 2])
    worth = {"x": 1.5, "y": 0.0, "z": -1.5}
    base = np.array([worth[b] for b in brand]) - 0.2 * price
    tastes = base + rng.normal(size=(60, 1)) * (price - price.mean()) * 0.2
    data = simulated(60, tastes, 10)
    fitted = Utilities(attributes={"brand": brand, "price": price}).fit(data)
    names = [name for name in fitted.tables()["part_worths"].columns if name != "person"]
    assert names == ["brand: x", "brand: y", "brand: z", "price"]
    worths = fitted.part_worths_.mean(axis=0)
    assert worths[0] > worths[1] > worths[2]
    assert worths[3] < 0
    assert_allclose(worths[:3].sum(), 0, atol=1e-9)
    importance = fitted.importance()
    assert_allclose(importance.of_people.sum(axis=1), 1)
    assert importance.means[0] > importance.means[1]
    with pytest.raises(InputError, match="no attributes"):
        Utilities().fit(data).importance()


def test_two_camps_are_seen_and_one_crowd_is_not():
    rng = np.random.default_rng(3)
    ends = np.array([3.0, 2, 1, -1, -2, -3])
    side = np.where(np.arange(150) % 3 == 0, -1, 1)[:, None]
    camps = Utilities().fit(simulated(150, side * ends + 0.2 * rng.normal(size=(150, 6)), 8))
    assert camps.camps_.better
    assert_allclose(camps.camps_.shares, [2 / 3, 1 / 3], atol=0.05)
    assert "Two camps" in camps.summary()
    np.testing.assert_array_equal(camps.camps_.chances > 0.5, side[:, 0] > 0)
    crowd = Utilities().fit(simulated(150, ends / 2 + rng.normal(size=(150, 6)), 8))
    assert not crowd.camps_.better
    assert "Two camps" not in crowd.summary()


def test_who_says_little_is_vague_and_named():
    rows = np.concatenate([np.flatnonzero(TASKS.people > 1), [0], [6]])
    ranks = TASKS.ranks[rows].copy()
    ranks[-1] = np.where(np.arange(6) == 0, 1, NAN)
    people = np.append(TASKS.people[rows][:-2].astype(str), ["one task", "no task"])
    data = RankingSet(ranks, TASKS.items, people=people, asked_ties=False, unranked="anywhere")
    model = Utilities().fit(data)
    names = model.people_.tolist()
    one, none = names.index("one task"), names.index("no task")
    others = np.delete(model.errors_, [one, none], axis=0).mean()
    assert others < model.errors_[one].mean() < model.errors_[none].mean()
    assert_allclose(model.utilities_[none], model.mean_, atol=0.2)
    assert "no task" in model.summary()
    assert "one task" in model.summary()


def test_survey_weights_move_the_population():
    rows = TASKS.people
    heavy = Utilities().fit(TASKS, sample_weight=np.where(rows < 5, 50.0, 1.0))
    few = Utilities().fit(TASKS.rows(rows < 5))
    plain = Utilities().fit(TASKS)
    apart = [np.abs(model.mean_ - few.mean_).mean() for model in (heavy, plain)]
    assert apart[0] < apart[1]
    again = Utilities().fit(TASKS, sample_weight=np.where(rows < 5, 5000.0, 100.0))
    assert_allclose(again.mean_, heavy.mean_)


def test_the_same_for_any_number_of_threads(model):
    np.testing.assert_array_equal(Utilities(n_jobs=2).fit(TASKS).utilities_, model.utilities_)


def test_frames_are_ready_to_merge(model, tmp_path):
    frame = model.to_frame()
    assert list(frame) == ["person", *"abcdef"]
    assert frame["person"].tolist() == list(range(40))
    assert model.to_frame("items").columns.tolist()[:2] == ["item", "mean"]
    model.save(tmp_path / "utilities.csv")
    assert (tmp_path / "utilities.csv").read_text().startswith("person,a,b,c,d,e,f\n0,")
    assert model.plot() is not None
    assert model.shares().plot() is not None


def test_mistakes():
    with pytest.raises(InputError, match="no ranking compares two items"):
        Utilities(unranked="anywhere").fit([[1, NAN], [NAN, 1]])
    with pytest.raises(InputError, match="not among the 6 items"):
        Utilities(anchor="none").fit(TASKS)
    with pytest.raises(InputError, match="3 rows for 6 items"):
        Utilities(attributes={"brand": ["x", "y", "x"]}).fit(TASKS)
    with pytest.raises(InputError, match="two different items"):
        Utilities().fit(TASKS).shares(["a"])


def test_people_who_answer_at_random_are_seen_and_others_are_not():
    rng = np.random.default_rng(5)
    tastes = 1.5 * rng.normal(size=(120, 6)) + [2, 1, 1, 0, -1, -3]
    tastes -= tastes.mean(axis=1, keepdims=True)
    at_random = np.arange(120) % 4 == 0
    answers = np.where(at_random[:, None], 0.0, tastes)
    fitted = Utilities().fit(simulated(120, answers, 15))
    assert abs(fitted._fit.tastes.at_random - 0.25) < 0.1
    guesses = fitted.at_random_
    assert guesses[at_random].mean() > 0.8
    assert guesses[~at_random].mean() < 0.1
    assert "answer at random" in fitted.summary()
    # Their tastes may be any of the others', and the others' are learned as without them.
    within = np.abs(fitted.utilities_ - tastes) < 1.96 * fitted.errors_
    assert within.mean() > 0.92
    rest = simulated(120, answers, 15)
    rest = rest.rows(~at_random[rest.people])
    alone = Utilities().fit(rest)
    assert_allclose(fitted.mean_, alone.mean_, atol=0.25)
    assert (alone.at_random_ == 0).all()
    assert "answer at random" not in alone.summary()


def test_who_always_takes_the_first_place_is_named():
    """Places are dealt at random, so that such answers are as good as random ones."""
    rng = np.random.default_rng(6)
    tastes = 2 * rng.normal(size=(100, 6)) + np.arange(6)
    data = simulated(100, tastes, 12)
    ranks = data.ranks.copy()
    for row in np.flatnonzero(data.people < 10):
        shown = rng.permutation(np.flatnonzero(~np.isnan(ranks[row])))
        ranks[row, shown] = [1, 2, 3]
    first = RankingSet(ranks, data.items, people=data.people, unranked="anywhere")
    fitted = Utilities().fit(first)
    assert fitted.at_random_[:10].mean() > 0.5
    assert fitted.at_random_[10:].mean() < 0.05


def test_root_likelihood_is_the_mean_probability_of_choices():
    ranks = [[1, 2, 3], [2, 1, 3]] * 4 + [[3, 2, 1]] * 4
    fitted = Utilities().fit(ranks, people=[0] * 8 + [1] * 4)
    worths = np.exp(fitted.utilities_)
    chances = []
    for row in ([0, 1, 2], [1, 0, 2]):
        left = worths[0, row]
        chances += [left[0] / left.sum(), left[1] / left[1:].sum()]
    assert_allclose(fitted.root_likelihood_[0], np.prod(chances) ** (1 / 4))
    frame = fitted.to_frame("people")
    assert_allclose(frame["by_chance"], (1 / 6) ** (1 / 2))
    assert frame["tasks"].tolist() == [8, 4]


def test_camps_are_those_of_people_who_do_not_answer_at_random():
    rng = np.random.default_rng(3)
    ends = np.array([3.0, 2, 1, -1, -2, -3])
    side = np.where(np.arange(200) % 3 == 0, -1, 1)[:, None]
    tastes = side * ends + 0.2 * rng.normal(size=(200, 6))
    tastes[np.arange(200) % 5 == 0] = 0
    camps = Utilities().fit(simulated(200, tastes, 10)).camps_
    assert camps.better
    assert_allclose(camps.shares, [2 / 3, 1 / 3], atol=0.07)


def test_unbalanced_designs_and_a_task_each_are_answered_with_wide_intervals():
    person, number = np.divmod(np.arange(240), 6)
    uneven = Utilities().fit(TASKS.rows(number <= person % 6))
    errors = uneven.errors_.mean(axis=1)
    assert errors[uneven.n_tasks_ == 1].mean() > errors[uneven.n_tasks_ == 6].mean()
    assert "Fewer than 3 tasks" in uneven.summary()
    single = Utilities().fit(TASKS.rows(number == 0))
    assert single.errors_.mean() > Utilities().fit(TASKS).errors_.mean()
    assert "Each person has fewer than 3 tasks" in single.summary()
