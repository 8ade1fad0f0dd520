"""The numbers and sentences of a page about rankings, against counting one by one."""

import numpy as np
import pytest
from scipy.stats import binomtest

from rankcut import RankingSet, make_mallows
from rankcut.datasets import load_lunch
from rankcut.parameters import MOST_COMPARED
from rankcut.pictures.theme import MOST_IN_FIGURE
from rankcut.report.panels import PANELS, find, p_of_most, say_cut
from rankcut.report.study import read_study

UNRANKED = {"full": "error", "ties": "error", "top-k": "last", "incomplete": "anywhere"}


def said(study, panel):
    return PANELS[panel](study).said


def findings(study):
    made = {name: make(study) for name, make in PANELS.items()}
    return find({name: panel for name, panel in made.items() if panel is not None})


@pytest.mark.parametrize("kind", UNRANKED)
def test_numbers_are_those_of_counting(kind):
    lunch = load_lunch(kind)
    found = read_study(lunch, unranked=UNRANKED[kind])
    column = {item: i for i, item in enumerate(lunch.items)}
    ranks = lunch.dense()
    for number, item in enumerate(found.items):
        mine = ranks[:, column[item]]
        listed = ~np.isnan(mine)
        assert found.listed[number] == listed.sum()
        better = [(ranks[r] < mine[r]).sum() for r in np.flatnonzero(listed)]
        assert found.places[number].tolist() == np.bincount(better, minlength=8).tolist()
    # Items are in the order of the consensus, with their own pairs.
    assert (np.diff(found.consensus.ranking_) >= 0).all()
    ranks = np.array([[3.0, 1.0, 2.0], [3.0, 1.0, 2.0], [2.0, 1.0, 3.0]])
    study = read_study(RankingSet(ranks, ("c", "a", "b")))
    assert study.items == ["a", "b", "c"]
    assert study.pairs.shares()[1, 2] == pytest.approx(2 / 3)


def test_a_catalogue_is_cut_to_the_items_listed_most():
    ranks = np.full((30, 60), np.nan)
    for row in range(29):
        ranks[row, : 60 - row] = np.arange(1, 61 - row)
    ranks[29, 59] = 1.0
    catalogue = RankingSet(ranks, tuple(f"i{k}" for k in range(60)))
    found = read_study(catalogue, unranked="anywhere")
    sparse = read_study(catalogue.sparse(), items=catalogue.items, unranked="anywhere")
    assert sorted(found.items) == sorted(f"i{k}" for k in range(MOST_IN_FIGURE))
    assert (found.items, found.places.tolist()) == (sparse.items, sparse.places.tolist())
    assert say_cut(found) == say_cut(sparse)
    assert say_cut(found) == (
        "This page is about the 40 items that most rankings list, of 60; places count these items "
        "only. 1 ranking that lists none of them is left out."
    )


def test_maps_are_of_a_sample_and_all_else_is_of_everyone():
    votes = make_mallows(MOST_COMPARED + 500, 4, phi=0.8, random_state=0)
    found = read_study(RankingSet(votes.ranks, ("a", "b", "c", "d")))
    assert found.sample[0].counts.sum() == MOST_COMPARED
    assert found.places.sum() == 4 * (MOST_COMPARED + 500)
    assert "It has 1,000 of 1,500 rankings, drawn at random." in said(found, "map")
    few = read_study(RankingSet(votes.ranks[:90], ("a", "b", "c", "d")))
    assert "drawn at random" not in said(few, "map")  # where some are equal


def test_sentences_follow_the_numbers():
    same = read_study(RankingSet(np.array([[1.0, 2.0, 3.0]]), ("x", "y", "z"), counts=[50]))
    assert said(same, "contents").startswith(
        "50 rankings of 3 items: all are full. All give the same order. Each ranking lists 3 "
    )
    assert said(same, "consensus").startswith("x comes first (95 % sure). Agreement: Kendall's W 1")
    assert said(same, "places") == (
        "x is put first by 100 %, more often than any other item (95 % sure)."
    )
    assert said(same, "pairs").startswith("3 of 3 pairs have a majority that chance does not")
    assert "100 % of those who compare them put x before y." in said(same, "pairs")
    pair = read_study(RankingSet(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]), ("x", "y", "z")))
    assert said(pair, "map").endswith("not looked for among fewer than 20 rankings.")
    assert said(pair, "places") == (
        "x is put first by 100 %, and y by 0 %; so few people cannot tell which is put first more "
        "often (p = 0.50)."
    )
    ranks = np.array([[1.0, 2.0, np.nan], [2.0, 1.0, 3.0], [1.0, np.nan, np.nan]])
    short = read_study(RankingSet(ranks, ("x", "y", "z"), counts=[1, 1, 2]), unranked="last")
    assert "Rankings list 1 to 3 items, half of them 1.5 or fewer." in said(short, "contents")


def test_who_is_first_most_often_is_sure_as_often_as_it_says():
    """Oracle: the sign test of SciPy; and five, eight or two equal items are rarely told apart."""
    for most, second in ((30, 15), (9, 1), (12, 12), (200, 160)):
        expected = binomtest(most, most + second, 0.5).pvalue
        np.testing.assert_allclose(p_of_most(most, second), expected, rtol=1e-9)
    chance = np.random.default_rng(0)
    for n_items in (2, 5, 8):
        votes = np.sort(chance.multinomial(100, np.full(n_items, 1 / n_items), size=2000), axis=1)
        wrong = np.mean([p_of_most(*row) <= 0.05 for row in votes[:, [-1, -2]].tolist()])
        assert wrong <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)


def noise(kind):
    chance = np.random.default_rng(5)
    ranks = np.array([chance.permutation(8) + 1.0 for _ in range(160)])
    if kind == "top-k":
        ranks[ranks > 3] = np.nan
    if kind == "incomplete":
        ranks[chance.random(ranks.shape) < 0.4] = np.nan
    return np.ceil(ranks / 2) if kind == "ties" else ranks


@pytest.mark.parametrize("kind", UNRANKED)
def test_on_noise_nothing_stands_out(kind):
    sides = np.arange(160) % 4
    study = read_study(noise(kind), sides, unranked=UNRANKED[kind])
    told = [sentence for sentence, _ in findings(study)]
    assert told[0] == "Nothing stands out: what there is could be chance."
    assert told[1].startswith("No difference between groups was found (p = 0.")
    assert told[2] == "No clear winner: all 8 items could be first (95 % sure)."
    assert 3 <= len(told) <= 5
    assert "No direction stands out." in said(study, "map")
    assert said(study, "pairs") == "No majority is more than chance explains, in any of 28 pairs."
    assert "(95 % sure)" not in said(study, "places")
    assert PANELS["graph"](study) is None


@pytest.mark.parametrize("kind", UNRANKED)
def test_a_planted_difference_of_groups_comes_first(kind):
    ranks, sides = noise(kind), np.array(["north", "south"] * 80)
    ranked = ~np.isnan(ranks[:, 0]) | (kind == "top-k")
    ranks[ranked & (sides == "north"), 0] = 0.5
    study = read_study(ranks, sides, items=list("abcdefgh"), unranked=UNRANKED[kind])
    (first, panel), *_ = findings(study)
    assert panel == "groups"
    assert first.startswith(("Groups differ (p ≤ 0.0001)", "Groups differ (p = "))
    assert "higher in north than in south" in first or "stronger in north than in south" in first


def test_weights_people_and_strata_count():
    ranks = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]] * 30)
    weights = np.tile([3.5, 0.5], 30)
    weighed = read_study(ranks, sample_weight=weights)
    assert weighed.description.n_rankings == 60
    assert weighed.places[0, 0] / weighed.places[0].sum() == pytest.approx(3.5 / 4)
    person = np.arange(60) // 20
    repeated = read_study(ranks[::2].repeat(2, axis=0), people=person, items=list("xyz"))
    assert repeated.n_people == 3
    assert findings(repeated)[0][0].startswith("Nothing stands out")
    # Groups differ only because one is more often in each stratum.
    column = {"side": np.repeat(["a", "b", "a", "b"], [25, 5, 5, 25]), "town": np.arange(60) // 30}
    votes = RankingSet(np.repeat(ranks[:2], 30, axis=0), ("x", "y", "z"), columns=column)
    assert read_study(votes, by="side").comparison.p_value <= 0.05
    assert read_study(votes, by="side", strata="town").comparison.p_value > 0.5


def test_counts_are_repeated_rows():
    ranks = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0]])
    counted = read_study(ranks, counts=[9, 4, 7])
    repeated = read_study(np.repeat(ranks, [9, 4, 7], axis=0))
    assert counted.description.n_rankings == 20
    for panel in ("consensus", "pairs", "places"):
        assert said(counted, panel) == said(repeated, panel)
