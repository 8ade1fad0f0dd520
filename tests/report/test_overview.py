"""The numbers and sentences of a page about rankings, against counting one by one."""

import numpy as np
import pytest

from rankcut import RankingSet, make_mallows
from rankcut.datasets import load_lunch
from rankcut.parameters import MOST_COMPARED
from rankcut.pictures.theme import MOST_ITEMS
from rankcut.rankings import read_rankings
from rankcut.report import overview
from rankcut.report.panels import (
    say_blocs,
    say_consensus,
    say_contents,
    say_cut,
    say_groups,
    say_lengths,
    say_pairs,
    say_places,
)


def survey(rankings, *by, unranked="error", **options):
    return overview.survey(rankings, read_rankings(rankings, unranked=unranked), *by, **options)


UNRANKED = {"full": "error", "ties": "error", "top-k": "last", "incomplete": "anywhere"}


@pytest.mark.parametrize("kind", UNRANKED)
def test_numbers_are_those_of_counting(kind):
    lunch = load_lunch(kind)
    found = survey(lunch, unranked=UNRANKED[kind])
    column = {item: i for i, item in enumerate(lunch.items)}
    ranks = lunch.dense()
    for number, item in enumerate(found.items):
        mine = ranks[:, column[item]]
        listed = ~np.isnan(mine)
        assert found.listed[number] == listed.sum()
        better = [(ranks[r] < mine[r]).sum() for r in np.flatnonzero(listed)]
        assert found.places[number].tolist() == np.bincount(better, minlength=8).tolist()
    lengths = (~np.isnan(ranks)).sum(axis=1)
    assert found.lengths.tolist() == np.bincount(lengths, minlength=9).tolist()
    assert (np.diff(found.consensus.ranking) >= 0).all()


def test_items_are_in_the_order_of_the_consensus_with_their_own_pairs():
    ranks = np.array([[3.0, 1.0, 2.0], [3.0, 1.0, 2.0], [2.0, 1.0, 3.0]])
    found = survey(RankingSet(ranks, ("c", "a", "b")))
    assert found.items == ["a", "b", "c"]
    assert found.consensus.pairwise[1, 2] == pytest.approx(2 / 3)
    assert found.consensus.pairwise[2, 1] == pytest.approx(1 / 3)


def test_a_catalogue_is_cut_to_the_items_listed_most():
    ranks = np.full((30, 60), np.nan)
    for row in range(29):
        ranks[row, : 60 - row] = np.arange(1, 61 - row)
    ranks[29, 59] = 1.0
    found = survey(RankingSet(ranks, tuple(f"i{k}" for k in range(60))), unranked="anywhere")
    assert sorted(found.items) == sorted(f"i{k}" for k in range(MOST_ITEMS))
    assert found.n_left_out == 1
    assert "the 40 items that most rankings list, of 60" in say_cut(found)
    assert "1 ranking with none of them left out" in say_cut(found)


def test_maps_are_of_a_sample_and_all_else_is_of_everyone():
    votes = make_mallows(MOST_COMPARED + 500, 4, phi=0.8, random_state=0)
    found = survey(RankingSet(votes.ranks, ("a", "b", "c", "d")))
    assert found.sample.counts.sum() == MOST_COMPARED
    assert found.places.sum() == 4 * (MOST_COMPARED + 500)


def test_sentences_follow_the_numbers():
    same = survey(RankingSet(np.array([[1.0, 2.0, 3.0]]), ("x", "y", "z"), counts=[50]))
    assert say_contents(same).startswith(
        "50 rankings of 3 items: all are full. All give the same order."
    )
    assert "1 thing to check" in say_contents(same)
    assert say_lengths(same) == "Each ranking lists all 3 items."
    assert say_consensus(same).startswith("x comes first, and with 95 % confidence no other item")
    assert say_places(same) == "x is put first most often, by 100 %."
    assert say_pairs(same).startswith("Clearest: x before y (100 % of those who compare them).")
    # x is in places 1, 2, 3 and 3 of equally many, y in 2, 1, 1 and 2, z in 3, 3, 2 and 1.
    places = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [3.0, 1.0, 2.0], [3.0, 2.0, 1.0]])
    apart = survey(RankingSet(places, ("x", "y", "z"), counts=[3, 3, 3, 3]))
    assert say_places(apart) == (
        "y is put first most often, by 50 %. People disagree most about x: the middle half of "
        "those who list it put it between places 1 and 3."
    )
    # Two of three pairs alike.
    pair = survey(RankingSet(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]), ("x", "y", "z")))
    assert "Two people agree on 67 % of the pairs that both order" in say_consensus(pair)
    assert say_blocs(pair) == "Blocs are not looked for among fewer than 20 rankings."
    ranks = np.array([[1.0, 2.0, np.nan], [2.0, 1.0, 3.0], [1.0, np.nan, np.nan]])
    short = survey(RankingSet(ranks, ("x", "y", "z"), counts=[1, 1, 2]), unranked="last")
    assert say_lengths(short) == (
        "Rankings list 1 to 3 items; half list 1.5 or fewer. The most common length is 1 (50 %). "
        "25 % list all 3 items."
    )


def test_groups_are_told_apart_with_a_test_and_an_effect():
    ranks = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]])
    votes = RankingSet(ranks, ("x", "y", "z"), counts=[30, 30])
    found = survey(votes, ["north", "south"], by_name="side")
    assert "Groups differ (p" in say_groups(found)
    assert "most about x, 2.0 places higher in north than in south." in say_groups(found)
    assert "permutations" in found.comparison["method"]
