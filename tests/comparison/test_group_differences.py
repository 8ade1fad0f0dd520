"""compare_groups as a user meets it: numbers that agree with others', all kinds of input, words."""

import json
from dataclasses import replace

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose
from ranking_sets import stored
from scipy import stats

import rankcut.comparison.permutations as permutations
from rankcut import GraphCutFeatures, RankingSet, compare_groups, independence_test
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
    """Two people are little evidence, whatever the other groups say."""
    ranks = np.vstack(
        [rankings(80, 1), rankings(80, 2, 2.0), [[3.0, 4, 1, 2, 5], [2.0, 1, 5, 4, 3]]]
    )
    groups = np.repeat(["a", "b", "two"], [80, 80, 2])
    result = compare_groups(ranks, groups, n_permutations=999)
    row = next(row for row in result.items if row["item"] == 2)
    assert {row["higher_in"], row["lower_in"]} == {"a", "b"}
    assert row["p_value"] == 0.001
    others = {(r["first"], r["second"]): r["p_value"] for r in result.between}
    assert others["a", "two"] > 0.05


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


def test_many_permutations_agree_with_welch(monkeypatch):
    ranks = np.vstack([rankings(1200, 1), rankings(1500, 2, 0.15)])
    groups = np.repeat(["a", "b"], [1200, 1500])
    welch = compare_groups(ranks, groups)
    assert (welch.n_permutations, welch.p_floor) == (0, 0.0)
    assert welch.method == "Normal approximation, as there are very many rankings."
    monkeypatch.setattr(permutations, "ENOUGH", 10_000)
    drawn = compare_groups(ranks, groups, n_permutations=1999)
    assert drawn.method == "1,999 random permutations."
    assert 0.001 < drawn.p_value < 0.2
    # The larger of the two, and permutations are a bit sharper than corrections of many z.
    assert drawn.p_value == pytest.approx(welch.p_value, rel=0.2)
    p, q = np.array(drawn.items["p_value"]), np.array(welch.items["p_value"])
    assert (p >= q - 1e-12).all()
    assert (p <= q + 0.05).all()
    # A unit that outweighs the others needs permutations.
    monkeypatch.setattr(permutations, "ENOUGH", 1_000)
    weights = np.ones(2700)
    weights[0] = 60.0
    heavy = compare_groups(ranks, groups, sample_weight=weights, n_permutations=19)
    assert heavy.n_permutations == 19


def test_very_many_rankings_have_fewer_permutations(monkeypatch):
    monkeypatch.setattr(permutations, "_WORK", 1)
    result = compare_groups(*two_groups(), n_permutations=999)
    assert result.n_permutations == 199
    assert "Fewer than 999 permutations, as there are many rankings." in result.notes


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
    assert "east has the weight of fewer than 10 rankings: p-values hold" in heavy.notes[0]


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
    result = compare_groups(lists, groups, unranked="last", n_permutations=199)
    first, *others = result.items
    assert (first["item"], first["higher_in"], first["p_value"]) == (2, "b", 0.005)
    assert "1.22 stronger in b than in a" in result.summary() or 0.9 < first["difference"] < 1.5
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
    expected = holm(2 * stats.norm.sf(np.abs(gaps[0] - gaps[1]) / np.sqrt(spread)))
    got = {(row["first"], row["second"]): row["p_value"] for row in result.pairs}
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    assert_allclose([got[pair] for pair in pairs], expected, rtol=0.2, atol=0.02)
    assert min(expected) < 0.01


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
        ranks[::2] = np.nan
    result = compare_groups(ranks, ["a", "b"] * 3, unranked=unranked, n_permutations=19)
    assert result.p_value == 1
    assert (result.listing is None) == (unranked == "error")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": ["a"] * 6}, "groups has a single value, 'a'; compare two groups or more"),
        ({"groups": list("aaaaab")}, "groups has one ranking in group 'b'; leave that group out"),
        ({"groups": [None] * 6}, "groups has no value for any ranking"),
        ({"groups": ["a", "b"]}, "groups has shape .* but there are 6 rankings"),
        ({"people": [1, 1, 2, 3, 3, 3]}, "groups has one person in group 'b'"),
        ({"people": [1, 1, None, 3, 3, 3]}, "row 2: people has no value; give one"),
        (
            {"groups": [None, *"aabbb"], "people": [1, 1, None, 3, 3, 4]},
            "row 2: people has no value",
        ),
        ({"strata": [1, 1, 1, 2, 2, 2]}, "groups has groups that share no stratum"),
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
    figure = result.plot()
    assert len(figure.axes[0].get_yticklabels()) == N_ITEMS


def test_independence_of_a_category_is_a_comparison_of_groups():
    ranks, groups = two_groups(20, 0.7)
    one = compare_groups(ranks, groups, n_permutations=1999)
    other = independence_test(ranks, {"group": groups}, n_permutations=1999)
    # The sum over items alone, rather than with the largest and Hotelling's.
    assert other.p_value == pytest.approx(one.p_value, abs=0.1)
    assert other.effect_size == pytest.approx(one.effect_size)


def test_independence_of_a_number_equals_scipy():
    ranks = rankings(6, 4)
    age = np.array([20.0, 31, 47, 50, 64, 80])
    centred = ranks - ranks.mean(axis=0)

    def statistic(x):
        gap = x - x.mean()
        return ((gap @ centred) ** 2 / (gap**2 @ centred**2)).sum()

    expected = stats.permutation_test(
        (age,), statistic, permutation_type="pairings", alternative="greater", n_resamples=np.inf
    )
    got = independence_test(ranks, {"age": age})
    # Within four Monte Carlo errors.
    error = np.sqrt(expected.pvalue * (1 - expected.pvalue) / 9999)
    assert got.p_value == pytest.approx(expected.pvalue, abs=4 * error)


def test_independence_of_mixed_covariates(frames):
    ranks = rankings(120, 4)
    rng = np.random.default_rng(0)
    table = {
        "age": (ranks[:, 0] + rng.normal(size=120)).tolist(),
        "town": rng.choice(["Ayr", "Bude", "Cork"], 120).tolist(),
    }
    result = independence_test(ranks, frames.DataFrame(table), n_permutations=199)
    p = {row["covariate"]: row["p_value"] for row in result.covariates}
    assert p["age"] == 0.01
    assert p["town"] > 0.05
    assert result.items[0]["item"] == 0
    assert "Rankings depend on the covariates (p ≤ 0.005)" in result.summary()
    assert list(result.to_frame(backend=frames.__name__)["covariate"]) == ["age", "town"]
    labels = result.plot().axes[0].get_yticklabels()
    assert sorted(text.get_text() for text in labels) == [str(item) for item in range(N_ITEMS)]
    table["age"][5] = None
    again = independence_test(ranks, table, n_permutations=99)
    assert again.notes == ("1 ranking without a value left out.",)
    assert again.n_rankings == 119


def test_independence_counts_and_people():
    ranks = rankings(30, 4)
    age = ranks[:, 0] + np.random.default_rng(0).normal(size=30)
    counts = np.random.default_rng(1).integers(1, 3, 30)
    votes = RankingSet(ranks, tuple(range(N_ITEMS)), counts=counts)
    one = independence_test(votes, {"age": age}, n_permutations=99)
    expanded = np.repeat(np.arange(30), counts)
    other = independence_test(ranks[expanded], {"age": age[expanded]}, n_permutations=99)
    assert one.p_value == other.p_value
    assert one.effect_size == pytest.approx(other.effect_size)
    people = independence_test(
        np.repeat(ranks, 2, axis=0),
        {"age": np.repeat(age, 2)},
        people=np.repeat(np.arange(30), 2),
        n_permutations=99,
    )
    plain = independence_test(ranks, {"age": age}, n_permutations=99)
    assert people.effect_size == pytest.approx(plain.effect_size, rel=1e-9)


def test_independence_leaves_out_rankings_without_weight():
    ranks, rng = rankings(60, 4), np.random.default_rng(0)
    table = {"age": ranks[:, 0] + rng.normal(size=60), "height": rng.normal(size=60)}
    weights = (rng.random(60) + 0.5) * (rng.random(60) < 0.7)
    kept = weights > 0
    some = {name: column[kept] for name, column in table.items()}
    one = independence_test(ranks, table, sample_weight=weights, n_permutations=99)
    other = independence_test(ranks[kept], some, sample_weight=weights[kept], n_permutations=99)
    assert one.p_value == other.p_value
    assert one.covariates["p_value"] == other.covariates["p_value"]
    assert one.covariates["effect_size"] == pytest.approx(other.covariates["effect_size"])
    assert one.covariates["p_value"][0] < 0.05
    assert one.n_rankings == kept.sum()


@pytest.mark.parametrize(
    ("covariates", "message"),
    [
        ({}, "covariates has no columns"),
        ({"age": [1.0] * 40}, "covariates are the same for all"),
        ({"age": [None, np.inf] + [1.0] * 38}, "row 1: column 'age' has an infinite value"),
        ({"name": [f"n{i}" for i in range(40)]}, "column 'name' has 40 different values"),
        ({"age": [1.0, 2.0]}, "age has shape"),
        ({"age": [None] * 40}, "fewer than three rankings with values"),
    ],
)
def test_independence_errors(covariates, message):
    with pytest.raises(InputError, match=message):
        independence_test(rankings(40), covariates)


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


def test_too_many_people_to_shuffle_are_refused_in_one_line():
    ranks = np.argsort(np.random.default_rng(0).random((30, 5)), axis=1) + 1.0
    few = np.arange(30) < 2
    votes = RankingSet(ranks, tuple("abcde"), counts=np.where(few, 1, 10**9))
    with pytest.raises(InputError, match=r"28,000,000,002 people are too many .*; divide all"):
        compare_groups(votes, few, random_state=0)


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
