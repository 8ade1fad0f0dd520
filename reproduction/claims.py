"""What the paper claims, the three ways to look at a claim, and the rules by which it is judged.

A claim is a line of claims.md and one function, which gives the verdict, from the numbers of its
part, for one way to look. A difference between two methods is paired, seed by seed, and its
interval is Student's, at 95 %. Of a word in :data:`WORDS` it says yes, no, or that it is too wide
to tell (None).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats


class Way(StrEnum):
    """A way to look at a claim."""

    #: What the text says, labels right, fits to convergence.
    PRINTED = "as printed"
    #: The authors' settings, labels put right.
    PUBLISHED = "as published"
    #: What the released program would have given, mixed labels included.
    RUN = "as run"


class Outcome(StrEnum):
    """The verdict on a claim."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    #: It was looked at, but the numbers do not decide.
    UNDECIDED = "not decided"
    #: This run did not look at it.
    UNCHECKED = "not checked"


class Verdict(NamedTuple):
    """An outcome, with a sentence or two that give the numbers."""

    outcome: Outcome
    because: str


class MissingError(KeyError):
    """There are no scores of a method."""


class Claim(NamedTuple):
    """A statement of the paper, where it is made, and the ways to look at it.

    ``name`` is its part and the function that judges it: "sushi.f1_is_limited".
    """

    name: str
    statement: str
    where: str
    ways: tuple[Way, ...]

    @property
    def part(self) -> str:
        """The part whose numbers it is judged by."""
        return self.name.partition(".")[0]

    def judge(self, found: Any, way: Way) -> Verdict:
        """The verdict, from what was found of its part."""
        try:
            verdict: Verdict = getattr(home_of(self.part), self.name.partition(".")[2])(found, way)
        except MissingError:
            return Verdict(Outcome.UNCHECKED, "This run has no numbers for it.")
        return verdict


def home_of(part: str) -> Any:
    """The module that judges a part."""
    module = f"reproduction.{part}"
    return import_module(f"{module}_claims" if find_spec(f"{module}_claims") else module)


def read_claims() -> list[Claim]:
    """Those of claims.md, whose table has a line for each."""
    lines = Path(__file__).with_suffix(".md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line][2:]
    return [
        Claim(name, statement, where, tuple(Way(f"as {way}") for way in ways.split(", ")))
        for name, statement, where, ways in rows
    ]


# The size of a difference that matters, and of one that would still count as slight.
MARGIN, SLIGHT = 0.02, 0.005

WORDS = {
    "better": (0.0, MARGIN),
    "slightly better": (0.0, SLIGHT),
    "in line": (-MARGIN, -MARGIN),
    "more variable": (1.0, 1.5),
}
"""Yes if all of an interval is above the first level, no if all of it is below the second."""

# The level of all intervals.
LEVEL = 0.95

_RESAMPLES = 2000

# Fewer seeds say nothing about a mean, or about a standard deviation.
_FEWEST_FOR_MEAN, _FEWEST_FOR_SPREAD = 3, 6


@dataclass(frozen=True)
class Interval:
    """A mean over seeds and its interval.

    >>> str(Interval.of([0.1, 0.2, 0.3])), Interval.of([0.1, 0.2, 0.3]).signed()
    ('.200 (−.048 to .448)', '+.200 (−.048 to +.448)')
    """

    mean: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Interval":
        """Student's interval of the mean."""
        numbers = np.asarray(values, dtype=np.float64)
        mean, n = float(numbers.mean()), len(numbers)
        if n < _FEWEST_FOR_MEAN:
            return cls(mean, -np.inf, np.inf, n)
        half = stats.t.ppf(0.5 + LEVEL / 2, n - 1) * numbers.std(ddof=1) / np.sqrt(n)
        return cls(mean, mean - float(half), mean + float(half), n)

    def __str__(self) -> str:
        return self.signed("")

    def signed(self, sign: str = "+") -> str:
        """As a difference is written."""
        if not np.isfinite([self.low, self.high]).all():
            return f"{short(self.mean, sign)} ({self.n} seeds)"
        return f"{short(self.mean, sign)} ({short(self.low, sign)} to {short(self.high, sign)})"

    def __neg__(self) -> "Interval":
        return Interval(-self.mean, -self.high, -self.low, self.n)

    def says(self, word: str) -> bool | None:
        """Whether it is as a word of :data:`WORDS` says."""
        return self.above(*WORDS[word])

    def above(self, level: float, no: float) -> bool | None:
        """All of it above a level; no if all of it is below another, or the same."""
        return True if self.low > level else False if self.high < no else None

    @property
    def equal(self) -> bool | None:
        """Whether any difference of more than the margin is ruled out; no if one is certain."""
        if self.low > -MARGIN and self.high < MARGIN:
            return True
        return False if self.low > MARGIN or self.high < -MARGIN else None


def short(number: float, sign: str = "") -> str:
    """A score to three places, without the zero before the point.

    >>> short(-0.0123), short(0.5, "+"), short(1.5)
    ('−.012', '+.500', '1.500')
    """
    text = f"{number:{sign}.3f}".replace("-0.", "-.").replace("+0.", "+.").replace("-", "−")
    return text[1:] if text.startswith("0.") else text


Case = tuple[str, str]
"""An experiment and a method."""


class Scores:
    """F1 and accuracy by experiment, method and seed; equal ones (levels of noise) are averaged."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._rows: dict[Case, dict[int, list[Any]]] = {}
        for row in rows:
            seeds = self._rows.setdefault((row["experiment"], row["method"]), {})
            seeds.setdefault(row["seed"], []).append(row)

    def __contains__(self, case: Case) -> bool:
        return case in self._rows

    def by_seed(self, case: Case, score: str = "F1") -> dict[int, float]:
        """The score of each seed."""
        if case not in self._rows:
            raise MissingError(case)
        rows = self._rows[case].items()
        return {seed: float(np.mean([row[score] for row in own])) for seed, own in rows}

    def mean(self, case: Case, score: str = "F1") -> Interval:
        """The mean over seeds."""
        return Interval.of(list(self.by_seed(case, score).values()))

    def pairs(self, one: Case, other: Case, score: str = "F1") -> dict[int, tuple[float, float]]:
        """Both scores for the seeds that both have."""
        left, right = self.by_seed(one, score), self.by_seed(other, score)
        return {seed: (left[seed], right[seed]) for seed in left if seed in right}

    def difference(self, one: Case, other: Case, score: str = "F1") -> Interval:
        """The first less the second."""
        return Interval.of([a - b for a, b in self.pairs(one, other, score).values()])

    def spared(self, one: Case, before: Case, rival: Case, rival_before: Case) -> Interval:
        """How much more a rival loses from one experiment to another: of F1, over common seeds."""
        own, rivals = self.pairs(one, before), self.pairs(rival, rival_before)
        lost = {seed: b - a for seed, (a, b) in rivals.items()}
        return Interval.of([a - b + lost[seed] for seed, (a, b) in own.items() if seed in lost])

    def gain(self, one: Case, other: Case) -> str:
        """The difference in both scores, in words."""
        f1, accuracy = (self.difference(one, other, score) for score in ("F1", "accuracy"))
        return f"{f1.signed()} in F1 and {accuracy.signed()} in accuracy"

    def spread_ratio(self, one: Case, other: Case) -> Interval:
        """The ratio of F1's standard deviations over seeds; its interval by resampling seeds."""
        both = np.array(list(self.pairs(one, other).values()))
        ratio = float(_ratio(both.std(axis=0, ddof=1)))
        if len(both) < _FEWEST_FOR_SPREAD:
            return Interval(ratio, 0.0, np.inf, len(both))
        rng = np.random.default_rng(0)
        chosen = both[rng.integers(0, len(both), (_RESAMPLES, len(both)))]
        ratios = _ratio(chosen.std(axis=1, ddof=1))
        low, high = np.quantile(ratios, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2], method="nearest")
        return Interval(ratio, float(low), float(high), len(both))


def _ratio(spreads: Any) -> Any:
    """The first of the last axis over the second; infinite where that is 0."""
    one, other = spreads[..., 0], spreads[..., 1]
    return np.divide(one, other, out=np.full(one.shape, np.inf), where=other > 0)


def shared(held: Sequence[bool | None]) -> Outcome:
    """All of them: holds; none: does not hold; some: in part; undecided ones could change it: open.

    >>> [str(shared(held)) for held in ([True, False], [False, None], [True, None])]
    ['holds in part', 'not decided', 'not decided']
    """
    if True in held and False in held:
        return Outcome.IN_PART
    if None in held:
        return Outcome.UNDECIDED
    return Outcome.HOLDS if all(held) else Outcome.FAILS


def all_of(held: Sequence[bool | None]) -> Outcome:
    """For claims about all, or about only one: a single exception, and they do not hold."""
    return Outcome.FAILS if False in held else shared(held)


def holds_if(held: bool | None, because: str) -> Verdict:
    """Holds, does not hold, or is not decided."""
    return Verdict(shared([held]), because)


def negated(held: bool | None) -> bool | None:
    """No for yes, and yes for no; what cannot be told stays so."""
    return None if held is None else not held


def in_line_with(scores: Scores, main: str, rivals: Mapping[str, Sequence[str]]) -> Verdict:
    """Whether the main method is in line with each rival in each experiment."""
    every = [(name, rival) for name, several in rivals.items() for rival in several]
    cases = [case for case in every if case in scores and (case[0], main) in scores]
    if not cases:
        raise MissingError(main)
    lost = {case: scores.difference((case[0], main), case) for case in cases}
    held = [each.says("in line") for each in lost.values()]
    worst = min(cases, key=lambda case: lost[case].low)
    return Verdict(
        shared(held),
        f"A loss of more than {MARGIN} is ruled out in {held.count(True)} of {len(cases)} "
        f"comparisons. The least favourable is with {worst[1]} on {worst[0]} rankings: "
        f"{scores.gain((worst[0], main), worst)}.",
    )
