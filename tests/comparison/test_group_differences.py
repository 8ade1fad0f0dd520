"""compare_groups as a user meets it: numbers that agree with others', all kinds of input, words."""

import json
from dataclasses import replace

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose
from ranking_sets import stored
from scipy import stats

import rankcut.comparison.people as people_module
import rankcut.comparison.statistics as statistics
from rankcut import GraphCutFeatures, RankingSet, compare_groups
from rankcut.comparison.statistics import holm
from rankcut.errors import InputError
from rankcut.kernels import KendallFeatures, SpearmanKernel
from rankcut.rankings import read_rankings
from rankcut.strengths import fit_strengths

N_ITEMS = 5


def rankings(n, seed=0, lean=0.0):
    """Full rankings of 5 items by noisy scores; item 2 leans up."""
    noise = np.random.default_rng(seed).gumbel(size=(n, N_ITEMS))
    scores = np.linspace(1, -1, N_ITEMS) + lean * (np.arange(N_ITEMS) == 2)
    return (-(scores + noise)).argsort(axis=1).argsort(axis=1) + 1.0


def two_groups(m=60, lean=2.0):
    ranks = np.vstack([rankings(m, 1), rankings(m, 2, lean)])
    return ranks, np.repeat(["east", "west"], m)


def same(one, other):
    """Equal but for rounding."""

    def check(x, y):
        if isinstance(x, dict):
            assert list(x) == list(y)
            for key in x:
                check(x[key], y[key])
        elif isinstance(x, list):
            assert len(x) == len(y)
            for pair in zip(x, y, strict=True):
                check(*pair)
        else:
            assert x == (pytest.approx(y, rel=1e-9, abs=1e-12) if isinstance(y, float) else y)

    check(one.to_dict(), other.to_dict())


def test_p_equals_that_of_scipy():
    ranks = np.vstack([rankings(4, 3), rankings(4, 4, 2.0)])
    groups = np.repeat([0, 1], 4)

    def statistic(x, y):
        return ((ranks[x].mean(axis=0) - ranks[y].mean(axis=0)) ** 2).sum()

    expected = stats.permutation_test(
        (np.arange(4), np.arange(4, 8)),
        statistic,
        permutation_type="independent",
        alternative="greater",
        n_resamples=np.inf,
    )
    got = compare_groups(ranks, groups, features=SpearmanKernel())
    # Within four Monte Carlo errors of all 70 permutations.
    error = np.sqrt(expected.pvalue * (1 - expected.pvalue) / 9999)
    assert got.p_value == pytest.approx(expected.pvalue, abs=4 * error)
    assert compare_groups(ranks, groups, features=GraphCutFeatures()).p_value == got.p_value


def test_effect_size_is_epsilon_squared():
    ranks = np.vstack([rankings(25, 1), rankings(25, 2, 1.0), rankings(25, 3)])
    total = ((ranks - ranks.mean(axis=0)) ** 2).sum()
    parts = ranks.reshape(3, 25, N_ITEMS)
    within = ((parts - parts.mean(axis=1, keepdims=True)) ** 2).sum()
    got = compare_groups(ranks, np.repeat(["a", "b", "c"], 25), n_permutations=99)
    assert got.effect_size == pytest.approx(1 - (within / 72) / (total / 74), rel=1e-10)
    low, high = got.effect_interval
    assert 0 <= low < got.effect_size < high < 1
    assert got.groups == {"a": 25, "b": 25, "c": 25}


def test_a_planted_item_is_found():
    result = compare_groups(*two_groups(), n_permutations=999)
    assert result.p_value == 0.001
    first = result.items[0]
    assert (first["item"], first["higher_in"], first["lower_in"]) == (2, "west", "east")
    ranks, groups = two_groups()
    means = [ranks[groups == g, 2].mean() for g in ("east", "west")]
    assert_allclose([first["place in east"], first["place in west"]], means, rtol=1e-12)
    assert first["difference"] == pytest.approx(means[0] - means[1])
    pair = next(row for row in result.pairs if (row["first"], row["second"]) == (0, 2))
    shares = [(ranks[groups == g, 0] < ranks[groups == g, 2]).mean() for g in ("east", "west")]
    assert_allclose([pair["share in east"], pair["share in west"]], shares, rtol=1e-12)
    assert pair["more_in"] == "east"
    assert len(result.between) == 0
    assert "Groups differ (p ≤ 0.001)" in result.summary()
    assert "2: " in result.summary()


def test_each_two_of_three_groups():
    ranks = np.vstack([rankings(50, 1), rankings(50, 2), rankings(50, 3, 1.5)])
    result = compare_groups(ranks, np.repeat(["a", "b", "c"], 50), n_permutations=499)
    apart = {(row["first"], row["second"]): row["p_value"] for row in result.between}
    assert apart["a", "c"] == apart["b", "c"] == 1 / 500
    assert apart["a", "b"] > 0.05
    # The effect of each two is that of the two by themselves.
    alone = compare_groups(ranks[:100], np.repeat(["a", "b"], 50), n_permutations=19)
    assert result.between[0]["effect_size"] == pytest.approx(alone.effect_size)


def test_the_p_value_of_an_item_is_that_of_the_two_groups_named():
    """Five people are little evidence, whatever the other groups say."""
    ranks = np.vstack([rankings(80, 1), rankings(80, 2, 2.0), rankings(5, 3)])
    groups = np.repeat(["a", "b", "five"], [80, 80, 5])
    result = compare_groups(ranks, groups, n_permutations=999)
    row = next(row for row in result.items if row["item"] == 2)
    assert {row["higher_in"], row["lower_in"]} == {"a", "b"}
    assert row["p_value"] == 0.001
    others = {(r["first"], r["second"]): r["p_value"] for r in result.between}
    assert others["a", "five"] > 0.05


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_are_expanded_rows_in_any_order(weighted):
    ranks, groups = two_groups(12)
    rng = np.random.default_rng(0)
    counts, weights = rng.integers(1, 4, 24), rng.random(24) + 0.5
    order = rng.permutation(np.repeat(np.arange(24), counts))

    def compared(votes, rows):
        weight = weights[rows] if weighted else None
        return compare_groups(votes, groups[rows], sample_weight=weight, n_permutations=99)

    votes = RankingSet(ranks, tuple(range(N_ITEMS)), counts=counts)
    same(compared(votes, np.arange(24)), compared(ranks[order], order))


def test_many_permutations_agree_with_normal_draws(monkeypatch):
    ranks = np.vstack([rankings(1200, 1), rankings(1500, 2, 0.15)])
    groups = np.repeat(["a", "b"], [1200, 1500])
    normal = compare_groups(ranks, groups, n_permutations=3999)
    assert normal.method == "3,999 random normal draws."
    monkeypatch.setattr(people_module, "ENOUGH", 10_000)
    drawn = compare_groups(ranks, groups, n_permutations=3999)
    assert drawn.method == "3,999 random permutations."
    assert 0.001 < drawn.p_value < 0.2
    # Each within four Monte Carlo errors.
    error = 4 * np.sqrt(2 * normal.p_value / 3999)
    assert drawn.p_value == pytest.approx(normal.p_value, abs=error)
    assert drawn.items["item"][0] == normal.items["item"][0]
    for end in ("low", "high"):
        assert_allclose(drawn.items[end][0], normal.items[end][0], rtol=0.1)
    # A unit that outweighs the others needs permutations.
    monkeypatch.setattr(people_module, "ENOUGH", 1_000)
    weights = np.ones(2700)
    weights[0] = 60.0
    heavy = compare_groups(ranks, groups, sample_weight=weights, n_permutations=19)
    assert heavy.method == "19 random permutations."


def test_very_many_rankings_have_fewer_draws(monkeypatch):
    monkeypatch.setattr(statistics, "WORK", 1 << 21)
    result = compare_groups(*two_groups(), n_permutations=9999)
    assert 999 <= result.n_permutations < 9999
    assert "Fewer than 9,999 draws, as there are many rankings." in result.notes
    assert result.p_floor == 1 / (1 + result.n_permutations)


def test_strata_explain_what_groups_seem_to():
    # Two towns differ, and groups are unevenly spread over them; within a town they are alike.
    ranks = np.vstack([rankings(200, 1), rankings(200, 2, 3.0)])
    town = np.repeat([0, 1], 200)
    groups = np.random.default_rng(3).random(400) < np.where(town, 0.8, 0.2)
    assert compare_groups(ranks, groups, n_permutations=499).p_value == 0.002
    within = compare_groups(ranks, groups, strata=town, n_permutations=499)
    assert within.p_value > 0.05
    assert abs(within.effect_size) < 0.02


def test_people_are_permuted_whole():
    # Six people with twenty equal rankings each: no more evidence than six rankings.
    ranks = np.repeat(rankings(6, 8), 20, axis=0)
    groups, people = np.repeat([0, 1], 60), np.repeat(np.arange(6), 20)
    assert compare_groups(ranks, groups, n_permutations=199).p_value == 0.005
    result = compare_groups(ranks, groups, people=people)
    assert result.n_units == 6
    once = compare_groups(rankings(6, 8), [0, 0, 0, 1, 1, 1])
    # Each draws its own: within four Monte Carlo errors.
    assert result.p_value == pytest.approx(once.p_value, abs=4 * np.sqrt(0.5 / 9999))
    assert result.p_value > 0.05
    assert_allclose(result.items["difference"], once.items["difference"])
    votes = RankingSet(ranks, tuple(range(N_ITEMS)), people=people)
    assert compare_groups(votes, groups).p_value == result.p_value


def test_people_in_several_groups_are_compared_with_themselves():
    # Each person ranks twice, once in each round, and in the second one likes item 2 a bit more.
    rng = np.random.default_rng(0)
    own = rng.normal(size=(60, 1, N_ITEMS)) * 3
    scores = own + rng.normal(size=(60, 2, N_ITEMS)) * 0.5
    scores[:, 1, 2] += 0.9
    ranks = (-scores).argsort(axis=2).argsort(axis=2).reshape(120, N_ITEMS) + 1.0
    rounds, people = np.tile(["first", "second"], 60), np.repeat(np.arange(60), 2)
    assert compare_groups(ranks, rounds, n_permutations=499).p_value > 0.05
    paired = compare_groups(ranks, rounds, people=people, n_permutations=499)
    assert paired.p_value < 0.01
    assert any("within each person" in note for note in paired.notes)
    # A person with one ranking says nothing.
    more = np.vstack([ranks, ranks[:1]])
    again = compare_groups(more, [*rounds, "first"], people=[*people, 99], n_permutations=499)
    assert again.p_value == paired.p_value
    assert any("Left out 1 ranking in strata with a single group" in note for note in again.notes)


def test_weights_are_no_counts():
    ranks, groups = two_groups(40, 0.5)
    plain = compare_groups(ranks, groups, n_permutations=499)
    for weight in (0.5, 100):
        weighted = compare_groups(
            ranks, groups, sample_weight=np.full(80, weight), n_permutations=499
        )
        assert weighted.p_value == pytest.approx(plain.p_value, rel=1e-9)
        assert plain.p_value > 0.02
        assert weighted.effect_size == pytest.approx(plain.effect_size)
        assert weighted.groups == plain.groups
        assert weighted.design_effect == {}


def test_weights_of_a_survey():
    """Means and linearised variances, written out, and the design effect of Kish."""
    rng = np.random.default_rng(0)
    ranks, groups = two_groups(60)
    weights = rng.exponential(size=120)
    result = compare_groups(ranks, groups, sample_weight=weights, n_permutations=99)
    row = next(row for row in result.items if row["item"] == 2)
    for group in ("east", "west"):
        own = groups == group
        mean = np.average(ranks[own], axis=0, weights=weights[own])
        assert row[f"place in {group}"] == pytest.approx(mean[2], rel=1e-12)
        left = weights[own, None] * (ranks[own] - mean)
        linearised = 60 / 59 * (left**2).sum() / weights[own].sum() ** 2
        simple = np.average(((ranks[own] - mean) ** 2).sum(axis=1), weights=weights[own]) / 59
        assert result.design_effect[group] == pytest.approx(linearised / simple, rel=1e-9)
    assert "Design effect: east 1." in result.summary()
    weights[:60] = np.where(np.arange(60) < 5, 1.0, 1e-3)
    heavy = compare_groups(ranks, groups, sample_weight=weights, n_permutations=19)
    assert "east has the weight of fewer than 10 rankings, who say little" in heavy.notes[0]


@pytest.mark.parametrize("unranked", ["last", "anywhere"])
def test_listing_and_strengths_are_told_apart(unranked):
    rng = np.random.default_rng(0)
    full = rankings(400, 1)
    groups = np.repeat(["a", "b"], 200)
    if unranked == "anywhere":
        # Group b is shown item 4 less often.
        shown = rng.random(full.shape) < np.where(
            (np.arange(N_ITEMS) == 4) & (groups == "b")[:, None], 0.4, 0.9
        )
        shown[:, :2] = True
    else:
        shown = full <= np.where(groups == "b", 1, 4)[:, None]
    ranks = np.where(shown, full, np.nan)
    result = compare_groups(ranks, groups, unranked=unranked, n_permutations=499)
    assert result.measure == "strengths"
    assert result.listing.p_value == 0.002
    assert result.listing.items[0]["more_in"] == "a"
    assert result.p_value > 0.05
    assert min(result.items["p_value"]) > 0.05
    places = compare_groups(ranks, groups, unranked=unranked, measure="places", n_permutations=499)
    assert (places.measure, places.p_value) == ("places", 0.002)
    # The same lists in both groups, other orders.
    full = np.vstack([rankings(200, 1), rankings(200, 2, 1.5)])
    shown = rng.random(full.shape) < 0.7
    shown[:, 0] = True
    result = compare_groups(
        np.where(shown, full, np.nan), groups, unranked=unranked, n_permutations=499
    )
    assert result.p_value == 0.002
    assert "Compared: strengths" in result.summary()


def test_strengths_of_groups_that_list_more_or_less():
    """One strength moves: only that item differs, by as much; places of others move too."""
    full = np.vstack([rankings(900, 1), rankings(900, 2, 1.5)])
    groups = np.repeat(["a", "b"], 900)
    lists = np.where(full <= np.where(groups == "a", 2, 4)[:, None], full, np.nan)
    result = compare_groups(lists, groups, unranked="last", n_permutations=1999)
    first, *others = result.items
    assert (first["item"], first["higher_in"], first["p_value"] < 0.001) == (2, "b", True)
    assert "stronger in b than in a (odds × " in result.summary()
    assert first["low"] < np.exp(1.2) < first["high"]
    # About the mean of all, one item up by 1.5 is that one up by 1.2 and the others down by 0.3.
    assert first["difference"] == pytest.approx(1.2, abs=0.25)
    assert all(row["difference"] < 0.6 for row in others)
    pair = next(row for row in result.pairs if (row["first"], row["second"]) == (0, 1))
    assert pair["p_value"] > 0.05


def test_errors_of_strengths_add():
    """Groups that are shown other items: z of each pair as from separate fits of both groups."""
    rng = np.random.default_rng(0)
    groups = np.repeat([0, 1], 1500)
    often = np.where(groups[:, None], [0.3, 0.3, 0.6, 0.9, 0.9], [0.9, 0.9, 0.6, 0.3, 0.3])
    full = np.vstack([rankings(1500, 1), rankings(1500, 2, 0.3)])
    ranks = np.where(rng.random(full.shape) < often, full, np.nan)
    result = compare_groups(ranks, groups, unranked="anywhere")
    fits = [
        fit_strengths(read_rankings(ranks[groups == g], unranked="anywhere"), prior=None)
        for g in (0, 1)
    ]
    first, second = np.triu_indices(N_ITEMS, 1)
    gaps = [fit.theta[first] - fit.theta[second] for fit in fits]
    spread = sum(
        fit.covariance[first, first]
        + fit.covariance[second, second]
        - 2 * fit.covariance[first, second]
        for fit in fits
    )
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    rows = {(row["first"], row["second"]): row for row in result.pairs}
    rows = [rows[pair] for pair in pairs]
    odds = np.log([row["odds_ratio"] for row in rows])
    assert_allclose(odds, np.abs(gaps[0] - gaps[1]), atol=0.01)
    reach = np.log([row["high"] / row["low"] for row in rows]) / 2 / np.sqrt(spread)
    # The largest of ten |z| that depend on each other: between those of one and of ten.
    assert_allclose(reach, reach.mean(), rtol=0.02)
    assert 1.96 < reach.mean() < 2.81
    z = np.abs(gaps[0] - gaps[1]) / np.sqrt(spread)
    adjusted = np.array([row["p_value"] for row in rows])
    assert (adjusted <= holm(2 * stats.norm.sf(z)) + 0.02).all()
    assert (adjusted >= 2 * stats.norm.sf(z) - 0.02).all()
    assert adjusted.min() < 0.01


def test_what_cannot_be_compared_is_absent():
    """Top 3 of one order against top 6 of the reverse."""
    base = np.arange(1.0, 8.0)
    rng = np.random.default_rng(0)
    scores = np.where(np.repeat([0, 1], 20)[:, None], base, -base) + rng.normal(size=(40, 7))
    full = (-scores).argsort(axis=1).argsort(axis=1) + 1.0
    ranks = np.where(full <= np.repeat([3, 6], 20)[:, None], full, np.nan)
    result = compare_groups(ranks, np.repeat(["a", "b"], 20), unranked="last", n_permutations=499)
    assert result.p_value == 0.002
    assert "No difference" not in result.summary()
    # All lists have the same items: who lists what is no question.
    ranks = np.column_stack([full[:, :3], np.full((40, 2), np.nan)])
    for lists, unranked in ((ranks, "last"), (full, "error"), (full, "last"), (full, "anywhere")):
        result = compare_groups(
            lists, np.repeat(["a", "b"], 20), unranked=unranked, n_permutations=99
        )
        assert result.listing is None
        assert result.measure == ("strengths" if lists is ranks else "places")


def test_a_graph_draws_differences_together():
    ranks = np.vstack([rankings(15, 1), rankings(15, 2, 1.5)])
    groups = np.repeat(["a", "b"], 15)
    plain = compare_groups(ranks, groups, measure="strengths", n_permutations=199)
    drawn = compare_groups(ranks, groups, graph=1 - np.eye(N_ITEMS), n_permutations=199)
    assert drawn.items["p_value"] == plain.items["p_value"]
    assert drawn.items["difference"] == plain.items["difference"]
    size = np.abs(drawn.items["shrunk"]).sum()
    assert 0 < size < sum(plain.items["difference"])


@pytest.mark.parametrize("features", ["mallows", "gaussian"])
def test_characteristic_kernels_see_a_split_population(features):
    rng = np.random.default_rng(0)
    random = rng.random((150, N_ITEMS)).argsort(axis=1) + 1.0
    split = np.where(rng.random((150, 1)) < 0.5, [1.0, 2, 3, 4, 5], [5.0, 4, 3, 2, 1])
    ranks, groups = np.vstack([random, split]), np.repeat(["indifferent", "split"], 150)
    options = {"n_permutations": 199}
    assert compare_groups(ranks, groups, features=features, **options).p_value == 0.005
    assert compare_groups(ranks, groups, features=KendallFeatures(), **options).p_value > 0.05


def test_a_kernel_of_many_rankings_is_approximated_and_says_so(monkeypatch):
    import rankcut.kernels.chosen_features as chosen_features

    ranks, groups = two_groups(80)
    exact = compare_groups(ranks, groups, features="gaussian", n_permutations=199)
    assert exact.notes == ()
    monkeypatch.setattr(chosen_features, "MOST_COMPARED", 30)
    near = compare_groups(ranks, groups, features="gaussian", n_permutations=199)
    assert "approximated: its vectors miss" in near.notes[0]
    assert near.effect_size == pytest.approx(exact.effect_size, rel=0.3)


def test_frames_and_sparse_matrices_give_the_same(frames):
    ranks, groups = two_groups(20)
    ranks[3, 4] = np.nan
    names = ["uni", "ika", "ebi", "toro", "tako"]
    options = {"unranked": "last", "n_permutations": 99}
    frame = frames.DataFrame({name: ranks[:, i] for i, name in enumerate(names)})
    one = compare_groups(frame, frames.Series(groups.tolist()), **options)
    assert sorted(one.items["item"]) == sorted(names)
    plain = compare_groups(ranks, groups, **options)
    assert plain.p_value == one.p_value
    assert [names[i] for i in plain.items["item"]] == one.items["item"]
    same(one, compare_groups(ranks, groups, items=names, **options))
    same(plain, compare_groups(stored(ranks), groups, **options))
    towns = frames.DataFrame({"town": groups.tolist()})
    same(one, compare_groups(frame, towns, **options))
    with pytest.raises(InputError, match="column"):
        compare_groups(frame, frame, **options)


def test_threads_change_nothing():
    ranks, groups = two_groups()
    one = compare_groups(ranks, groups, n_permutations=999)
    same(one, compare_groups(ranks, groups, n_permutations=999, n_jobs=2))
    with joblib.parallel_config(n_jobs=2):
        same(one, compare_groups(ranks, groups, n_permutations=999))


def test_missing_labels_are_dropped_and_said():
    ranks, groups = two_groups(20)
    labels = [*groups[:-3], None, float("nan"), " "]
    result = compare_groups(ranks, labels, n_permutations=99)
    assert result.notes == ("3 rankings without a group left out.",)
    assert result.groups == {"east": 20, "west": 17}
    same(replace(result, notes=()), compare_groups(ranks[:-3], groups[:-3], n_permutations=99))


def test_constant_rankings():
    result = compare_groups([[1, 2, 3]] * 8, list("aaaabbbb"))
    assert result.p_value == 1.0
    assert result.effect_size == 0.0
    assert result.items["p_value"] == [1.0] * 3
    assert result.pairs["p_value"] == [1.0] * 3
    assert "nothing to compare" in result.summary()


@pytest.mark.parametrize("unranked", ["error", "last", "anywhere"])
def test_a_single_item(unranked):
    ranks = np.ones((6, 1))
    if unranked != "error":
        ranks[[0, 2]] = np.nan
    groups = ["a", "a", "b", "b", "b", "a"]
    result = compare_groups(ranks, groups, unranked=unranked, n_permutations=19)
    assert result.p_value == 1
    assert result.listing is None
    said = "2 rankings that list nothing left out."
    assert (said in result.notes) == (unranked != "error")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": ["a"] * 6}, "groups has a single value, 'a'; compare two groups or more"),
        ({"groups": list("aaaaab")}, "groups has one ranking in group 'b'; merge it with another"),
        ({"groups": [None] * 6}, "groups has no value for any ranking"),
        ({"groups": ["a", "b"]}, "groups has shape .* but there are 6 rankings"),
        ({"people": [1, 1, 2, 3, 3, 3]}, "groups has one person in group 'b'"),
        ({"people": [1, 1, None, 3, 3, 3]}, "row 2: people has no value; give one"),
        (
            {"groups": [None, *"aabbb"], "people": [1, 1, None, 3, 3, 4]},
            "row 2: people has no value",
        ),
        ({"strata": [1, 1, 1, 2, 2, 2]}, "groups has the group .*, which shares no stratum"),
        (
            {"people": [1, 1, 2, 3, 4, 4], "strata": [1, 2, 1, 2, 1, 2]},
            "people in several strata",
        ),
        ({"sample_weight": [1, 1, 1, 1, 1, -1]}, "row 5: sample_weight is -1; a weight"),
        ({"sample_weight": [0] * 6}, "sample_weight is zero for every"),
        ({"sample_weight": [1, 1, 1, 0, 0, 0]}, "no ranking in group 'b'"),
        ({"n_permutations": 0}, "n_permutations must be a whole number, 1 or more; got 0"),
        ({"n_permutations": 9.5}, "n_permutations must be a whole number"),
        ({"features": "spline"}, "features must be None, .* got 'spline'"),
        ({"features": 3}, "features must be None, .* got 3"),
        ({"measure": "top"}, 'measure must be "places", "strengths", "order"'),
        ({"measure": "listing"}, "measure has nothing to compare: all rankings"),
        ({"measure": "places", "graph": 1 - np.eye(5)}, "graph draws strengths together, not"),
        ({"counts": [1.5] * 6}, "row 0: counts is 1.5, no whole number; give it as a weight"),
        ({"unranked": "first"}, 'unranked must be "error", "last" or "anywhere"'),
        ({"features": GraphCutFeatures(unranked="last")}, 'features has unranked="last"'),
    ],
)
def test_errors(options, message):
    with pytest.raises(InputError, match=message):
        compare_groups(rankings(6), **{"groups": list("aaabbb"), **options})


def test_too_many_groups_and_an_unranked_item():
    with pytest.raises(InputError, match="groups has 300 different values; cut numbers"):
        compare_groups(rankings(600), np.repeat(np.arange(300), 2))
    ranks = rankings(6)
    ranks[4, 1] = np.nan
    with pytest.raises(ValueError, match="row 4: item 1 is not ranked"):
        compare_groups(ranks, list("aaabbb"))


def test_frames_words_and_json(frames):
    result = compare_groups(*two_groups(20), n_permutations=99)
    name = frames.__name__
    frame = result.to_frame(backend=name)
    assert type(frame).__module__.startswith(name)
    assert list(frame["item"]) == result.items["item"]
    assert len(result.to_frame("pairs", backend=name)) == 10
    with pytest.raises(InputError, match='table must be "items"'):
        result.to_frame("rows")
    assert "<table>" in result._repr_html_()
    assert repr(result).startswith("GroupComparison(Groups differ")
    again = json.loads(json.dumps(result.to_dict()))
    assert again["p_value"] == result.p_value
    assert again["items"][0]["item"] == result.items[0]["item"]
    words = [text.get_text() for text in result.plot().axes[0].texts]
    assert {str(item) for item in range(N_ITEMS)} <= {*words}


def test_ratings_with_large_ties_are_compared_by_their_strengths():
    rng = np.random.default_rng(0)
    ratings = rng.integers(1, 4, (80, 12)).astype(float)
    ratings[:40, 0] = 1.0
    ratings[40:, 0] = 3.0
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    groups = np.repeat(["first", "last"], 40)
    found = compare_groups(ratings, groups, unranked="anywhere", n_permutations=199)
    assert found.p_value < 0.05
    assert [row["item"] for row in found.items if row["p_value"] <= 0.05] == [0]


def test_very_many_people_are_not_shuffled():
    ranks = np.argsort(np.random.default_rng(0).random((60, 5)), axis=1) + 1.0
    votes = RankingSet(ranks, tuple("abcde"), counts=np.full(60, 10**8))
    result = compare_groups(votes, np.arange(60) < 20, n_permutations=99)
    assert result.method == "99 random normal draws."


@pytest.mark.parametrize("kind", ["full", "lists"])
def test_three_people_and_three_say_little(kind):
    """Three people are on one side by chance in one of four cases, so no p-value is below."""
    person = np.repeat(np.arange(6), 200)
    ranks = rankings(1200, 1)
    ranks[person < 3] = ranks[person < 3][:, ::-1]
    options = {"groups": person < 3, "people": person, "n_permutations": 999}
    if kind == "lists":
        ranks = np.where(ranks < 3, ranks, np.nan)
        options["unranked"] = "last"
    result = compare_groups(ranks, **options)
    assert result.p_value >= 0.25
    assert min(result.items["p_value"]) >= 0.25
    assert "fewer than 10 people, who say little about their own spread" in result.notes[0]


@pytest.mark.parametrize(("few", "many", "least"), [(3, 30, 1 / 4), (4, 4, 1 / 8), (5, 30, 1 / 16)])
def test_p_is_no_smaller_than_few_people_can_show(few, many, least):
    """Whatever they say: of so few people all are on one side of the others by chance as often."""
    ranks = np.vstack([np.tile([5.0, 4, 3, 2, 1], (few, 1)), np.tile([1.0, 2, 3, 4, 5], (many, 1))])
    result = compare_groups(ranks, np.repeat(["few", "many"], [few, many]), n_permutations=99)
    assert result.p_value == least
    assert min(result.items["p_value"]) == least
    assert any("whatever so few people say" in note for note in result.notes)


def test_five_and_five_are_told_apart_by_permutations():
    """Groups alike in size: unanimous fives are one of 126 ways to deal ten people."""
    ranks = np.vstack([rankings(5, 1)[:, ::-1], rankings(5, 2)])
    ranks[:5, 0], ranks[5:, 0] = 5.0, 1.0
    ranks[:, 1:] = (
        ranks[:, 1:].argsort(axis=1).argsort(axis=1) + np.array([1.0] * 5 + [2.0] * 5)[:, None]
    )
    result = compare_groups(ranks, np.repeat(["a", "b"], 5), n_permutations=1999)
    assert 1 / 126 <= result.p_value < 0.05
    alone = compare_groups(ranks, np.repeat(["a", "b"], 5), n_permutations=1999, confidence=0.9)
    assert alone.items[0]["item"] == 0
    assert alone.items[0]["low"] > 0


@pytest.mark.parametrize("measure", ["places", "listing"])
@pytest.mark.parametrize("people", [2, 3])
def test_intervals_of_few_people_are_possible_differences(people, measure):
    ranks = np.vstack([rankings(people, 1)[:, ::-1], rankings(30, 2)])
    lists = np.where(ranks < 3, ranks, np.nan)
    groups = np.repeat(["few", "many"], [people, 30])
    options = {"unranked": "last", "measure": measure, "n_permutations": 99}
    result = compare_groups(lists, groups, **options)
    largest = N_ITEMS - 1 if measure == "places" else 1
    for table, reach in ((result.items, largest), (result.pairs, 1)):
        for row in table:
            assert -reach <= row["low"] <= row["difference"] <= row["high"] <= reach + 1e-9


@pytest.mark.parametrize("people", [2, 5, 6])
def test_intervals_of_votes_claim_no_more_than_p(people):
    """Of five people p is at least 1/16, however far apart groups are; of six it may be 1/32."""
    person = np.repeat(np.arange(people + 30), 20)
    few = person < people
    ranks = np.vstack([rankings(20 * people, 1)[:, ::-1], rankings(600, 2)])
    result = compare_groups(ranks, few, people=person, measure="strengths", n_permutations=199)
    said = ["Intervals of differences from True hold all" in note for note in result.notes]
    if people == 6:
        assert result.items[0]["p_value"] <= 0.05
        assert 1 < result.items[0]["low"] < result.items[0]["high"] < np.inf
        assert not any(said)
        return
    assert result.p_value == 0.5 ** (people - 1)
    assert result.effect_interval == (0.0, 1.0)
    for row in [*result.items, *result.pairs]:
        assert (row["low"], row["high"]) == (0.0, np.inf)
    assert sum(said) == 1
    page = result.page("Votes")
    assert page.count('<td class="number roomy">–</td>') == N_ITEMS
    assert result.to_dict()["items"][0]["high"] is None


@pytest.mark.parametrize("seed", [32, 40, 56])
def test_two_people_who_agree_claim_no_more_than_p(seed):
    rng = np.random.default_rng(seed)
    strengths = 2.0 * rng.normal(size=(2, N_ITEMS))
    noise = rng.gumbel(size=(22, N_ITEMS))
    groups = np.repeat([0, 1], [2, 20])
    ranks = (-(strengths[groups] + noise)).argsort(axis=1).argsort(axis=1) + 1.0
    result = compare_groups(ranks, groups, n_permutations=199)
    for row in [*result.items, *result.pairs]:
        assert row["low"] <= 1e-9 or row["p_value"] <= 0.05


@pytest.mark.parametrize("kind", ["full", "lists"])
def test_intervals_of_three_people_and_three_hold_no_difference(kind):
    person = np.repeat(np.arange(6), 200)
    ranks = rankings(1200, 1)
    ranks[person < 3] = ranks[person < 3][:, ::-1]
    if kind == "lists":
        ranks = np.where(ranks < 3, ranks, np.nan)
    options = {"people": person, "unranked": "last", "n_permutations": 199}
    result = compare_groups(ranks, person < 3, **options)
    equal = 1.0 if kind == "lists" else 0.0
    for row in [*result.items, *result.pairs]:
        assert row["low"] < equal < row["high"]
    assert result.effect_interval == (0.0, 1.0)
    # Of other intervals p = 0.25 is small enough.
    if kind == "full":
        assert compare_groups(ranks, person < 3, confidence=0.7, **options).items[0]["low"] > 0.0


def test_few_short_lists_of_the_same_people_do_not_differ():
    """Items that none of ten people chose would have strengths without variance."""
    strengths, found = np.linspace(1.5, -1.5, 8), 0
    for seed in range(30):
        noise = np.random.default_rng(seed).gumbel(size=(110, 8))
        ranks = (-(strengths + noise)).argsort(axis=1).argsort(axis=1) + 1.0
        lengths = np.repeat([3, 6], [10, 100])
        lists = np.where(ranks <= lengths[:, np.newaxis], ranks, np.nan)
        compared = compare_groups(lists, lengths, unranked="last", n_permutations=99)
        found += compared.p_value <= 0.05
    assert found <= 8
