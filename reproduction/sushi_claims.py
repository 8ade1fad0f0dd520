"""What the paper states about the sushi data, judged by F1, as the paper does.

As run, the graph cut kernel is as published, and Kendall's has the labels that it was given.
"""

from typing import Any

from reproduction import score_tables
from reproduction.claims import (
    Scores,
    Verdict,
    Way,
    all_of,
    holds_if,
    in_line_with,
    negated,
    shared,
    short,
)
from reproduction.figures import sushi_figures
from reproduction.methods import BLIND, CONSTANT, CUT, DRAWN, DUMMY, KENDALL, MALLOWS, N_DRAWS
from reproduction.sushi import EXPERIMENTS, ORIGIN

figures = sushi_figures

RIVALS = {
    name: [method for method in about.methods if method in (KENDALL, MALLOWS)]
    for name, about in EXPERIMENTS.items()
}
"""What the graph cut kernel is compared with."""

_INCOMPLETE = ("4 of 10", "10 of 100")


def found(records: list[Any], data: Any) -> dict[str, Scores]:
    """Scores by way to look, and by what is changed."""
    return score_tables.by_variant(records)


def tables(records: list[Any], found: dict[str, Scores]) -> dict[str, Any]:
    """Means; the graph cut kernel less Kendall's; and what became of labels."""
    cases = [(name, m) for name, e in EXPERIMENTS.items() for m in (*e.methods, *BLIND)]
    return {
        "Means over seeds": score_tables.means(found, cases),
        "Graph cut less Kendall, as published": score_tables.changes(found, EXPERIMENTS),
        "Graph cut less Kendall, as printed": score_tables.shrinkage(found, EXPERIMENTS),
        "Labels of Kendall's kernel as run": score_tables.labels(records, found),
    }


def f1_is_limited(found: dict[str, Scores], way: Way) -> Verdict:
    scores = found[way]
    means = {
        (name, kernel): scores.mean((name, kernel))
        for name, rivals in RIVALS.items()
        for kernel in (CUT, *rivals)
        if (name, kernel) in scores
    }
    constant = scores.mean(("full", CONSTANT)).mean
    best = max(means, key=lambda case: means[case].mean)
    return Verdict(
        all_of([negated(mean.above(0.6, 0.6)) for mean in means.values()]),
        f"The highest mean is {means[best]}, of {best[1]} on {best[0]} rankings. Calling everyone "
        f"western has {short(constant)}: what is learned is limited, not F1.",
    )


def _gains(scores: Scores, name: str, rival: str, word: str) -> Verdict:
    gain = scores.difference((name, CUT), (name, rival))
    said = scores.gain((name, CUT), (name, rival))
    return holds_if(gain.says(word), f"{said}, over {gain.n} seeds.")


def slightly_better_than_mallows_on_full_rankings(found: dict[str, Scores], way: Way) -> Verdict:
    return _gains(found[way], "full", MALLOWS, "slightly better")


def better_than_kendall_on_full_rankings(found: dict[str, Scores], way: Way) -> Verdict:
    return _gains(found[way], "full", KENDALL, "better")


def slightly_better_on_the_large_set(found: dict[str, Scores], way: Way) -> Verdict:
    return _gains(found[way], "10 of 100", KENDALL, "slightly better")


def only_one_better_than_random_on_lists(found: dict[str, Scores], way: Way) -> Verdict:
    scores, random = found[way], ("top-6", DUMMY)
    kernels = [k for k in (CUT, KENDALL, MALLOWS) if k != MALLOWS or ("top-6", k) in scores]
    better, *rivals = (scores.difference(("top-6", k), random).says("better") for k in kernels)
    said = "; ".join(f"{kernel} {scores.gain(('top-6', kernel), random)}" for kernel in kernels)
    # No word about a kernel that was not looked at.
    unknown = [None] * (MALLOWS not in kernels)
    return Verdict(
        all_of([better, *map(negated, rivals), *unknown]),
        f"Above the uniform dummy: {said}.",
    )


def incomplete_rankings_are_a_challenge(found: dict[str, Scores], way: Way) -> Verdict:
    cases = [(name, kernel) for name in _INCOMPLETE for kernel in (CUT, KENDALL)]
    lost = [found[way].difference(case, ("full", case[1])) for case in cases]
    said = ", ".join(
        f"{kernel} on {name} {each.signed()}"
        for (name, kernel), each in zip(cases, lost, strict=True)
    )
    return Verdict(
        shared([(-each).says("better") for each in lost]),
        f"A challenge means a lower F1 than on full rankings. Differences: {said}.",
    )


def less_variable_on_incomplete_rankings(found: dict[str, Scores], way: Way) -> Verdict:
    ratios = {name: found[way].spread_ratio((name, KENDALL), (name, CUT)) for name in _INCOMPLETE}
    said = ", ".join(f"{ratio} on {name}" for name, ratio in ratios.items())
    return Verdict(
        shared([ratio.says("more variable") for ratio in ratios.values()]),
        f"Kendall's standard deviation of F1, relative to the graph cut kernel's: {said}.",
    )


def at_least_as_good(found: dict[str, Scores], way: Way) -> Verdict:
    return in_line_with(found[way], CUT, RIVALS)


def drawing_is_competitive(found: dict[str, Scores], way: Way) -> Verdict:
    scores, name = found[way], "10 of 100"
    others = [(name, other) for other in (CUT, KENDALL)]
    exact, kendall = (scores.gain((name, DRAWN), other) for other in others)
    return Verdict(
        shared([scores.difference((name, DRAWN), other).says("in line") for other in others]),
        f"{N_DRAWS} draws stand for 11⁹⁰ partitions. Against vectors with an error below 3 %: "
        f"{exact}. Against Kendall's kernel, which needs no draws: {kendall}.",
    )


def origin_is_a_meaningful_label(found: dict[str, Scores], way: Way) -> Verdict:
    grown = found[ORIGIN]
    better = grown.difference(("full", CUT), ("full", DUMMY))
    lives = found[way].mean(("full", CUT), "accuracy")
    return holds_if(
        better.says("better"),
        f"For where people grew up: {grown.gain(('full', CUT), ('full', DUMMY))} more than the "
        f"uniform dummy, and accuracy {grown.mean(('full', CUT), 'accuracy')}. For where they "
        f"live, which the published experiments used, accuracy {lives}.",
    )
