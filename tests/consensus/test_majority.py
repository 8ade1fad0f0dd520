"""Majorities: winners, circles, Copeland's scores, and the sentences about them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcut.consensus.majority import (
    components,
    copeland_scores,
    majority_sentence,
    pairwise_winner,
    shortest_cycle,
)


def tournament(n_items, wins):
    margins = np.zeros((n_items, n_items))
    for i, j in wins:
        margins[i, j], margins[j, i] = 1.0, -1.0
    return margins


CIRCLE = tournament(3, [(0, 1), (1, 2), (2, 0)])
BELOW = tournament(4, [(3, 0), (3, 1), (3, 2), (0, 1), (1, 2), (2, 0)])


def test_ties_are_half_wins_and_the_first_of_equals_comes_first():
    assert copeland_scores(tournament(3, [(0, 1)])).tolist() == [1.5, 0.5, 1.0]
    apart = components(np.zeros((3, 3), dtype=bool), np.array([0.5, 1.0, 0.5]))
    assert [items.tolist() for items in apart] == [[1], [0], [2]]


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_circles_and_components_agree_with_the_relation(n_items, seed):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(-1, 2, (n_items, n_items)), 1).astype(float)
    margins = upper - upper.T
    sets = components(margins > 0, copeland_scores(margins))
    assert sorted(np.concatenate(sets).tolist()) == list(range(n_items))
    for place, items in enumerate(sets):
        for later in sets[place + 1 :]:
            assert (margins[np.ix_(items, later)] >= 0).all()
    cycle = shortest_cycle(margins)
    assert bool(cycle) == any(len(items) > 1 for items in sets)
    for one, following in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        assert margins[one, following] > 0
    winner = pairwise_winner(margins)
    unbeaten = [i for i in range(n_items) if (np.delete(margins[i], i) > 0).all()]
    assert winner == (unbeaten[0] if unbeaten else None)


@pytest.mark.parametrize(
    ("margins", "sentence"),
    [
        (CIRCLE, "cycle: 'a' beats 'b', 'b' beats 'c', 'c' beats 'a'."),
        (BELOW, "'d' beats every other item in a pairwise comparison. Majorities below it form a"),
        (
            np.zeros((2, 2)),
            "No item beats every other item in a pairwise comparison: all pairs are",
        ),
        (tournament(3, [(0, 2), (1, 2)]), "'a', 'b' are not beaten, but tied."),
        (np.zeros((1, 1)), "There is only one item"),
    ],
)
def test_what_majorities_say_in_words(margins, sentence):
    assert sentence in majority_sentence(margins, "abcd"[: len(margins)])
