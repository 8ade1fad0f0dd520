"""Claims, their rules, and what is made of scores that are made up."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from reproduction import claims, score_tables, sushi_claims, synthetic_claims
from reproduction.claims import Interval, Outcome, Scores, Verdict, Way, all_of, negated, shared
from reproduction.learning import ALL_SEEDS
from reproduction.methods import BLIND, CUT, DRAWN, DUMMY, KENDALL, MALLOWS, MALLOWS_DRAWS
from reproduction.report import PARTS
from reproduction.sushi import ORIGIN


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    """Verdicts on made-up scores need no fine intervals."""
    monkeypatch.setattr(claims, "_RESAMPLES", 200)


def test_each_claim_has_one_function_and_a_way_to_look():
    every = claims.read_claims()
    assert {claim.part for claim in every} == set(PARTS)
    assert len({claim.name for claim in every}) == len(every) > 40
    for claim in every:
        assert claim.statement.endswith(".")
        assert Way.PRINTED in claim.ways
        # Without any scores a claim is not checked, or its function is there and wants numbers.
        if claim.part in ("sushi", "synthetic"):
            nothing = score_tables.by_variant([]) | {ORIGIN: Scores([])}
            assert claim.judge(nothing, Way.PRINTED).outcome is Outcome.UNCHECKED


def test_intervals_are_students():
    values = np.random.RandomState(0).normal(size=12)
    found = Interval.of(values)
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    # Two seeds may agree by chance.
    assert Interval.of([0.0, 0.0]).equal is None
    assert str(Interval.of([0.5])) == ".500 (1 seeds)"


@pytest.mark.parametrize(
    ("bounds", "better", "worse", "in_line", "equal", "slightly"),
    [
        ((0.03, 0.05), True, False, True, False, True),
        ((0.001, 0.015), True, False, True, True, True),
        ((-0.01, 0.01), False, False, True, True, None),
        ((-0.015, -0.005), False, True, True, True, False),
        ((-0.05, -0.03), False, True, False, False, False),
        ((-0.05, 0.05), None, None, None, None, None),
        ((-0.05, 0.004), False, None, None, None, False),
    ],
)
def test_words_for_differences(bounds, better, worse, in_line, equal, slightly):
    found = Interval(sum(bounds) / 2, *bounds, 30)
    assert (found.says("better"), (-found).says("better")) == (better, worse)
    assert (found.says("in line"), found.equal) == (in_line, equal)
    assert found.says("slightly better") is slightly


def rows(method, values, experiment="full"):
    return [
        {"experiment": experiment, "method": method, "seed": seed, "F1": value, "accuracy": value}
        for seed, value in enumerate(values)
    ]


def test_differences_are_paired_by_seed_and_rows_of_a_seed_averaged():
    base = np.random.RandomState(0).normal(size=20)
    scores = Scores(rows("one", base) + rows("one", base + 0.2) + rows("other", base[:15]))
    found = scores.difference(("full", "one"), ("full", "other"))
    assert (found.n, found.mean, found.low) == pytest.approx((15, 0.1, 0.1))
    lists = rows("one", base - 0.1, "lists") + rows("other", base[:8] - 0.3, "lists")
    scores = Scores(rows("one", base) + rows("other", base) + lists)
    found = scores.spared(("lists", "one"), ("full", "one"), ("lists", "other"), ("full", "other"))
    assert (found.n, found.low, found.high) == pytest.approx((8, 0.2, 0.2))


def test_ratio_of_spreads():
    rng = np.random.RandomState(0)
    scores = Scores(rows("wide", rng.normal(0, 3, 40)) + rows("narrow", rng.normal(0, 1, 40)))
    wide, narrow = ("full", "wide"), ("full", "narrow")
    assert scores.spread_ratio(wide, narrow).says("more variable") is True
    assert scores.spread_ratio(wide, wide).says("more variable") is False
    few = Scores(rows("wide", [1, 5, 9]) + rows("narrow", [1, 2, 3]))
    assert few.spread_ratio(wide, narrow).says("more variable") is None


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_rules_stand_however_undecided_parts_come_out(n):
    for held in product((True, False, None), repeat=n):
        known = [[each] if each is not None else [True, False] for each in held]
        for rule in (shared, all_of):
            possible = {rule(each) for each in product(*known)}
            undecided = rule(held) is Outcome.UNDECIDED
            assert undecided == (len(possible) > 1)
            assert undecided or possible == {rule(held)}
    assert [negated(each) for each in (True, False, None)] == [False, True, None]


def made_up(experiments, means, spreads=None):
    """Scores of 30 seeds around given means by (experiment, method), in each way to look."""
    rng = np.random.RandomState(0)
    found = []
    methods = (CUT, KENDALL, MALLOWS, MALLOWS_DRAWS, DRAWN, *BLIND)
    for name, method in product(experiments, methods):
        mean = means.get((name, method), 0.5 if method == DUMMY else 0.56)
        noise = rng.normal(0, (spreads or {}).get((name, method), 0.005), 30)
        for seed, value in zip(ALL_SEEDS, mean + noise - noise.mean(), strict=False):
            own = {"experiment": name, "method": method, "seed": seed, "noise": 0.5}
            own |= {"F1": value, "accuracy": value}
            found += [own | {"variant": variant} for variant in (*Way, ORIGIN)]
    return found


def outcomes(module, *given):
    """The names of claims by outcome, from made-up scores."""
    part = module.__name__.partition(".")[2].removesuffix("_claims")
    scores = score_tables.by_variant(made_up(module.RIVALS, *given))
    found = {outcome: set() for outcome in Outcome}
    for claim in claims.read_claims():
        if claim.part == part:
            outcome = claim.judge(scores, Way.PRINTED).outcome
            found[outcome].add(claim.name.partition(".")[2])
    return found


def test_verdicts_on_sushi_come_out_either_way():
    even = outcomes(sushi_claims, {})
    fair = {"at_least_as_good", "drawing_is_competitive", "origin_is_a_meaningful_label"}
    assert even[Outcome.HOLDS] == {"f1_is_limited", *fair}
    assert len(even[Outcome.FAILS]) >= 5
    means = {("full", CUT): 0.62, ("full", KENDALL): 0.59, ("10 of 100", CUT): 0.58}
    means |= {("top-6", KENDALL): 0.5, ("top-6", MALLOWS): 0.5}
    spreads = {("4 of 10", KENDALL): 0.05, ("10 of 100", KENDALL): 0.05}
    good = outcomes(sushi_claims, means, spreads)
    assert good[Outcome.FAILS] == {"f1_is_limited"}
    rivals = dict.fromkeys(product(sushi_claims.RIVALS, (KENDALL, MALLOWS)), 0.6)
    bad = outcomes(sushi_claims, rivals | {("full", CUT): 0.45, ("10 of 100", DRAWN): 0.4})
    assert fair <= bad[Outcome.FAILS]
    wide = outcomes(sushi_claims, {}, {(name, CUT): 0.5 for name in sushi_claims.RIVALS})
    assert {"at_least_as_good", "f1_is_limited"} <= wide[Outcome.UNDECIDED]


def test_verdicts_on_the_dishes_come_out_either_way():
    even = outcomes(synthetic_claims, {})
    matches = "matches_kendall_on_ties_and_incomplete"
    fair = {"in_line_with_the_others", "as_good_on_top_6_as_on_full", matches}
    assert even[Outcome.HOLDS] == fair
    means = {("top-6", CUT): 0.6, ("full", CUT): 0.65, ("full", KENDALL): 0.8}
    means |= {("full", MALLOWS): 0.8, ("ties", KENDALL): 0.7, ("incomplete", KENDALL): 0.7}
    means |= {("top-6", MALLOWS_DRAWS): 0.5, ("top-3", MALLOWS_DRAWS): 0.5}
    spreads = {("ties", CUT): 0.05, ("incomplete", CUT): 0.05}
    other = outcomes(synthetic_claims, means, spreads)
    assert other[Outcome.HOLDS] == {
        *("slightly_better_on_top_6", "the_graph_reconstructs", "mallows_drops"),
        *("more_variable_on_ties_and_incomplete", "ties_vary_because_they_are_few"),
        "incomplete_rankings_are_difficult",
    }
    assert matches in other[Outcome.FAILS]


def test_as_run_is_as_published_but_for_what_was_mixed():
    own = rows(CUT, [0.6] * 4) + rows(KENDALL, [0.5] * 4)
    mixed = [row | {"variant": Way.RUN, "F1": 0.4} for row in own if row["method"] == KENDALL]
    found = score_tables.by_variant([row | {"variant": Way.PUBLISHED} for row in own] + mixed)
    assert found[Way.RUN].mean(("full", CUT)).mean == pytest.approx(0.6)
    assert found[Way.RUN].mean(("full", KENDALL)).mean == pytest.approx(0.4)
    (nothing, as_run) = score_tables.changes(found, ["full"])
    assert (nothing["changed"], as_run["changed"]) == ("nothing", "labels as run")
    assert as_run["F1"].startswith("+.200")
    assert isinstance(claims.holds_if(None, ""), Verdict)
