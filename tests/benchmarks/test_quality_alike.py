"""Measures of likeness: what finders that know everything, or nothing, get by them."""

import numpy as np
import pytest
from quality_alike import Judged, by_pairs, hidden_items, known_of_people, lead, own_half, verdicts
from quality_people import People
from scipy.stats import norm

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


def itself(known, ranks, case):
    return ranks - ranks.mean()


def by_taste(known, ranks, case):
    return np.eye(2)[TASTES[: len(ranks)]]


def test_own_half_is_found_by_who_knows_and_by_chance_otherwise():
    knowing = own_half(CASE, lambda known, ranks, case: np.tile(np.eye(len(ranks) // 2), (2, 1)), 0)
    assert knowing["mrr"].score == pytest.approx(1)
    assert knowing["auc"].score == pytest.approx(1)
    guessing = own_half(CASE, by_chance, 0)
    assert guessing["auc"].score == pytest.approx(0.5, abs=0.15)


def test_people_who_are_the_same_for_everyone_have_nothing_in_common_with_each():
    assert known_of_people(CASE, by_taste, 0)["known"].score == pytest.approx(1.0)
    assert abs(known_of_people(CASE, same_for_all, 0)["known"].score) < 0.1
    assert known_of_people(People(RANKS, "anywhere", None, {}), by_taste, 0) == {}


def test_those_of_one_taste_agree_on_hidden_items():
    alike, anyone = (hidden_items(CASE, find, 0)["hidden"] for find in (by_taste, by_chance))
    mean, error = lead(CASE, alike, anyone)
    assert mean > 3 * error


def test_a_score_is_the_mean_of_ratios_and_its_parts_add_up_to_nothing():
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 3, (6, 6)).astype(float)
    counts[2] = 0
    shared = rng.normal(size=(6, 6)) * counts
    judged = by_pairs(shared, counts, np.arange(6), 8)
    rows = [i for i in range(6) if i != 2]
    assert judged.score == pytest.approx(np.mean([shared[i].sum() / counts[i].sum() for i in rows]))
    assert judged.parts.shape == (8, 8)
    assert judged.parts.sum() == pytest.approx(0, abs=1e-12)


def test_the_error_is_how_much_the_lead_varies_with_labels_that_say_nothing():
    leads, errors = [], []
    rng = np.random.default_rng(4)
    for _ in range(60):
        case = People(RANKS, "anywhere", None, {"taste": rng.permutation(TASTES)})
        one, other = (known_of_people(case, find, 0)["known"] for find in (itself, by_chance))
        mean, error = lead(case, one, other)
        leads.append(mean)
        errors.append(error)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(leads), rel=0.3)


def test_lists_of_one_owner_are_not_independent():
    case = People(RANKS, "anywhere", None, {"taste": TASTES, "pair": np.arange(120) // 2}, "pair")
    apart = People(RANKS, "anywhere", None, case.known)
    parts = np.diag(np.repeat(np.random.default_rng(5).normal(size=60), 2))
    one, nothing = Judged(0.0, parts), Judged(0.0, np.zeros((120, 120)))
    assert lead(case, one, nothing)[1] == pytest.approx(np.sqrt(2) * lead(apart, one, nothing)[1])


def test_verdicts_allow_for_picking_the_best():
    *said, p_value = verdicts([(1.0, 0.4), (2.0, 0.4)])
    assert said == ["ahead", "ahead"]
    assert p_value == pytest.approx(2 * norm.sf(2.5))
    # Ahead of the best of the others, but not surely of another.
    assert verdicts([(1.0, 0.4), (1.1, 2.0)])[:2] == ("ahead", "=")
    assert verdicts([(-1.0, 0.47), (2.0, 0.4)])[:2] == ("behind", "=")
    assert verdicts([(-1.0, 0.4), (2.0, 0.4)])[:2] == ("behind", "behind")
    assert verdicts([(-2.0, 1.5), (-1.0, 0.1)])[:2] == ("=", "behind")
