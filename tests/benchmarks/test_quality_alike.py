"""Measures of likeness: what finders that know everything, or nothing, get by them."""

import numpy as np
import pytest
from quality_alike import hidden_items, known_of_people, lead, own_half
from quality_people import People

RNG = np.random.default_rng(0)
TASTES = np.arange(120) % 2
RANKS = np.argsort(
    np.argsort(RNG.normal(size=(120, 12)) + 3 * TASTES[:, None] * np.arange(12), axis=1), axis=1
).astype(float)
CASE = People(RANKS, "anywhere", None, {"taste": TASTES})


def by_chance(known, ranks, case):
    rng = np.random.default_rng(1)
    return rng.normal(size=(len(ranks), 20))


def same_for_all(known, ranks, case):
    """Everyone's nearest are the same few people."""
    rng = np.random.default_rng(2)
    return np.abs(rng.normal(size=(len(ranks), 1))) @ np.ones((1, 3)) + 1e-6


def by_taste(known, ranks, case):
    return np.eye(2)[TASTES[: len(ranks)]]


def test_own_half_is_found_by_who_knows_and_by_chance_otherwise():
    knowing = own_half(CASE, lambda known, ranks, case: np.tile(np.eye(len(ranks) // 2), (2, 1)), 0)
    assert knowing["mrr"].min() == 1
    assert knowing["auc"].min() == 1
    guessing = own_half(CASE, by_chance, 0)
    assert guessing["auc"].mean() == pytest.approx(0.5, abs=0.15)


def test_people_who_are_the_same_for_everyone_have_nothing_in_common_with_each():
    assert known_of_people(CASE, by_taste, 0)["known"].mean() == pytest.approx(1.0)
    assert abs(known_of_people(CASE, same_for_all, 0)["known"].mean()) < 0.1
    assert known_of_people(People(RANKS, "anywhere", None, {}), by_taste, 0) == {}


def test_those_of_one_taste_agree_on_hidden_items():
    alike, anyone = (hidden_items(CASE, find, 0)["hidden"] for find in (by_taste, by_chance))
    mean, error = lead(alike, anyone)
    assert mean > 3 * error
