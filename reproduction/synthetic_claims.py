"""What the paper states of the synthetic dishes, judged by F1, as the paper does.

Labels were right there, so that as run it is as published.
"""

from typing import Any

from reproduction import score_tables
from reproduction.claims import (
    Interval,
    Scores,
    Verdict,
    Way,
    holds_if,
    in_line_with,
    negated,
    shared,
)
from reproduction.figures import noise_figures
from reproduction.methods import BLIND, CUT, KENDALL, MALLOWS, MALLOWS_DRAWS
from reproduction.synthetic import JUDGED_NOISE, METHODS, MORE_TIES

figures = noise_figures

RIVALS = {
    name: [method for method in methods if method in (KENDALL, MALLOWS)]
    for name, methods in METHODS.items()
}
"""What the graph cut kernel is compared with."""

# A loss of this much F1 counts as a sharp drop.
_SHARP = 0.05


def found(records: list[Any], data: Any) -> dict[str, Scores]:
    """Scores by way to look, over the levels of noise that all seeds have."""
    return score_tables.by_variant(row for row in records if row["noise"] in JUDGED_NOISE)


def tables(records: list[Any], found: dict[str, Scores]) -> dict[str, Any]:
    """Means."""
    cases = [(name, m) for name, methods in METHODS.items() for m in (*methods, *BLIND)]
    return {"Means over seeds": score_tables.means(found, cases)}


def in_line_with_the_others(found: dict[str, Scores], way: Way) -> Verdict:
    return in_line_with(found[way], CUT, RIVALS)


def slightly_better_on_top_6(found: dict[str, Scores], way: Way) -> Verdict:
    scores, one = found[way], ("top-6", CUT)
    rivals = [("top-6", k) for k in (KENDALL, MALLOWS) if k == KENDALL or ("top-6", k) in scores]
    said = "; ".join(f"{scores.gain(one, rival)} over {rival[1]}" for rival in rivals)
    held = [scores.difference(one, rival).says("slightly better") for rival in rivals]
    # No word about a kernel that was not looked at.
    unknown = [None] * (2 - len(rivals))
    return Verdict(shared([*held, *unknown]), f"{said}.")


def _from_full_to_lists(scores: Scores, method: str) -> Interval:
    return scores.difference(("top-6", method), ("full", method))


def as_good_on_top_6_as_on_full(found: dict[str, Scores], way: Way) -> Verdict:
    change = _from_full_to_lists(found[way], CUT)
    return holds_if(change.equal, f"F1 on top-6 lists less that on full: {change.signed()}.")


def the_graph_reconstructs(found: dict[str, Scores], way: Way) -> Verdict:
    scores = found[way]
    spared = scores.spared(("top-6", CUT), ("full", CUT), ("top-6", KENDALL), ("full", KENDALL))
    return holds_if(
        spared.says("better"),
        "If so, a kernel without a graph would lose more. From full to top-6 the F1 of Kendall's "
        f"changes by {_from_full_to_lists(scores, KENDALL).signed()}; the graph cut kernel's "
        f"change minus that is {spared.signed()}.",
    )


def mallows_drops(found: dict[str, Scores], way: Way) -> Verdict:
    scores, said, held = found[way], [], []
    for method in (MALLOWS_DRAWS, MALLOWS):
        drop = scores.difference(("top-6", method), ("full", MALLOWS))
        behind = scores.difference(("top-3", method), ("top-3", CUT))
        said.append(f"{method}: {drop.signed()} from full to top-6, {behind.signed()} on top-3")
        held += [(-drop).above(_SHARP, _SHARP), (-behind).says("better")]
    return Verdict(
        # The text draws four full rankings for a list.
        shared(held[:2]),
        f"Sharp means more than {_SHARP}; on top-3 it is compared with the graph cut kernel. "
        f"{'; '.join(said)}.",
    )


def matches_kendall_on_ties_and_incomplete(found: dict[str, Scores], way: Way) -> Verdict:
    scores, kinds = found[way], ("ties", "incomplete")
    said = "; ".join(f"{kind}: {scores.gain((kind, CUT), (kind, KENDALL))}" for kind in kinds)
    return Verdict(
        shared([scores.difference((kind, CUT), (kind, KENDALL)).equal for kind in kinds]),
        f"{said}.",
    )


def more_variable_on_ties_and_incomplete(found: dict[str, Scores], way: Way) -> Verdict:
    ratios = {
        kind: found[way].spread_ratio((kind, CUT), ("full", CUT)) for kind in ("ties", "incomplete")
    }
    said = ", ".join(f"{kind} {ratio}" for kind, ratio in ratios.items())
    return Verdict(
        shared([ratio.says("more variable") for ratio in ratios.values()]),
        f"The graph cut kernel's standard deviation of F1, relative to full rankings: {said}.",
    )


def ties_vary_because_they_are_few(found: dict[str, Scores], way: Way) -> Verdict:
    small = found[way].spread_ratio(("ties", CUT), (MORE_TIES, CUT))
    rest = found[way].spread_ratio((MORE_TIES, CUT), ("full", CUT))
    return Verdict(
        shared([small.says("more variable"), negated(rest.says("more variable"))]),
        f"With 100 rankings the standard deviation is {small} times that with 250 rankings with "
        f"ties, and that is {rest} times the one of full rankings.",
    )


def incomplete_rankings_are_difficult(found: dict[str, Scores], way: Way) -> Verdict:
    one, other = ("incomplete", CUT), ("full", CUT)
    spread = found[way].spread_ratio(one, other)
    return Verdict(
        shared([found[way].difference(other, one).says("better"), spread.says("more variable")]),
        f"Against full rankings: {found[way].gain(one, other)}; the standard deviation of F1 is "
        f"{spread} times as large. These numbers do not say whether one causes the other.",
    )
