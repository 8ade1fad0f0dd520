"""What the paper states about the sushi data, and the rules by which it is judged."""

from collections.abc import Sequence
from dataclasses import replace

from reproduction.comparisons import (
    JUDGES,
    MARGIN,
    SLIGHT,
    Interval,
    Scores,
    by_both,
    every_outcome,
    losses_ruled_out,
    negated,
    share_outcome,
    told,
    verdict,
)
from reproduction.encodings import (
    CONSTANT,
    CUT,
    DUMMY,
    KENDALL,
    MALLOWS,
    MALLOWS_EXACT,
    N_DRAWS,
    OWN_DRAWS,
)
from reproduction.findings import Claim, Outcome, Row, Verdict
from reproduction.learning import SEEDS
from reproduction.published import (
    BOTH,
    CONVERGED,
    MIXED,
    NEITHER,
    OWN,
    OWN_CONVERGED,
    PUBLISHED,
)
from reproduction.score_report import changes, published_settings
from reproduction.sushi_experiments import ORIGIN

_WHERE = "Section 4.2, Figure 5"

CLAIMS = {
    "limit": Claim("Whatever the kernel, F1 on the test set is limited to 0.6.", _WHERE),
    "full, Mallows": Claim(
        "On full rankings the graph cut kernel is slightly better than the Mallows kernel.", _WHERE
    ),
    "full, Kendall": Claim(
        "On full rankings the graph cut kernel is better than the Kendall kernel.", _WHERE
    ),
    "only": Claim(
        "On top-6 lists the graph cut kernel is the only one better than random.", _WHERE
    ),
    "challenge": Claim(
        "Interleaved rankings are a challenge for the Kendall and the graph cut kernel.", _WHERE
    ),
    "less variable": Claim(
        "On interleaved rankings the graph cut kernel is less variable over seeds than Kendall's.",
        _WHERE,
    ),
    "large": Claim(
        "On the large set the graph cut kernel is slightly better than Kendall's.", _WHERE
    ),
    "as good": Claim(
        "The graph cut kernel works at least as well as the kernels in use for rankings.",
        "Sections 4.2 and 6, and the abstract",
    ),
    "sampling": Claim(
        "Drawing some of the coherent partitions instead of all gives competitive results.",
        "Section 3.2",
    ),
    "origin": Claim(
        "Tastes differ between the two parts of Japan, so that a person's origin is a meaningful "
        "label.",
        "Section 4.1",
    ),
}

_RIVALS = {
    "full": (KENDALL, MALLOWS),
    "top-6": (KENDALL, MALLOWS),
    "ties": (KENDALL,),
    "4 of 10": (KENDALL,),
    "10 of 100": (KENDALL,),
}

_LIMIT = 0.6


def judge(rows: Sequence[Row], published: Sequence[Row]) -> dict[str, Verdict]:
    """A verdict on each claim that there are numbers for, and one on it as published."""
    residence = [row for row in rows if row["target"] != ORIGIN]
    scores = Scores(residence, "experiment")
    verdicts = _judge(scores)
    if scores.has("10 of 100", OWN_DRAWS):
        verdicts["sampling"] = _sampling(scores)
    origin = Scores([row for row in rows if row["target"] == ORIGIN], "experiment")
    if origin.has("full", CUT):
        verdicts["origin"] = _origin(scores, origin)
    own = [row for row in published if row["variant"] == PUBLISHED]
    if not own:
        return verdicts
    changed = changes(published, "experiment", published_settings(published))
    for key, found in _judge(Scores(own, "experiment")).items():
        because = found.because + _because_of(key, changed)
        verdicts[key] = replace(verdicts[key], published=replace(found, because=because))
    return verdicts


def _judge(scores: Scores) -> dict[str, Verdict]:
    """What scores can say, by the text and as published."""
    mallows = MALLOWS_EXACT if scores.has("full", MALLOWS_EXACT) else MALLOWS
    verdicts = {
        "limit": _limit(scores),
        "full, Kendall": _better(scores, "full", KENDALL),
        "challenge": _challenge(scores),
        "less variable": _less_variable(scores),
        "large": _better(scores, "10 of 100", KENDALL, slightly=True),
    }
    if scores.has("full", mallows):
        exactly = _better(scores, "full", mallows, slightly=True)
        verdicts["full, Mallows"] = replace(
            exactly, because=exactly.because + _by_eigenvectors(scores, mallows)
        )
    if scores.has("top-6", MALLOWS):
        verdicts["only"] = _only(scores)
        verdicts["as good"] = losses_ruled_out(scores, _RIVALS, CUT)
    return verdicts


# The experiments that a claim about two kernels is about, and what may have made it.
_CAUSES = {
    "full, Kendall": ("full", (NEITHER, BOTH, CONVERGED)),
    "less variable": ("4 of 10", (BOTH, CONVERGED)),
    "large": ("10 of 100", (CONVERGED, OWN, OWN_CONVERGED, MIXED)),
    "only": ("top-6", (MIXED,)),
}


def _because_of(key: str, changed: Sequence[Row]) -> str:
    """What changes if one thing is changed."""
    if key not in _CAUSES:
        return ""
    experiment, variants = _CAUSES[key]
    rows = {row["variant"]: row for row in changed if row["experiment"] == experiment}
    column = "ratio of deviations" if key == "less variable" else "F1, graph cut less Kendall"
    said = [f"{variant}: {rows[variant][column]}" for variant in variants if variant in rows]
    return f" On {experiment} ({column}), {'; '.join(said)}." if said else ""


def _against(scores: Scores, experiment: str, rival: str, score: str) -> Interval:
    return scores.difference((experiment, CUT), (experiment, rival), score)


def _six_seeds(scores: Scores, experiment: str, rival: str) -> str:
    six = scores.difference((experiment, CUT), (experiment, rival), "F1", SEEDS)
    return f"over the paper's {six.n} seeds {six.signed()}"


def _limit(scores: Scores) -> Verdict:
    means = {
        (name, kernel): scores.mean(name, kernel, "F1")
        for name, rivals in _RIVALS.items()
        for kernel in (CUT, *rivals)
        if scores.has(name, kernel)
    }
    best = max(means, key=lambda key: means[key].mean)
    constant = scores.mean("full", CONSTANT, "F1").mean
    above = [found.above(_LIMIT, no=_LIMIT) for found in means.values()]
    return told(
        every_outcome([negated(each) for each in above]),
        f"The highest mean F1 is {means[best]}, of {best[1]} on {best[0]} rankings. But the west "
        f"for everyone has {constant:.3f}: the limit is of what is learned, not of F1.",
    )


def _better(scores: Scores, experiment: str, rival: str, *, slightly: bool = False) -> Verdict:
    found = {score: _against(scores, experiment, rival, score) for score in JUDGES}

    def rule(score: str) -> Outcome:
        gain = found[score]
        return share_outcome([gain.slightly_better if slightly else gain.better])

    margin = SLIGHT if slightly else MARGIN
    small = by_both(rule) is Outcome.FAILS and all(each.high > 0 for each in found.values())
    return verdict(
        rule,
        f"F1 over {rival}: {found['F1'].signed()} over {found['F1'].n} seeds, "
        f"{_six_seeds(scores, experiment, rival)}. Accuracy: {found['accuracy'].signed()}."
        + (f" If there is a gain, it is less than {margin}." if small else ""),
    )


def _by_eigenvectors(scores: Scores, exactly: str) -> str:
    """The same with Mallows' kernel by its eigenvectors: more seeds, and what that changes."""
    if exactly == MALLOWS or not scores.has("full", MALLOWS):
        return ""
    gain = _against(scores, "full", MALLOWS, "F1")
    left = scores.difference(("full", MALLOWS), ("full", exactly), "F1")
    return (
        f" Taking its leading eigenvectors changes the F1 of Mallows' kernel by {left.mean:+.3f} "
        f"on the same seeds; with them, it is {gain.signed()} over {gain.n} seeds."
    ).replace("-", "−")


def _chance(scores: Scores, experiment: str, kernel: str, score: str) -> bool | None:
    """Whether a kernel is better than random: F1 than the dummy's, accuracy than one half.

    No, if it is not by as much as the margin.
    """
    if score == "F1":
        return scores.difference((experiment, kernel), (experiment, DUMMY), score).better
    return scores.mean(experiment, kernel, score).above(0.5, no=0.5 + MARGIN)


def _only(scores: Scores) -> Verdict:
    kernels = (CUT, *_RIVALS["top-6"])

    def rule(score: str) -> Outcome:
        better, *rivals = (_chance(scores, "top-6", kernel, score) for kernel in kernels)
        return every_outcome([better, *map(negated, rivals)])

    said = ", ".join(f"{kernel} {scores.mean('top-6', kernel, 'accuracy')}" for kernel in kernels)
    same = [k for k in kernels if _chance(scores, "top-6", k, "accuracy")]
    return verdict(
        rule,
        f"Accuracy on top-6 lists: {said}. Better than random: "
        f"{', '.join(same) if same else 'none'}.",
    )


def _challenge(scores: Scores) -> Verdict:
    cases = [(name, kernel) for name in ("4 of 10", "10 of 100") for kernel in (CUT, KENDALL)]

    def rule(score: str) -> Outcome:
        return share_outcome(
            [
                scores.difference((name, kernel), ("full", kernel), score).worse
                for name, kernel in cases
            ]
        )

    said = ", ".join(
        f"{kernel} on {name} {scores.mean(name, kernel, 'accuracy')}" for name, kernel in cases
    )
    full = scores.mean("full", CUT, "accuracy")
    return verdict(
        rule,
        "A challenge is what is done worse than full rankings are. "
        f"Accuracy: {said}; {CUT} on full rankings {full}.",
    )


def _less_variable(scores: Scores) -> Verdict:
    names = ("4 of 10", "10 of 100")

    def ratio(name: str, score: str) -> Interval:
        return scores.spread_ratio((name, KENDALL), (name, CUT), score)

    def rule(score: str) -> Outcome:
        return share_outcome([ratio(name, score).more_variable for name in names])

    return verdict(
        rule,
        "Kendall's standard deviation of F1 over seeds, relative to the graph cut kernel's: "
        f"{ratio(names[0], 'F1')} on {names[0]}, {ratio(names[1], 'F1')} on {names[1]}.",
    )


def _sampling(scores: Scores) -> Verdict:
    name = "10 of 100"

    def rule(score: str) -> Outcome:
        return share_outcome(
            [
                scores.difference((name, OWN_DRAWS), (name, CUT), score).in_line,
                scores.difference((name, OWN_DRAWS), (name, KENDALL), score).in_line,
            ]
        )

    ours = scores.difference((name, OWN_DRAWS), (name, CUT), "accuracy")
    kendall = scores.difference((name, OWN_DRAWS), (name, KENDALL), "accuracy")
    return verdict(
        rule,
        f"{N_DRAWS} draws stand for 11^(90) partitions. Their accuracy, less that of vectors with "
        f"an error below 3 %: {ours.signed()}; "
        f"less Kendall's, which needs no draws: {kendall.signed()}.",
    )


def _origin(scores: Scores, origin: Scores) -> Verdict:
    grown = origin.mean("full", CUT, "accuracy")
    lives = scores.mean("full", CUT, "accuracy")
    return verdict(
        lambda score: share_outcome([_chance(origin, "full", CUT, score)]),
        f"Accuracy of the graph cut kernel on full rankings: {grown} for where people grew up, "
        f"{lives} for where they live, which the published experiments used.",
    )
