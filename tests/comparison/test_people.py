"""Who counts how often: levels, intervals, people in several groups, strata, and what is said."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rankcut import compare_groups

N_ITEMS = 5
BASE = np.linspace(1, -1, N_ITEMS)


def rankings(rng, n, strengths=BASE):
    scores = strengths + rng.gumbel(size=(n, N_ITEMS))
    return (-scores).argsort(axis=1).argsort(axis=1) + 1.0


def voters(rng, sizes, often, kind, taste=0.0):
    """People who made so many rankings each, and the options of compare_groups."""
    person = np.repeat(np.arange(sum(sizes)), np.repeat(often, sizes))
    tastes = BASE + taste * rng.normal(size=(sum(sizes), N_ITEMS))
    ranks = rankings(rng, len(person), tastes[person])
    group = np.repeat(np.arange(len(sizes)), sizes)[person]
    options = {"groups": group, "people": person, "n_permutations": 99}
    if kind == "full":
        return ranks, options
    pair = rng.random(ranks.shape).argsort(axis=1) < 2
    return np.where(pair, ranks, np.nan), options | {"unranked": "anywhere"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["full", "pairs"])
@pytest.mark.parametrize(
    ("sizes", "often"), [((12, 40), (80, 6)), ((4, 30), (80, 6)), ((8, 25, 60), (60, 10, 2))]
)
def test_groups_of_big_and_small_voters_do_not_differ(sizes, often, kind):
    rng, found = np.random.default_rng(0), 0
    for number in range(100):
        ranks, options = voters(rng, sizes, often, kind, taste=0.7 * (number % 2))
        found += compare_groups(ranks, **options).p_value <= 0.05
    # The binomial distribution has more than this in one of a thousand at a level of 5 %.
    assert found <= 13


@pytest.mark.parametrize("kind", ["full", "pairs"])
def test_a_few_people_are_no_crowd(kind):
    """Eight people with tastes of their own and 150 rankings each, beside forty with two."""
    rng, of_people, of_crowd = np.random.default_rng(3), 0, 0
    for _ in range(10):
        ranks, options = voters(rng, (8, 40), (150, 2), kind, taste=1.5)
        people = compare_groups(ranks, **options)
        of_people += people.p_value <= 0.05
        of_crowd += compare_groups(ranks, **options | {"people": None}).p_value <= 0.05
    assert of_people <= 4 < of_crowd
    assert people.n_units == 48
    assert people.notes == (
        "0 has fewer than 10 people, who say little about their own spread: p-values hold if "
        "groups have the same spread, and may not otherwise.",
    )


@pytest.mark.parametrize("measure", ["places", "strengths"])
def test_intervals_hold_the_difference(measure):
    rng = np.random.default_rng(1)
    ranks = np.vstack([rankings(rng, 300), rankings(rng, 200, BASE + 0.8 * np.eye(N_ITEMS)[2])])
    groups = np.repeat(["a", "b"], [300, 200])
    options = {"measure": measure, "n_permutations": 99}
    narrow, wide = (compare_groups(ranks, groups, confidence=c, **options) for c in (0.8, 0.99))
    assert narrow.items["item"] == wide.items["item"]
    for rows in (narrow.items, narrow.pairs):
        assert all(row["low"] < row["high"] for row in rows)
    for one, other in zip(narrow.items, wide.items, strict=True):
        assert other["low"] < one["low"] < one["high"] < other["high"]
    row = wide.items[0]
    assert row["item"] == 2
    if measure == "strengths":
        # About the mean of all items, one item up by .8 is that one up by .64.
        assert row["low"] < np.exp(0.64) < row["high"]
        assert_allclose(np.log(row["odds_ratio"]), row["difference"])
    else:
        assert_allclose((row["low"] + row["high"]) / 2, row["difference"])
    assert wide.confidence == 0.99
    assert "Intervals are 99 % confidence intervals" in wide.summary()


def test_strengths_within_strata_and_people():
    """What strata explain is no difference; one within them has its right size."""
    rng = np.random.default_rng(2)
    town, shift = np.repeat([0, 1], 600), np.eye(N_ITEMS)[2]
    groups = (rng.random(1200) < np.where(town, 0.8, 0.2)).astype(int)
    tastes = np.where(town[:, None], -BASE, BASE)
    for effect in (0.0, 1.0):
        strengths = tastes + effect * groups[:, None] * shift
        ranks = rankings(rng, 1200, strengths)
        ranks[rng.random(ranks.shape) < 0.3] = np.nan
        options = {"unranked": "anywhere", "n_permutations": 999}
        assert compare_groups(ranks, groups, **options).p_value == 0.001
        within = compare_groups(ranks, groups, strata=town, **options)
        assert (within.p_value < 0.01) == (effect > 0)
    row = next(row for row in within.items if row["item"] == 2)
    assert_allclose(row["difference"], 0.8, atol=0.2)
    # Each person is asked twice; the second time they like one item a bit more.
    tastes = 2 * rng.normal(size=(60, N_ITEMS))
    ranks = np.vstack([rankings(rng, 60, tastes), rankings(rng, 60, tastes + 1.5 * shift)])
    ranks[rng.random(ranks.shape) < 0.1] = np.nan
    rounds, people = np.repeat(["first", "second"], 60), np.tile(np.arange(60), 2)
    paired = compare_groups(ranks, rounds, people=people, unranked="anywhere")
    apart = compare_groups(ranks, rounds, unranked="anywhere")
    assert paired.p_value < 0.01 < apart.p_value
    assert paired.items[0]["item"] == 2


def test_odd_groups_are_joined_or_left_out():
    rng = np.random.default_rng(4)
    groups = ["female"] * 20 + ["Female "] * 3 + ["male"] * 20 + ["other"]
    result = compare_groups(rankings(rng, 44), groups, n_permutations=19)
    assert result.groups == {"female": 23, "male": 20}
    assert result.notes == (
        "Joined with group 'female': 'Female '.",
        "Left out, with one ranking or none: 'other'.",
    )


def test_a_few_people_beside_larger_groups_change_nothing():
    rng = np.random.default_rng(6)
    ranks = rankings(rng, 44)
    groups = ["female"] * 20 + ["male"] * 20 + ["other"] * 4
    result = compare_groups(ranks, groups, n_permutations=99)
    alone = compare_groups(ranks[:40], groups[:40], n_permutations=99)
    assert result.notes == (
        "Left out, with fewer than 5 rankings, too few to differ clearly: 'other'.",
    )
    for column in ("item", "difference", "low", "high", "p_value"):
        assert list(result.items[column]) == list(alone.items[column])
    # Nobody is larger: all that is known of the few is said.
    two = compare_groups(ranks[20:], groups[20:], n_permutations=99)
    assert two.groups == {"male": 20, "other": 4}
    assert two.p_value > 0.05


@pytest.mark.parametrize("kind", ["full", "pairs"])
def test_neither_names_nor_orders_matter(kind):
    rng = np.random.default_rng(5)
    ranks, options = voters(rng, (9, 12, 15), (5, 3, 1), kind, taste=0.5)
    options["n_permutations"] = 2999
    first = compare_groups(ranks, **options)
    rows, columns = rng.permutation(len(ranks)), rng.permutation(N_ITEMS)
    names = np.array(["z", "a", "m"])[options["groups"]]
    again = compare_groups(
        ranks[rows][:, columns],
        **options | {"groups": names[rows], "people": options["people"][rows]},
    )
    # Rounding may move a few draws.
    assert_allclose(again.p_value, first.p_value, atol=0.002)
    p = dict(zip(first.items["item"], first.items["p_value"], strict=True))
    for row in again.items:
        assert_allclose(row["p_value"], p[columns[row["item"]]], atol=0.002)
