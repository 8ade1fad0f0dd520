"""From sums under exchanged labels to p-values, adjusted ones, and shares of variation."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.stats import beta, norm

from rankcut._loops.types import Floats, Longs
from rankcut.comparison.permutations import Labels
from rankcut.comparison.vectors import Scores
from rankcut.rankings.value import ROUNDING

Method: TypeAlias = Literal["exact", "permutations", "limit"]

# All permutations are enumerated if there are at most this many, or at most as many as asked.
FEW = 10_000

# From this many units on, if each group has enough of them, the limit distribution is used.
VERY_MANY = 200_000
ENOUGH = 1_000

# Sums of squares below this share of the largest are rounding errors of 0.
_ZERO = 1e-16

# How much each statistic counts; chosen by simulation, on other cases than those printed by
# benchmarks/comparison.py. Where the covariance is not used, its weight goes to the distance.
_DISTANCE, _COVARIANCE, _AGREEMENT = 4.0, 2.0, 0.2
_SINGLES = (3.0, 0.5)

# Covariances are inverted only with this many units for each coordinate.
_UNITS_EACH = 4


class Estimate(NamedTuple):
    """A number with a 95 % confidence interval."""

    value: float
    interval: tuple[float, float]


class Options(NamedTuple):
    """How many permutations to draw, from which seed, with how many threads."""

    n_permutations: int
    seed: int
    n_jobs: int | None = None


@dataclass(frozen=True)
class Family:
    """Coordinates that answer one question.

    Attributes
    ----------
    columns : slice
        Which coordinates of the scores.
    kind : {"whole", "combined", "each"}
        One test of all of them, by the distance between means or by several ways combined; or a
        test of each, with the chance of any false alarm held for all of them together.
    singles : tuple of slices
        One or two kinds of coordinates; "combined" also looks at the one of each kind that
        differs most.
    distance : slice or None
        Where lists are partial: the coordinates between whose means "combined" measures the
        distance. The covariance of ``columns`` is then left out. Places of items that few list
        hardly vary; in units of the covariance they would count as much as all others.
    """

    columns: slice
    kind: Literal["whole", "combined", "each"]
    singles: tuple[slice, ...] = ()
    distance: slice | None = None


class Draws:
    """How labels are exchanged, and how often.

    Attributes
    ----------
    method : {"exact", "permutations", "limit"}
    number : int
        How many permutations, or draws from the limit.
    """

    def __init__(self, labels: Labels, options: Options) -> None:
        self._labels = labels
        self._options = options
        arrangements = labels.arrangements()
        self.method: Method = "permutations"
        self.number = options.n_permutations
        if arrangements <= max(FEW, self.number):
            self.method, self.number = "exact", int(arrangements)
        elif labels.design.n_units >= VERY_MANY and _is_nearly_normal(labels):
            self.method = "limit"

    def __call__(self, scores: Scores) -> Iterator[Floats]:
        """The sums S for each, in blocks."""
        if self.method == "exact":
            return self._labels.every(scores)
        if self.method == "limit":
            return self._labels.limit(scores, self.number, self._options.seed)
        return self._labels.sampled(scores, *self._options)

    def describe(self) -> str:
        """How labels are exchanged, as a sentence."""
        if self.method == "exact":
            return f"All {self.number:,} permutations."
        if self.method == "limit":
            return f"{self.number:,} draws from the limit distribution of permutations."
        return f"{self.number:,} random permutations."

    def probability(self, n_extreme: int) -> Estimate:
        """(1 + draws at least as extreme as the data) / (1 + draws), or the share of all.

        The interval is that of a share of draws; it has no width if all were enumerated.
        """
        n, value = self.number, self.shares(n_extreme)
        if self.method == "exact":
            return Estimate(value, (value, value))
        low = beta.ppf(0.025, n_extreme, n - n_extreme + 1) if n_extreme else 0.0
        high = beta.ppf(0.975, n_extreme + 1, n - n_extreme) if n_extreme < n else 1.0
        return Estimate(value, (float(low), float(high)))

    def shares(self, n_extreme: Any) -> Any:
        """P-values from numbers of draws at least as extreme as the data."""
        return (
            n_extreme / self.number
            if self.method == "exact"
            else (1 + n_extreme) / (1 + self.number)
        )


def run_tests(
    labels: Labels, scores: Scores, families: Sequence[Family], draws: Draws
) -> list[Any]:
    """Answer all questions with the same permutations.

    A family of the kind "each" has the adjusted p-value of each coordinate; the others have one
    estimate.
    """
    questions = [
        _Each(family, scores) if family.kind == "each" else _Whole(family, scores)
        for family in families
    ]
    seen = labels.observed(scores)
    for question in questions:
        question.look(seen)
    for block in draws(scores):
        for question in questions:
            question.add(block)
    return [question.answer(draws) for question in questions]


def one_test(
    labels: Labels, scores: Scores, family: Family, options: Options
) -> tuple[Estimate, Estimate]:
    """The p-value of one question by itself, and the share that the labels explain.

    1 and 0 if no labels can be exchanged.
    """
    if labels.width == 0:
        return Estimate(1.0, (1.0, 1.0)), Estimate(0.0, (0.0, 0.0))
    (found,) = run_tests(labels, scores, [family], Draws(labels, options))
    return found, share_explained(labels, scores, family.columns)


def overall_family(columns: Mapping[str, slice]) -> Family:
    """The test of all differences: of the features chosen, or of places and pairs.

    ``columns`` says which coordinates there are: "places", and "pairs" if they are compared; "given
    length" if lists are partial; or "features".
    """
    if "features" in columns:
        return Family(columns["features"], "whole")
    places, pairs = columns["places"], columns.get("pairs")
    single = columns.get("given length", places)
    singles = (single,) if pairs is None else (single, pairs)
    distance = None
    if "given length" in columns:
        distance = places if pairs is None else pairs
    return Family(places, "combined", singles, distance)


def share_explained(labels: Labels, scores: Scores, columns: slice) -> Estimate:
    """The part of the variation of these coordinates that the labels explain.

    With T = ‖S‖² and its mean E over permutations it is (T − E)/(total − E): for groups without
    strata or weights, ε². The interval takes S for normal about its mean μ with the covariance V
    found within groups: T then has the mean ‖μ‖² + tr V and the variance 4μᵀVμ + 2·tr V².
    """
    sums = labels.observed(scores)[:, columns]
    total = float(scores.total[columns].sum())
    if not total > 0.0:
        return Estimate(0.0, (0.0, 0.0))
    by_chance, spread = _by_chance(labels, scores, columns)
    excess = float((sums**2).sum()) - by_chance
    room = max(total - by_chance, np.finfo(float).tiny)
    squared = float((spread**2).sum())
    along = float(np.einsum("qp,pr,qr->", sums, spread, sums))
    slope = max(along - len(sums) * squared, 0.0) / excess if excess > 0 else 0.0
    least, most = squared / max(float(np.trace(spread)), 1e-300), np.linalg.eigvalsh(spread)[-1]
    slope = min(max(slope, least), float(most))
    z2 = float(norm.ppf(0.975)) ** 2
    middle = excess + 2.0 * z2 * slope
    half = math.sqrt(max(middle**2 - excess**2 + 2.0 * z2 * len(sums) * squared, 0.0))
    low, high = (min(max(end / room, 0.0), 1.0) for end in (middle - half, middle + half))
    return Estimate(excess / room, (low, high))


def holm(p_values: Floats) -> Floats:
    """Adjusted p-values that control the chance of any false alarm.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return adjusted


def _by_chance(labels: Labels, scores: Scores, columns: slice) -> tuple[float, Floats]:
    """The mean of ‖S‖² over permutations, and the covariance of a row of S within groups."""
    design = labels.design
    n_units = np.add.reduceat(design.counts, design.starts[:-1])
    share = np.trace(labels.gram, axis1=1, axis2=2) / np.maximum(n_units - 1, 1)
    of_cells = share[design.strata] * design.counts
    sums = labels.observed(scores)[:, columns]
    mean = 0.0
    squares = np.zeros((sums.shape[1], sums.shape[1]))
    for cells, block in scores.blocks():
        part = block[:, columns]
        mean += float(of_cells[cells] @ (part**2).sum(axis=1))
        squares += (part * design.counts[cells, np.newaxis]).T @ part
    # Of the columns of Q, which are alike.
    scale = np.trace(labels.gram.sum(axis=0)) / labels.width
    freedom = max(int(n_units.sum()) - len(n_units) - labels.width, 1)
    return mean, np.maximum(scale, 0.0) * (squares - sums.T @ sums / scale) / freedom


class _Whole:
    """T = ‖S‖², the squared distance between means; or several ways to look, combined.

    These are T; the same in units of the covariance, unless lists are partial; the largest share of
    one coordinate's variation, of each kind; and the part along the overall mean, which is large
    if one group agrees with it more than another. Each by itself has little power against some
    differences. Their p-values are combined by Cauchy's weighted sum Σ w·tan(π·(½ − p)), and the
    sum is compared with what it is under the same permutations, so the level is exact however the
    ways depend on each other.
    """

    def __init__(self, family: Family, scores: Scores) -> None:
        columns = family.columns
        self._ways: list[_Way] = []
        self._singles = []
        weight = _DISTANCE + _COVARIANCE
        if family.kind == "combined":
            self._singles = [
                (weight, each, _unit_scale(scores.own[each]))
                for weight, each in zip(_SINGLES, family.singles, strict=False)
            ]
            enough = scores.design.n_units >= _UNITS_EACH * len(scores.own[columns])
            if family.distance is None and enough:
                weight = _DISTANCE
                self._ways.append(_Way(_COVARIANCE, columns, _whitening(scores, columns)))
            along = _overall_mean(scores, columns)
            if along is not None:
                self._ways.append(_Way(_AGREEMENT, columns, along[:, np.newaxis]))
        distance = columns if family.distance is None else family.distance
        self._ways.append(_Way(weight, distance, None))
        self._drawn: list[Floats] = []

    def look(self, seen: Floats) -> None:
        self._seen = self._values(seen[np.newaxis])

    def add(self, block: Floats) -> None:
        self._drawn.append(self._values(block))

    def answer(self, draws: Draws) -> Estimate:
        values = np.concatenate([self._seen, *self._drawn])
        ranks = np.array([_count_at_least(column) for column in values.T])
        number = len(values)
        if draws.method == "exact":
            # The data are one of all permutations: do not count them twice.
            ranks -= ranks >= ranks[:, :1]
            number -= 1
        combined = -ranks[0].astype(np.float64)
        if len(ranks) > 1:
            weights = [way.weight for way in self._ways] + [single[0] for single in self._singles]
            combined = weights @ np.tan(np.pi * (0.5 - (ranks - 0.5) / number))
        bar = combined[0] - ROUNDING * max(abs(combined[0]), 1.0)
        return draws.probability(int((combined[1:] >= bar).sum()))

    def _values(self, sums: Floats) -> Floats:
        found = []
        for way in self._ways:
            part = sums[:, :, way.columns]
            part = part if way.directions is None else part @ way.directions
            found.append((part**2).sum(axis=(1, 2)))
        for _, columns, scale in self._singles:
            # Of one item there are no pairs.
            shares = (sums[:, :, columns] ** 2).sum(axis=1) * scale
            found.append(shares.max(axis=1, initial=0.0))
        return np.array(found).T


class _Way(NamedTuple):
    """The sum of squares of some coordinates, or of their products with some directions."""

    weight: float
    columns: slice
    directions: Floats | None


class _Each:
    """The largest share of a coordinate's variation that is explained, step by step.

    Westfall and Young: the p-value of the coordinate with the k-th largest share compares it with
    the largest among those from the k-th on.
    """

    def __init__(self, family: Family, scores: Scores) -> None:
        self._columns = family.columns
        self._scale = _unit_scale(scores.own[family.columns])

    def look(self, seen: Floats) -> None:
        shares = self._shares(seen[np.newaxis])[0]
        self._order = np.argsort(-shares, kind="stable")
        self._bar = shares[self._order] * (1.0 - ROUNDING) - _ZERO
        self._extreme = np.zeros(len(shares), dtype=np.int64)

    def add(self, block: Floats) -> None:
        shares = self._shares(block)[:, self._order]
        largest = np.maximum.accumulate(shares[:, ::-1], axis=1)[:, ::-1]
        self._extreme += (largest >= self._bar).sum(axis=0)

    def answer(self, draws: Draws) -> Floats:
        values = draws.shares(self._extreme)
        adjusted = np.empty(len(values))
        adjusted[self._order] = np.maximum.accumulate(values)
        return adjusted

    def _shares(self, sums: Floats) -> Floats:
        return np.asarray((sums[:, :, self._columns] ** 2).sum(axis=1) * self._scale)


def _unit_scale(own: Floats) -> Floats:
    """One by each sum of squares, and 0 for what does not vary."""
    floor = ROUNDING * max(float(own.max(initial=0.0)), 1e-300)
    return np.divide(1.0, own, out=np.zeros_like(own), where=own > floor)


def _whitening(scores: Scores, columns: slice) -> Floats:
    """R with RRᵀ the pseudo-inverse of the scores' covariance."""
    width = len(range(*columns.indices(scores.width)))
    squares = np.zeros((width, width))
    counts = scores.design.counts
    for cells, block in scores.blocks():
        part = block[:, columns]
        squares += (part * counts[cells, np.newaxis]).T @ part
    values, directions = np.linalg.eigh(squares)
    kept = values > ROUNDING * max(values[-1], 1e-300)
    return np.asarray(directions[:, kept] / np.sqrt(values[kept]))


def _overall_mean(scores: Scores, columns: slice) -> Floats | None:
    """The mean vector of all groups about the mean of its coordinates; None if that is 0."""
    means = scores.means[:, columns]
    mean = scores.group_weights @ means / scores.group_weights.sum()
    along = mean - mean.mean()
    size = float(np.linalg.norm(along))
    return along / size if size > ROUNDING * max(float(np.abs(means).max()), 1.0) else None


def _count_at_least(values: Floats) -> Longs:
    """How many are at least as large as each one; values equal up to rounding count.

    >>> _count_at_least(np.array([3.0, 1.0, 3.0 + 1e-15, 7.0, 0.0, 1e-30]))
    array([3, 4, 3, 1, 6, 6])
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    # The values are squares: rounding errors of what is 0 are far below the largest of them.
    gaps = np.diff(ordered) > ROUNDING * np.abs(ordered[1:]) + _ZERO * np.abs(ordered[-1:])
    first = np.concatenate([[0], np.flatnonzero(gaps) + 1])
    level = np.concatenate([[0], np.cumsum(gaps)])
    counts = np.empty(len(values), dtype=np.int64)
    counts[order] = len(values) - first[level]
    return counts


def _is_nearly_normal(labels: Labels) -> bool:
    """Whether each group has enough units for the limit, and no unit weighs too much."""
    design = labels.design
    sizes = design.sizes
    movable = sizes[(sizes > 0).sum(axis=1) > 1].sum(axis=0)
    heaviest = float(design.weight.max() ** 2 / (design.counts @ design.weight**2))
    return bool((movable >= ENOUGH).all()) and heaviest < 1.0 / ENOUGH
