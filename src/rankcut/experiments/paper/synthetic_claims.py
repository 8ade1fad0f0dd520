"""What the paper states of the synthetic dishes, and the rules by which it is judged."""

from rankcut.experiments.paper.comparisons import (
    JUDGES,
    Interval,
    Scores,
    by_both,
    losses_ruled_out,
    share_outcome,
    stopping_note,
    verdict,
)
from rankcut.experiments.paper.encodings import (
    CUT,
    KENDALL,
    MALLOWS,
    MALLOWS_DRAWS,
    MALLOWS_PUBLISHED,
)
from rankcut.reports.findings import Claim, Outcome, Verdict

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
        "The graph cut kernel does as well on top-6 lists as on full rankings, so that the graph "
        "reconstructs what mild censoring hides.",
        _WHERE,
    ),
    "Mallows": Claim(
        "The Mallows kernel drops sharply for top-6 rankings, and is far worse for top-3.",
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

# A loss of so much F1 counts as a sharp drop.
_SHARP = 0.05

_MORE_TIES = "ties, 250 rankings"


def judge(scores: Scores) -> dict[str, Verdict]:
    """A verdict on each claim that there are numbers for."""
    verdicts = {
        "in line": losses_ruled_out(scores, _RIVALS, CUT),
        "top-6": _better_on_lists(scores),
        "censoring": _censoring(scores),
        "Mallows": _mallows(scores),
        "interleaving": _matches(scores),
        "variability": _variability(scores),
        "difficulty": _difficulty(scores),
    }
    if scores.has(_MORE_TIES, CUT):
        verdicts["sample size"] = _sample_size(scores)
    return verdicts


def _against(scores: Scores, kind: str, rival: str, score: str) -> Interval:
    return scores.difference((kind, CUT), (kind, rival), score)


def _better_on_lists(scores: Scores) -> Verdict:
    def rule(score: str) -> Outcome:
        return share_outcome(
            [_against(scores, "top-6", rival, score).better for rival in (KENDALL, MALLOWS)]
        )

    said = [
        f"{_against(scores, 'top-6', rival, 'F1').signed()} over {rival}"
        for rival in (KENDALL, MALLOWS, MALLOWS_DRAWS)
        if scores.has("top-6", rival)
    ]
    return verdict(rule, f"F1 on top-6 lists: {', '.join(said)}.{stopping_note(rule)}")


def _censoring(scores: Scores) -> Verdict:
    def lost(method: str, score: str) -> Interval:
        return scores.difference(("top-6", method), ("full", method), score)

    def rule(score: str) -> Outcome:
        return share_outcome([lost(CUT, score).equal])

    return verdict(
        rule,
        f"F1 on top-6 lists less F1 on full rankings: {lost(CUT, 'F1').signed()}. Kendall's "
        f"kernel, which knows no graph: {lost(KENDALL, 'F1').signed()}.{stopping_note(rule)}",
    )


def _mallows(scores: Scores) -> Verdict:
    def rule_of(method: str, score: str) -> Outcome:
        drop = scores.difference(("top-6", method), ("full", MALLOWS), score)
        behind = scores.difference(("top-3", method), ("top-3", CUT), score)
        return share_outcome([_sharp(drop), behind.worse])

    def rule(score: str) -> Outcome:
        return rule_of(MALLOWS_DRAWS, score)

    said = []
    for method in (MALLOWS, MALLOWS_DRAWS, MALLOWS_PUBLISHED):
        drop = scores.difference(("top-6", method), ("full", MALLOWS), "F1")
        behind = scores.difference(("top-3", method), ("top-3", CUT), "F1")
        said.append(f"{method}: {drop.signed()} from full to top-6, {behind.signed()} on top-3")
    published = by_both(lambda score: rule_of(MALLOWS_PUBLISHED, score))
    note = ""
    if published is Outcome.HOLDS and by_both(rule) is not Outcome.HOLDS:
        note = " It is the λ of the published experiments that does it."
    return verdict(
        rule,
        f"A drop is sharp if it is more than {_SHARP}; top-3 is against the graph cut kernel. "
        f"{'; '.join(said)}.{note}{stopping_note(rule)}",
    )


def _sharp(drop: Interval) -> bool | None:
    """Whether all of the interval is a sharp drop; no if none of it is."""
    if drop.high < -_SHARP:
        return True
    return False if drop.low > -_SHARP else None


def _matches(scores: Scores) -> Verdict:
    def rule(score: str) -> Outcome:
        return share_outcome(
            [_against(scores, kind, KENDALL, score).in_line for kind in ("ties", "incomplete")]
        )

    return verdict(
        rule,
        f"F1 over Kendall's: {_against(scores, 'ties', KENDALL, 'F1').signed()} with ties, "
        f"{_against(scores, 'incomplete', KENDALL, 'F1').signed()} incomplete."
        f"{stopping_note(rule)}",
    )


def _variability(scores: Scores) -> Verdict:
    def ratio(kind: str, score: str) -> Interval:
        return scores.spread_ratio((kind, CUT), ("full", CUT), score)

    def rule(score: str) -> Outcome:
        return share_outcome([ratio(kind, score).above(1) for kind in ("ties", "incomplete")])

    return verdict(
        rule,
        "Standard deviation of the graph cut kernel's F1 over seeds, relative to full rankings: "
        f"{ratio('ties', 'F1')} with ties, {ratio('incomplete', 'F1')} incomplete.",
    )


def _sample_size(scores: Scores) -> Verdict:
    small = scores.spread_ratio(("ties", CUT), (_MORE_TIES, CUT), "F1")
    rest = scores.spread_ratio((_MORE_TIES, CUT), ("full", CUT), "F1")

    def rule(score: str) -> Outcome:
        return share_outcome(
            [
                scores.spread_ratio(("ties", CUT), (_MORE_TIES, CUT), score).above(1),
                scores.spread_ratio((_MORE_TIES, CUT), ("full", CUT), score).low <= 1,
            ]
        )

    return verdict(
        rule,
        f"With 100 rankings the standard deviation is {small} times that with 250 rankings with "
        f"ties, and that is {rest} times the one of full rankings.",
    )


def _difficulty(scores: Scores) -> Verdict:
    lower = {s: scores.difference(("incomplete", CUT), ("full", CUT), s) for s in JUDGES}
    spread = {s: scores.spread_ratio(("incomplete", CUT), ("full", CUT), s) for s in JUDGES}

    def rule(score: str) -> Outcome:
        return share_outcome([lower[score].worse, spread[score].above(1)])

    return verdict(
        rule,
        f"F1 less that on full rankings: {lower['F1'].signed()}. Its standard deviation is "
        f"{spread['F1']} times as large.",
    )
