from itertools import product

import numpy as np
import pytest
from scipy import stats

from reproduction.comparisons import (
    Interval,
    Scores,
    by_both,
    every_outcome,
    negated,
    share_outcome,
    verdict,
)
from reproduction.findings import Outcome


def interval(low, high):
    return Interval((low + high) / 2, low, high, 30)


def test_intervals_are_students():
    values = np.random.RandomState(0).normal(size=12)
    found = Interval.of(values)
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    assert Interval.of([0.5]).high == np.inf


@pytest.mark.parametrize(
    ("bounds", "better", "worse", "in_line", "equal"),
    [
        ((0.03, 0.05), True, False, True, False),
        ((0.005, 0.015), True, False, True, True),
        ((-0.01, 0.01), False, False, True, True),
        ((-0.015, -0.005), False, True, True, True),
        ((-0.05, -0.03), False, True, False, False),
        ((-0.05, 0.05), None, None, None, None),
        ((-0.05, 0.01), False, None, None, None),
        ((-0.05, -0.01), False, True, None, None),
    ],
)
def test_words_for_differences(bounds, better, worse, in_line, equal):
    found = interval(*bounds)
    assert (found.better, found.worse) == (better, worse)
    assert (found.in_line, found.equal) == (in_line, equal)


def rows(method, values, setting="full", score="F1"):
    return [
        {"kind": setting, "method": method, "seed": seed, score: value}
        for seed, value in enumerate(values)
    ]


def test_differences_are_paired_by_seed():
    rng = np.random.RandomState(0)
    base = rng.normal(size=20)
    scores = Scores(rows("one", base + 0.1) + rows("other", base[:15]), "kind")
    found = scores.difference(("full", "one"), ("full", "other"), "F1")
    assert found.n == 15
    assert (found.mean, found.low) == pytest.approx((0.1, 0.1))
    six = scores.difference(("full", "one"), ("full", "other"), "F1", [1, 2, 3])
    assert six.n == 3


def test_rows_of_a_seed_are_averaged():
    scores = Scores(rows("one", [0.2, 0.4]) + rows("one", [0.4, 0.8]), "kind")
    assert scores.by_seed("full", "one", "F1") == pytest.approx({0: 0.3, 1: 0.6})


def test_ratio_of_spreads():
    rng = np.random.RandomState(0)
    wide, narrow = rng.normal(0, 3, 40), rng.normal(0, 1, 40)
    scores = Scores(rows("wide", wide) + rows("narrow", narrow), "kind")
    found = scores.spread_ratio(("full", "wide"), ("full", "narrow"), "F1")
    assert 1 < found.low < found.mean < found.high
    assert found.more_variable is True
    assert scores.spread_ratio(("full", "narrow"), ("full", "wide"), "F1").high < 1
    same = scores.spread_ratio(("full", "wide"), ("full", "wide"), "F1")
    assert same.more_variable is False
    few = Scores(rows("wide", wide[:3]) + rows("narrow", narrow[:3]), "kind")
    assert few.spread_ratio(("full", "wide"), ("full", "narrow"), "F1").more_variable is None


def test_a_difference_of_differences_is_paired_by_seed():
    rng = np.random.RandomState(0)
    base = rng.normal(size=10)
    scores = Scores(
        rows("one", base)
        + rows("one", base - 0.1, "lists")
        + rows("other", base[::-1])
        + rows("other", base[::-1][:8] - 0.3, "lists"),
        "kind",
    )
    found = scores.difference_of_differences(("lists", "full"), ("one", "other"), "F1")
    assert found.n == 8
    assert (found.low, found.high) == pytest.approx((0.2, 0.2))


def test_outcomes():
    assert every_outcome([True, True]) is Outcome.HOLDS
    assert every_outcome([True, None, False]) is Outcome.FAILS
    assert every_outcome([True, None]) is Outcome.UNDECIDED
    assert [negated(held) for held in (True, False, None)] == [False, True, None]
    assert "too wide" in verdict(lambda score: Outcome.UNDECIDED, "Numbers.").because


ANSWERS = (True, False, None)
OPPOSITE = {
    Outcome.HOLDS: Outcome.FAILS,
    Outcome.FAILS: Outcome.HOLDS,
    Outcome.IN_PART: Outcome.IN_PART,
    Outcome.UNDECIDED: Outcome.UNDECIDED,
}


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_rules_are_symmetric_and_stand_however_undecided_parts_come_out(n):
    for held in product(ANSWERS, repeat=n):
        outcome = share_outcome(held)
        assert share_outcome([negated(each) for each in held]) is OPPOSITE[outcome]
        known = [[each] if each is not None else [True, False] for each in held]
        possible = {share_outcome(each) for each in product(*known)}
        if outcome is Outcome.UNDECIDED:
            assert len(possible) > 1
        else:
            assert possible == {outcome}
        universal = {every_outcome(each) for each in product(*known)}
        expected = universal.pop() if len(universal) == 1 else Outcome.UNDECIDED
        assert every_outcome(held) is expected


def test_both_judges_are_two_parts():
    def by(f1, accuracy):
        return by_both({"F1": f1, "accuracy": accuracy}.__getitem__)

    outcomes = list(OPPOSITE)
    for one, other in product(outcomes, outcomes):
        assert by(one, other) is by(other, one)
        assert by(OPPOSITE[one], OPPOSITE[other]) is OPPOSITE[by(one, other)]
    assert by(Outcome.HOLDS, Outcome.HOLDS) is Outcome.HOLDS
    assert by(Outcome.HOLDS, Outcome.FAILS) is Outcome.IN_PART
    assert by(Outcome.HOLDS, Outcome.UNDECIDED) is Outcome.UNDECIDED
    assert by(Outcome.FAILS, Outcome.UNDECIDED) is Outcome.UNDECIDED
    assert by(Outcome.IN_PART, Outcome.FAILS) is Outcome.IN_PART


@pytest.mark.parametrize(
    ("bounds", "slightly"),
    [((0.001, 0.006), True), ((-0.001, 0.007), None), ((-0.004, 0.004), False), ((-0.1, 0), False)],
)
def test_a_slight_gain_can_be_shown_and_ruled_out(bounds, slightly):
    assert interval(*bounds).slightly_better is slightly


def test_what_has_no_interval_says_so():
    assert "inf" not in f"{Interval(1.1, 0.0, np.inf, 3)} {Interval.of([0.5]).signed()}"
    assert str(Interval(1.1, 0.0, np.inf, 3)) == "1.100 (3 seeds, too few for an interval)"


def test_two_seeds_that_agree_decide_nothing():
    two = Interval.of([0.0, 0.0])
    assert (two.equal, two.better, two.in_line) == (None, None, None)
    assert str(two) == "0.000 (2 seeds, too few for an interval)"
    assert Interval.of([0.0, 0.0, 0.0]).equal
