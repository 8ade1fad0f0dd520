"""Means and paired differences over seeds, with intervals, and the rules that make verdicts.

A difference is paired: both methods see the same rankings and the same split for each seed. Its
interval is Student's, at 95 %. It says yes, no, or that it is too wide to tell (None):

===============  =======================  ======================================
                 yes                      no
===============  =======================  ======================================
better           above 0                  below 0.02
slightly better  above 0                  below 0.005
worse            below 0                  above −0.02
in line          above −0.02              below −0.02
equal            within ±0.02             above 0.02, or below −0.02
more variable    ratio above 1            ratio below 1.5
===============  =======================  ======================================

A claim may have several parts, and each is judged by F1, as the paper does, and by accuracy, since
F1 can be had by predicting one class. It holds if all parts do, does not hold if none does, and
holds in part if some do and some do not. Where undecided parts could change that, it is not
decided. :data:`RULES` says so to the reader of a report.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from reproduction.findings import Outcome, Row, Verdict

MARGIN = 0.02

# A gain of this size counts as slight.
SLIGHT = 0.005

LEVEL = 0.95

# A standard deviation is not larger if it is certainly less than this many times as large.
_SPREAD = 1.5

RULES = (
    "Differences are paired, seed by seed, with 95 % intervals. *Better* means that the interval "
    f"is above 0, and *not better* that it is below {MARGIN}: a gain as large is ruled out. "
    f"*Slightly better* means above 0 too, and *not* that it is below {SLIGHT}. "
    f"*In line* means that it is above −{MARGIN}, *equal* that it lies within ±{MARGIN}, and *not* "
    "that it is wholly beyond. *More "
    "variable* means that the interval of the ratio of standard deviations over seeds is above 1, "
    f"and *not* that it is below {_SPREAD}. A claim holds if all its parts do, by F1 and by "
    "accuracy, does not hold if none does, and holds in part if some do and some do not. It is not "
    "decided where intervals too wide to say yes or no could change that. Intervals are not "
    "widened for how many there are."
)
"""What the words of verdicts mean; Markdown."""

# What a claim is judged by.
JUDGES = ("F1", "accuracy")

_RESAMPLES = 2000

# Fewer seeds say nothing about a standard deviation.
_FEWEST = 6

# Two may have the same score by chance, and so an interval of no width.
_FEWEST_FOR_MEAN = 3


@dataclass(frozen=True)
class Interval:
    """A mean over seeds and its interval.

    >>> str(Interval.of([0.1, 0.2, 0.3]))
    '0.200 [−0.048, 0.448]'
    """

    mean: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float] | NDArray[np.float64]) -> "Interval":
        """Student's interval of the mean."""
        numbers = np.asarray(values, dtype=np.float64)
        mean, n = float(numbers.mean()), len(numbers)
        if n < _FEWEST_FOR_MEAN:
            return cls(mean, -np.inf, np.inf, n)
        half = stats.t.ppf(0.5 + LEVEL / 2, n - 1) * numbers.std(ddof=1) / np.sqrt(n)
        return cls(mean, mean - float(half), mean + float(half), n)

    def __str__(self) -> str:
        return self._told(".3f")

    def signed(self) -> str:
        """As a difference is written."""
        return self._told("+.3f")

    def _told(self, form: str) -> str:
        if not np.isfinite([self.low, self.high]).all():
            return f"{self.mean:{form}} ({self.n} seeds, too few for an interval)".replace("-", "−")
        return f"{self.mean:{form}} [{self.low:{form}}, {self.high:{form}}]".replace("-", "−")

    @property
    def better(self) -> bool | None:
        """Above 0; no if a gain of more than the margin is ruled out."""
        return self.above(0.0, no=MARGIN)

    @property
    def slightly_better(self) -> bool | None:
        """Above 0; no if even a slight gain is ruled out."""
        return self.above(0.0, no=SLIGHT)

    @property
    def worse(self) -> bool | None:
        """Below 0; no if a loss of more than the margin is ruled out."""
        return Interval(-self.mean, -self.high, -self.low, self.n).better

    @property
    def in_line(self) -> bool | None:
        """Whether a loss of more than the margin is ruled out; no if it is certain."""
        return self.above(-MARGIN, no=-MARGIN)

    @property
    def equal(self) -> bool | None:
        """Whether any difference of more than the margin is ruled out; no if one is certain."""
        if self.low > -MARGIN and self.high < MARGIN:
            return True
        return False if self.low > MARGIN or self.high < -MARGIN else None

    @property
    def more_variable(self) -> bool | None:
        """For a ratio of standard deviations: above 1; no if it is not far above, if at all."""
        return self.above(1.0, no=_SPREAD)

    def above(self, level: float, *, no: float) -> bool | None:
        """All of it above a level; no if all of it is below another, or the same."""
        if self.low > level:
            return True
        return False if self.high < no else None


class Scores:
    """Scores by setting, method and seed, as rows of a table have them.

    Parameters
    ----------
    rows : iterable of rows
        Each with "method", "seed", the column ``setting``, and scores. Rows that agree in these
        three (levels of noise, say) are averaged.
    setting : str
        The column that says which experiment.
    """

    def __init__(self, rows: Iterable[Row], setting: str) -> None:
        self._rows: dict[tuple[str, str], dict[int, list[Row]]] = {}
        for row in rows:
            seeds = self._rows.setdefault((row[setting], row["method"]), {})
            seeds.setdefault(row["seed"], []).append(row)

    def has(self, setting: str, method: str) -> bool:
        """Whether there are any scores of it."""
        return (setting, method) in self._rows

    def by_seed(
        self, setting: str, method: str, score: str, seeds: Sequence[int] | None = None
    ) -> dict[int, float]:
        """A score of each seed, or of some."""
        return {
            seed: float(np.mean([row[score] for row in rows]))
            for seed, rows in self._rows[setting, method].items()
            if seeds is None or seed in seeds
        }

    def mean(
        self, setting: str, method: str, score: str, seeds: Sequence[int] | None = None
    ) -> Interval:
        """The mean over seeds."""
        return Interval.of(list(self.by_seed(setting, method, score, seeds).values()))

    def difference(
        self,
        one: tuple[str, str],
        other: tuple[str, str],
        score: str,
        seeds: Sequence[int] | None = None,
    ) -> Interval:
        """The difference of two (setting, method) over the seeds that both have."""
        left = self.by_seed(*one, score, seeds)
        right = self.by_seed(*other, score, seeds)
        both = [seed for seed in left if seed in right]
        return Interval.of([left[seed] - right[seed] for seed in both])

    def difference_of_differences(
        self, settings: tuple[str, str], methods: tuple[str, str], score: str
    ) -> Interval:
        """Of one setting less another, by one method less by another: over seeds that all have."""
        here, there, others_here, others_there = (
            self.by_seed(setting, method, score) for method in methods for setting in settings
        )
        seeds = here.keys() & there.keys() & others_here.keys() & others_there.keys()
        return Interval.of(
            [
                (here[seed] - there[seed]) - (others_here[seed] - others_there[seed])
                for seed in sorted(seeds)
            ]
        )

    def spread_ratio(self, one: tuple[str, str], other: tuple[str, str], score: str) -> Interval:
        """The ratio of standard deviations over seeds; its interval is by resampling seeds."""
        left, right = self.by_seed(*one, score), self.by_seed(*other, score)
        pairs = np.array([(left[seed], right[seed]) for seed in left if seed in right])
        ratio = float(_ratio(pairs.std(axis=0, ddof=1)))
        if len(pairs) < _FEWEST:
            return Interval(ratio, 0.0, np.inf, len(pairs))
        rng = np.random.default_rng(0)
        chosen = pairs[rng.integers(0, len(pairs), (_RESAMPLES, len(pairs)))]
        ratios = _ratio(chosen.std(axis=1, ddof=1))
        low, high = np.quantile(ratios, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2], method="nearest")
        return Interval(ratio, float(low), float(high), len(pairs))


def _ratio(spreads: NDArray[np.float64]) -> NDArray[np.float64]:
    """The first of the last axis over the second; infinite where that is 0."""
    one, other = spreads[..., 0], spreads[..., 1]
    ratio = np.full(one.shape, np.inf)
    np.divide(one, other, out=ratio, where=other > 0)
    return ratio


def share_outcome(held: Sequence[bool | None]) -> Outcome:
    """All of them: holds; none: does not hold; some: in part; undecided ones could change it: open.

    >>> [str(share_outcome(held)) for held in ([True, False], [False, None], [True, None])]
    ['holds in part', 'not decided', 'not decided']
    """
    if True in held and False in held:
        return Outcome.IN_PART
    if None in held:
        return Outcome.UNDECIDED
    return Outcome.HOLDS if all(held) else Outcome.FAILS


def every_outcome(held: Sequence[bool | None]) -> Outcome:
    """For claims about all, or about only one: a single exception, and they do not hold.

    >>> [str(every_outcome(held)) for held in ([True, True], [True, False], [True, None])]
    ['holds', 'does not hold', 'not decided']
    """
    if False in held:
        return Outcome.FAILS
    return Outcome.UNDECIDED if None in held else Outcome.HOLDS


def negated(held: bool | None) -> bool | None:
    """No for yes, and yes for no; what cannot be told stays so."""
    return None if held is None else not held


_ANSWERS = {Outcome.HOLDS: True, Outcome.FAILS: False, Outcome.UNDECIDED: None}


def by_both(rule: Callable[[str], Outcome]) -> Outcome:
    """A rule judged by F1 and by accuracy: in part if it is by one of them, else as if parts."""
    outcomes = [rule(judge) for judge in JUDGES]
    if Outcome.IN_PART in outcomes:
        return Outcome.IN_PART
    return share_outcome([_ANSWERS[outcome] for outcome in outcomes])


def verdict(rule: Callable[[str], Outcome], because: str) -> Verdict:
    """By both judges."""
    return told(by_both(rule), because)


def told(outcome: Outcome, because: str) -> Verdict:
    """With a word if seeds are too few to tell."""
    too_wide = " The intervals are too wide to tell." if outcome is Outcome.UNDECIDED else ""
    return Verdict(outcome, because + too_wide)


def losses_ruled_out(scores: Scores, rivals: Mapping[str, Sequence[str]], main: str) -> Verdict:
    """Whether the main method is in line with each rival in each setting."""
    pairs = [
        (setting, rival)
        for setting, several in rivals.items()
        for rival in several
        if scores.has(setting, rival)
    ]

    def against(pair: tuple[str, str], score: str) -> Interval:
        return scores.difference((pair[0], main), pair, score)

    def rule(score: str) -> Outcome:
        return share_outcome([against(pair, score).in_line for pair in pairs])

    counts = {
        judge: sum(against(pair, judge).in_line is True for pair in pairs) for judge in JUDGES
    }
    worst = min(pairs, key=lambda pair: against(pair, "F1").low)
    return verdict(
        rule,
        f"A loss of more than {MARGIN} is ruled out in {counts['F1']} of {len(pairs)} comparisons "
        f"by F1, and in {counts['accuracy']} by accuracy. The least favourable is with {worst[1]} "
        f"on {worst[0]} rankings: {against(worst, 'F1').signed()} of F1, "
        f"{against(worst, 'accuracy').signed()} of accuracy.",
    )
