"""What the paper states of the synthetic dishes, and the rules by which it is judged."""

from dataclasses import replace

from reproduction.comparisons import (
    JUDGES,
    Interval,
    Scores,
    losses_ruled_out,
    negated,
    share_outcome,
    verdict,
)
from reproduction.encodings import (
    CUT,
    KENDALL,
    MALLOWS,
    MALLOWS_DRAWS,
)
from reproduction.findings import Claim, Outcome, Verdict

_WHERE = "Section 4.2, Figure 4"

CLAIMS = {
    "in line": Claim(
        "On the synthetic dishes the graph cut kernel performs in line with the other kernels.",
        _WHERE,
    ),
    "top-6": Claim(
        "For top-6 rankings the graph cut kernel is slightly better than the others.", _WHERE
    ),
    "censoring": Claim(
        "The graph cut kernel does as well on top-6 lists as on full rankings.", _WHERE
    ),
    "reconstruction": Claim(
        "This shows that the graph reconstructs what mild censoring hides.", _WHERE
    ),
    "Mallows": Claim(
        "The Mallows kernel drops sharply for top-6 rankings, and is significantly worse for "
        "top-3.",
        _WHERE,
    ),
    "interleaving": Claim(
        "For rankings with ties and for incomplete ones the graph cut kernel matches Kendall's.",
        _WHERE,
    ),
    "variability": Claim(
        "Rankings with ties and incomplete ones show a higher variability over seeds.", _WHERE
    ),
    "sample size": Claim("With ties, that is because of the small sample of 100 rankings.", _WHERE),
    "difficulty": Claim("With incomplete rankings, it is because the task is difficult.", _WHERE),
}

_RIVALS = {
    "full": (KENDALL, MALLOWS),
    "top-6": (KENDALL, MALLOWS),
    "top-3": (KENDALL, MALLOWS),
    "ties": (KENDALL,),
    "incomplete": (KENDALL,),
}

# A loss of this much F1 counts as a sharp drop.
_SHARP = 0.05

_MORE_TIES = "ties, 250 rankings"


def judge(scores: Scores, published: Scores) -> dict[str, Verdict]:
    """A verdict on each claim that there are numbers for, and one on it as published."""
    verdicts = _judge(scores, MALLOWS_DRAWS)
    if scores.has(_MORE_TIES, CUT):
        verdicts["sample size"] = _sample_size(scores)
    if published.has("full", CUT):
        for key, found in _judge(published, MALLOWS).items():
            verdicts[key] = replace(verdicts[key], published=found)
    return verdicts


def _judge(scores: Scores, drawn: str) -> dict[str, Verdict]:
    """What can be judged of scores by text, and as published; ``drawn`` is Mallows from draws."""
    return {
        "in line": losses_ruled_out(scores, _RIVALS, CUT),
        "top-6": _better_on_lists(scores),
        "censoring": _censoring(scores),
        "reconstruction": _reconstruction(scores),
        "Mallows": _mallows(scores, drawn),
        "interleaving": _matches(scores),
        "variability": _variability(scores),
        "difficulty": _difficulty(scores),
    }


def _against(scores: Scores, kind: str, rival: str, score: str) -> Interval:
    return scores.difference((kind, CUT), (kind, rival), score)


def _better_on_lists(scores: Scores) -> Verdict:
    rivals = [r for r in (KENDALL, MALLOWS, MALLOWS_DRAWS) if scores.has("top-6", r)]

    def rule(score: str) -> Outcome:
        return share_outcome(
            [_against(scores, "top-6", rival, score).slightly_better for rival in rivals]
        )

    said = [f"{_against(scores, 'top-6', rival, 'F1').signed()} over {rival}" for rival in rivals]
    return verdict(rule, f"F1 on top-6 lists: {', '.join(said)}.")


def _from_full_to_lists(scores: Scores, method: str, score: str) -> Interval:
    return scores.difference(("top-6", method), ("full", method), score)


def _censoring(scores: Scores) -> Verdict:
    def rule(score: str) -> Outcome:
        return share_outcome([_from_full_to_lists(scores, CUT, score).equal])

    change = _from_full_to_lists(scores, CUT, "F1")
    return verdict(rule, f"F1 on top-6 lists less F1 on full rankings: {change.signed()}.")


def _reconstruction(scores: Scores) -> Verdict:
    """If it is the graph that does it, a kernel without a graph loses more."""

    def spared(score: str) -> Interval:
        return scores.difference_of_differences(("top-6", "full"), (CUT, KENDALL), score)

    def rule(score: str) -> Outcome:
        return share_outcome([spared(score).better])

    without = _from_full_to_lists(scores, KENDALL, "F1")
    return verdict(
        rule,
        "Then a kernel that knows no graph would lose more. From full to top-6 the F1 of Kendall's "
        f"changes by {without.signed()}; the graph cut kernel is spared {spared('F1').signed()} of "
        f"F1 and {spared('accuracy').signed()} of accuracy.",
    )


def _mallows(scores: Scores, drawn: str) -> Verdict:
    def parts(method: str, score: str) -> tuple[Interval, Interval]:
        drop = scores.difference(("top-6", method), ("full", MALLOWS), score)
        return drop, scores.difference(("top-3", method), ("top-3", CUT), score)

    def rule(score: str) -> Outcome:
        drop, behind = parts(drawn, score)
        return share_outcome([_sharp(drop), behind.worse])

    said = []
    for method in dict.fromkeys((MALLOWS, drawn)):
        drop, behind = parts(method, "F1")
        said.append(f"{method}: {drop.signed()} from full to top-6, {behind.signed()} on top-3")
    return verdict(
        rule,
        f"A drop is sharp if it is more than {_SHARP}; top-3 is against the graph cut kernel. "
        f"{'; '.join(said)}.",
    )


def _sharp(drop: Interval) -> bool | None:
    """Whether all of the interval is a sharp drop; no if none of it is."""
    if drop.high < -_SHARP:
        return True
    return False if drop.low > -_SHARP else None


def _matches(scores: Scores) -> Verdict:
    def rule(score: str) -> Outcome:
        return share_outcome(
            [_against(scores, kind, KENDALL, score).equal for kind in ("ties", "incomplete")]
        )

    return verdict(
        rule,
        f"F1 over Kendall's: {_against(scores, 'ties', KENDALL, 'F1').signed()} with ties, "
        f"{_against(scores, 'incomplete', KENDALL, 'F1').signed()} incomplete.",
    )


def _variability(scores: Scores) -> Verdict:
    def ratio(kind: str, score: str) -> Interval:
        return scores.spread_ratio((kind, CUT), ("full", CUT), score)

    def rule(score: str) -> Outcome:
        return share_outcome([ratio(kind, score).more_variable for kind in ("ties", "incomplete")])

    return verdict(
        rule,
        "Standard deviation of the graph cut kernel's F1 over seeds, relative to full rankings: "
        f"{ratio('ties', 'F1')} with ties, {ratio('incomplete', 'F1')} incomplete.",
    )


def _sample_size(scores: Scores) -> Verdict:
    """With as many rankings as the others have, it is gone."""

    def small(score: str) -> Interval:
        return scores.spread_ratio(("ties", CUT), (_MORE_TIES, CUT), score)

    def rest(score: str) -> Interval:
        return scores.spread_ratio((_MORE_TIES, CUT), ("full", CUT), score)

    def rule(score: str) -> Outcome:
        return share_outcome([small(score).more_variable, negated(rest(score).more_variable)])

    return verdict(
        rule,
        f"With 100 rankings the standard deviation is {small('F1')} times that with 250 rankings "
        f"with ties, and that is {rest('F1')} times the one of full rankings.",
    )


def _difficulty(scores: Scores) -> Verdict:
    lower = {s: scores.difference(("incomplete", CUT), ("full", CUT), s) for s in JUDGES}
    spread = {s: scores.spread_ratio(("incomplete", CUT), ("full", CUT), s) for s in JUDGES}

    def rule(score: str) -> Outcome:
        return share_outcome([lower[score].worse, spread[score].more_variable])

    return verdict(
        rule,
        f"F1 less that on full rankings: {lower['F1'].signed()}. Its standard deviation is "
        f"{spread['F1']} times as large. These numbers do not say "
        "whether one causes the other.",
    )
