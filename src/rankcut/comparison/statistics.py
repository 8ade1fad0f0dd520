"""Tests of means that survive unequal spread: Welch's t, its maxima, the ANOVA-type statistic.

*Items, pairs*: Welch's t of a difference of group means is (μ_a − μ_b)/√(v_a + v_b), with the
variance of each mean estimated in its own group. It is turned into a normal score z by the t
distribution with Satterthwaite's degrees of freedom; in permutations with min(m_a, m_b) − 1, so
that two people who happen to agree do not outdo all others. A family of differences is judged by
the largest |z|, step by step (Westfall and Young).

*Overall*: the ANOVA-type statistic (Brunner, Dette and Munk) is the sum of squares between groups
by what is expected of it without a difference, Σ_g W_g‖μ_g − μ̄‖² / Σ_g W_g(1 − W_g/W)·tr C_g. Its
p-value is combined with that of the largest |z| by their harmonic mean: the first sees many small
differences, the second a few large ones.

Each statistic is computed anew, variances and all, in each permutation. A p-value is the larger of
two: that of permutations, exact if groups have the same distribution, and that of Welch's
approximation, right in the limit whatever their spreads and sizes.
"""

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, gammaln, log_ndtr
from scipy.stats import beta, norm

from rankcut._loops.resamples import add_by_label, shuffle_labels
from rankcut._loops.types import Floats, Longs
from rankcut.comparison.vectors import Scores
from rankcut.parameters import AT_ONCE
from rankcut.rankings.value import ROUNDING
from rankcut.threads import in_order

Method: TypeAlias = Literal["exact", "permutations", "Welch"]

# All permutations are enumerated if there are at most this many, or at most as many as asked.
FEW = 10_000

# With this many units in each group, permutations and Welch's approximation agree.
ENOUGH = 1_000

# Additions of permutations, about a minute: with very many rankings there are fewer permutations.
_WORK = 1 << 37


class Estimate(NamedTuple):
    """A number with a 95 % confidence interval."""

    value: float
    interval: tuple[float, float]


class Options(NamedTuple):
    """How many permutations to draw, from which seed, with how many threads."""

    n_permutations: int
    seed: int
    n_jobs: int | None = None


class Moments(NamedTuple):
    """Means of groups in each coordinate, and the variances of these means.

    ``means`` and ``variances`` have the shape (…, n_groups, width), ``weights`` (…, n_groups);
    ``sizes`` are the units of each group.
    """

    means: Floats
    variances: Floats
    weights: Floats
    sizes: Longs

    def first(self) -> "Moments":
        """Those of the first permutation, or of the data."""
        return Moments(self.means[0], self.variances[0], self.weights[0], self.sizes)


@dataclass(frozen=True)
class Family:
    """Coordinates that answer one question.

    Attributes
    ----------
    kind : {"each", "whole", "two"}
        A test of each coordinate; one of all of them; or one of all of them for each two groups.
    columns : slice
        Which coordinates.
    extra : slice or None
        Coordinates that only take part in the largest |z|; None leaves that out.
    single : slice or None
        Coordinates whose |z| are looked at, if others than ``columns``.
    covariances : (n_groups, n_columns, n_columns) or None
        Of the groups' means.
    shape : float
        tr(Σ)²/tr(Σ²) for the covariance Σ of all units: about how many directions vary.
    """

    kind: Literal["each", "whole", "two"]
    columns: slice
    extra: slice | None = None
    covariances: Floats | None = None
    shape: float = 1.0
    single: slice | None = None

    @property
    def singles(self) -> slice:
        """Coordinates whose |z| are looked at."""
        return self.columns if self.single is None else self.single


class Looked(NamedTuple):
    """What a family finds: values that are large if groups differ, and p-values without permuting.

    ``p_values`` are adjusted for all comparisons of the family.
    """

    values: Floats
    p_values: Floats


def two_groups(n_groups: int) -> tuple[Longs, Longs]:
    """The first and the second group of all pairs of groups."""
    first, second = np.triu_indices(n_groups, 1)
    return first.astype(np.int64), second.astype(np.int64)


def normal_scores(moments: Moments, columns: slice, floor: Floats, *, own: bool = False) -> Floats:
    """|z| of each pair of groups and coordinate, of shape (…, n_pairs, n_columns).

    Wallace's approximation of a normal score of t: √(ν·log(1 + t²/ν))·(8ν + 1)/(8ν + 3). Variances
    are at least ``floor``; where that is 0 a coordinate does not vary, and z is 0.
    """
    a, b = two_groups(len(moments.sizes))
    first, second = (moments.sizes[side][:, np.newaxis] - 1.0 for side in (a, b))
    freedom = np.minimum(first, second)
    means, variances = moments.means[..., columns], moments.variances[..., columns]
    squares = (means[..., a, :] - means[..., b, :]) ** 2
    spread = np.maximum(variances[..., a, :] + variances[..., b, :], floor[columns])
    if own:
        parts = variances[..., a, :] ** 2 / first + variances[..., b, :] ** 2 / second
        least = np.broadcast_to(freedom, parts.shape).copy()
        freedom = np.divide(spread**2, parts, out=least, where=parts > 0)
    t2 = np.divide(squares, spread, out=np.zeros_like(squares), where=spread > 0)
    correction = (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
    return np.asarray(np.sqrt(freedom * np.log1p(t2 / freedom)) * correction)


def two_sided(z: Floats, number: Any = 1) -> Floats:
    """P-values of the largest of this many |z|, by Šidák's inequality."""
    one = 2.0 * np.exp(log_ndtr(-z))
    return np.asarray(-np.expm1(number * np.log1p(-np.minimum(one, 1.0 - ROUNDING))))


def harmonic_mean(p: Floats, q: Floats) -> Floats:
    """Two p-values as one: small if one of them is, and nearly a p-value itself (Good, Wilson)."""
    tiny = np.finfo(float).tiny
    return np.asarray(2.0 / (1.0 / np.maximum(p, tiny) + 1.0 / np.maximum(q, tiny)))


def _between_all(moments: Moments, family: Family, *, own: bool) -> tuple[Floats, Floats]:
    """The ANOVA-type statistic, and its p-value by an F distribution with the same two moments."""
    weights = moments.weights
    shares = weights / weights.sum(axis=-1, keepdims=True)
    means = moments.means[..., family.columns]
    middle = np.einsum("...g,...gi->...i", shares, means)[..., np.newaxis, :]
    between = np.einsum("...g,...gi->...", weights, (means - middle) ** 2)
    traces = moments.variances[..., family.columns].sum(axis=-1)
    expected = weights * (1.0 - shares) * traces
    freedom = (len(moments.sizes) - 1) * family.shape
    if own and family.covariances is not None:
        freedom = _spread(weights[0], family.covariances)[1]
    return _f_test(between, expected, moments.sizes, freedom)


def _between_two(moments: Moments, family: Family, *, own: bool) -> tuple[Floats, Floats]:
    """The same for each two groups."""
    a, b = two_groups(len(moments.sizes))
    means = moments.means[..., family.columns]
    between = ((means[..., a, :] - means[..., b, :]) ** 2).sum(axis=-1)
    traces = moments.variances[..., family.columns].sum(axis=-1)
    expected = np.stack([traces[..., a], traces[..., b]], axis=-1)
    freedom = np.full(len(a), family.shape)
    if own and family.covariances is not None:
        flat = family.covariances.reshape(len(traces[0]), -1)
        gram = flat @ flat.T
        squares = gram[a, a] + gram[b, b] + 2.0 * gram[a, b]
        squared = expected[0].sum(axis=-1) ** 2
        freedom = np.divide(squared, squares, out=freedom, where=squares > 0)
    return _f_test(between, expected, np.stack([moments.sizes[a], moments.sizes[b]], 1), freedom)


def _f_test(between: Floats, expected: Floats, sizes: Longs, freedom: Any) -> tuple[Floats, Floats]:
    """F = between/Σ expected and its p-value; 0 and 1 if nothing varies."""
    total = expected.sum(axis=-1)
    squares = (expected**2 / (sizes - 1)).sum(axis=-1)
    varies = squares > 0
    ratio = np.divide(between, total, out=np.zeros_like(total), where=varies)
    below = np.divide(total**2, squares, out=np.ones_like(total), where=varies)
    return ratio, np.asarray(np.maximum(fdtrc(freedom, below, ratio), np.finfo(float).tiny))


def _spread(weights: Floats, covariances: Floats) -> tuple[float, float, float]:
    """Of Σ W_g‖μ_g − μ̄‖² without a difference: its mean, degrees of freedom and half variance."""
    mixing = np.diag(weights) - np.outer(weights, weights) / weights.sum()
    mean = float(np.diag(mixing) @ np.trace(covariances, axis1=1, axis2=2))
    flat = covariances.reshape(len(weights), -1)
    squared = float((mixing**2 * (flat @ flat.T)).sum())
    return mean, mean**2 / squared if squared > 0 else 1.0, squared


def share_explained(moments: Moments, family: Family, total: float) -> Estimate:
    """The part of the variation of these coordinates that the groups explain, ε².

    With T the sum of squares between groups and E what is expected of it by chance it is
    (T − E)/total. The interval takes T for a quadratic form of normal means: with the mean
    vectors' own squares ‖μ‖² its variance is 4μᵀVμ + 2·tr V².
    """
    covariances = family.covariances
    if not total > 0.0 or covariances is None:
        return Estimate(0.0, (0.0, 0.0))
    weights, means = moments.weights, moments.means[:, family.columns]
    gaps = means - weights @ means / weights.sum()
    by_chance, _, squared = _spread(weights, covariances)
    excess = float(weights @ (gaps**2).sum(axis=1)) - by_chance
    along = float(np.einsum("g,gi,gij,gj->", weights**2, gaps, covariances, gaps))
    slope = max(along - squared, 0.0) / excess if excess > 0 else 0.0
    return normal_interval(excess, by_chance, squared, slope, total)


def normal_interval(
    excess: float, by_chance: float, squared: float, slope: float, total: float
) -> Estimate:
    """A share of the variation; T − θ has the variance 4·slope·θ + 2·squared."""
    slope = max(slope, squared / by_chance if by_chance > 0 else 0.0)
    z2 = float(norm.ppf(0.975)) ** 2
    middle = excess + 2.0 * z2 * slope
    half = math.sqrt(max(middle**2 - excess**2 + 2.0 * z2 * squared, 0.0))
    low, high = (min(max(end / total, 0.0), 1.0) for end in (middle - half, middle + half))
    return Estimate(excess / total, (low, high))


def holm(p_values: Floats) -> Floats:
    """Adjusted p-values that control the chance of any false alarm, along the last axis.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values, axis=-1, kind="stable")
    factors = np.arange(p_values.shape[-1], 0, -1)
    steps = np.take_along_axis(p_values, order, axis=-1) * factors
    adjusted = np.empty_like(p_values)
    steps = np.minimum(np.maximum.accumulate(steps, axis=-1), 1.0)
    np.put_along_axis(adjusted, order, steps, axis=-1)
    return adjusted


class Draws(ABC):
    """Statistics of the data and under exchanged labels, and the p-values that follow.

    Attributes
    ----------
    method : {"exact", "permutations", "Welch"}
        All permutations, random ones, or none where there are very many units.
    number : int
        How many permutations.
    """

    method: Method
    number: int

    def choose(self, log_arrangements: float, enough: bool, work: int, wanted: int) -> None:
        """Choose how: from how many arrangements there are, and the work of each permutation."""
        self.method, self.number = "permutations", wanted
        if log_arrangements <= math.log(max(FEW, wanted) + 0.5):
            self.method, self.number = "exact", round(math.exp(log_arrangements))
        elif enough:
            self.method, self.number = "Welch", 0
        else:
            self.number = min(wanted, max(_WORK // work, 199))

    @abstractmethod
    def look(self, drawn: Any, family: Family, *, own: bool = False) -> Looked:
        """The values of a family in permutations or in the data; ``own``: with its p-values."""

    @abstractmethod
    def data(self) -> Any:
        """The data, as one of the permutations."""

    @abstractmethod
    def blocks(self, work: Callable[[Any], Any]) -> Iterator[Any]:
        """What ``work`` makes of each block of permutations."""

    def p_values(self, families: Sequence[Family], estimates: Any = None) -> list["Tested"]:
        """Of each family, adjusted; Welch's part takes ``estimates`` rather than the data."""
        data = self.data()
        values = [self.look(data, family).values[0] for family in families]
        data = data if estimates is None else estimates
        own = [self.look(data, family, own=True).p_values[0] for family in families]
        orders = [np.argsort(-each, kind="stable") for each in values]
        bars = [each[order] for each, order in zip(values, orders, strict=True)]

        def count(drawn: Any) -> list[Longs]:
            counts = []
            for family, order, bar in zip(families, orders, bars, strict=True):
                found = self.look(drawn, family).values[:, order]
                largest = np.maximum.accumulate(found[:, ::-1], axis=1)[:, ::-1]
                counts.append((largest >= bar - ROUNDING * np.maximum(bar, 1.0)).sum(axis=0))
            return counts

        extreme = [np.zeros(len(bar), dtype=np.int64) for bar in bars]
        for block in self.blocks(count) if self.number else ():
            for total, more in zip(extreme, block, strict=True):
                total += more
        return [self._tested(*each) for each in zip(extreme, orders, own, strict=True)]

    def _tested(self, extreme: Longs, order: Longs, own: Floats) -> "Tested":
        """The larger of the share of permutations, in the order of clearness, and Welch's p."""
        n, end = self.number, float(own[0]) if len(own) else 1.0
        if self.method == "Welch" or not len(own):
            return Tested(own, (end, end))
        share = extreme / n if self.method == "exact" else (1 + extreme) / (1 + n)
        permuted = np.empty(len(order))
        permuted[order] = np.maximum.accumulate(share)
        found = np.maximum(permuted, own)
        if self.method == "exact" or own[0] > permuted[0]:
            return Tested(found, (float(found[0]), float(found[0])))
        few = int(extreme[np.flatnonzero(order == 0)[0]])
        low = float(beta.ppf(0.025, few, n - few + 1)) if few else 0.0
        high = float(beta.ppf(0.975, few + 1, n - few)) if few < n else 1.0
        return Tested(found, (low, high))

    def describe(self) -> str:
        """How p-values were found, as a sentence."""
        if self.method == "exact":
            return f"All {self.number:,} permutations."
        if self.method == "Welch":
            return "Welch's approximation, as there are very many rankings."
        return f"{self.number:,} random permutations."


class Tested(NamedTuple):
    """Adjusted p-values of a family, and the interval of the first one's permutation p-value."""

    p_values: Floats
    interval: tuple[float, float]


class GroupDraws(Draws):
    """The groups' moments in the data and under exchanged labels.

    Attributes
    ----------
    scores : Scores
        The vectors of units.
    floor : (width,)
        Variances below this are rounding; 0 where a coordinate does not vary at all.
    """

    def __init__(self, scores: Scores, options: Options) -> None:
        self.scores, self._options = scores, options
        design = scores.design
        # Groups in the order of their sizes: their names decide nothing.
        self._order = np.lexsort(design.sizes)
        self._sizes = design.sizes[:, self._order]
        self._units = int(self._sizes.sum())
        log = gammaln(self._sizes.sum(axis=1) + 1).sum() - gammaln(self._sizes + 1).sum()
        enough = self._sizes.sum(axis=0).min() >= ENOUGH and is_nearly_normal(scores)
        self.choose(log, enough, self._units * scores.width, options.n_permutations)
        varies = scores.own > ROUNDING * max(float(scores.own.max(initial=0.0)), 1e-300)
        weight = float(design.counts @ design.weight)
        self.floor = np.where(varies, ROUNDING * scores.own / weight**2, 0.0)

    def data(self) -> Moments:
        """The moments of the groups as they are."""
        table, width = self.scores.design.table, self.scores.width
        n_groups = table.shape[1]
        sums = np.zeros((1, n_groups, self._width))
        squares = np.zeros((1, n_groups, width))
        for cells, values in self._values():
            often = table[cells].T.astype(np.float64)
            sums[0] += often @ values
            squares[0] += often @ values[:, :width] ** 2
        return self._moments(sums, squares, table.sum(axis=0))

    def look(self, drawn: Moments, family: Family, *, own: bool = False) -> Looked:
        """In permutations all groups have the covariance of all units, up to chance.

        P-values of the data take that of each group.
        """
        n_groups, floor = len(drawn.sizes), self.floor
        if family.kind == "each":
            z = normal_scores(drawn, family.columns, floor, own=own).max(axis=-2)
            return Looked(z, holm(two_sided(z, n_groups * (n_groups - 1) // 2)) if own else z)
        distance = _between_two if family.kind == "two" else _between_all
        ratio, p = distance(drawn, family, own=own)
        if family.extra is None and self.method != "Welch":
            # A kernel asks whether populations are equal: permutations are exact.
            values = ratio if family.kind == "two" else ratio[..., np.newaxis]
            return Looked(values, np.zeros_like(values))
        if family.extra is not None:
            items, extra = (
                normal_scores(drawn, columns, floor, own=own)
                for columns in (family.singles, family.extra)
            )
            z = np.maximum(items.max(axis=-1), extra.max(axis=-1, initial=0.0))
            number = int((floor[family.singles] > 0).sum() + (floor[family.extra] > 0).sum())
            if family.kind == "whole":
                z, number = z.max(axis=-1), number * z.shape[-1]
            p = harmonic_mean(p, two_sided(z, number))
        p = p if family.kind == "two" else p[..., np.newaxis]
        return Looked(-np.log(p), holm(p) if own else p)

    def family(
        self,
        kind: Literal["each", "whole", "two"],
        columns: slice,
        extra: slice | None = None,
    ) -> Family:
        """A family with the covariances of the groups' means in its coordinates."""
        if kind == "each":
            return Family(kind, columns)
        design, seen = self.scores.design, self.data().first()
        width = columns.stop - columns.start
        found = np.zeros((len(seen.sizes), width, width))
        every = np.zeros((width, width))
        for cells, block in self.scores.blocks():
            part, weight = block[:, columns], design.weight[cells, np.newaxis]
            every += (part * design.counts[cells, np.newaxis]).T @ part
            for group, mean in enumerate(seen.means[:, columns]):
                often = design.table[cells, group]
                own = np.flatnonzero(often)
                left = part[own] - weight[own] * mean
                found[group] += (left * often[own, np.newaxis]).T @ left
        scale = seen.sizes / (np.maximum(seen.sizes - 1, 1) * seen.weights**2)
        squared = float((every**2).sum())
        shape = np.trace(every) ** 2 / squared if squared > 0 else 1.0
        covariances = found * scale[:, np.newaxis, np.newaxis]
        return Family(kind, columns, extra, covariances, float(shape))

    @property
    def _width(self) -> int:
        """Columns that are added up: more if units have weights."""
        return 2 * self.scores.width + 2 if self.scores.design.weighted else self.scores.width

    def _values(self) -> Iterator[tuple[slice, Floats]]:
        """Vectors x of cells; with weights w also w·x, w and w²."""
        for cells, block in self.scores.blocks():
            weight = self.scores.design.weight[cells, np.newaxis]
            if self.scores.design.weighted:
                yield cells, np.hstack([block, weight * block, weight, weight**2])
            else:
                yield cells, block

    def _moments(self, sums: Floats, squares: Floats, sizes: Longs) -> Moments:
        """Means, and linearised variances: Σ(x − w·μ)²·m/(m − 1) by the squared weight."""
        width = self.scores.width
        first = sums[..., :width]
        if self.scores.design.weighted:
            cross, weights = sums[..., width:-2], sums[..., -2]
            squared = sums[..., -1]
        else:
            each = float(self.scores.design.weight[0])
            cross = each * first
            weights = np.asarray(each * np.broadcast_to(sizes, sums.shape[:-1]))
            squared = each * weights
        means = first / weights[..., np.newaxis]
        left = squares - 2.0 * means * cross + means**2 * squared[..., np.newaxis]
        scale = sizes / (np.maximum(sizes - 1, 1) * weights**2)
        variances = np.asarray(np.maximum(left, 0.0) * scale[..., np.newaxis])
        return Moments(means, variances, np.asarray(weights), np.asarray(sizes))

    def blocks(self, work: Callable[[Moments], Any]) -> Iterator[Any]:
        """What ``work`` makes of the moments of each block of permutations."""
        if self.method == "exact":
            ways = [list(_arrangements(sizes.tolist())) for sizes in self._sizes]
            together = itertools.product(*ways)
            while some := list(itertools.islice(together, self._at_once())):
                labels = np.array([np.concatenate(each) for each in some], dtype=np.uint8)
                yield work(self._labelled(labels))
            return
        starts = np.concatenate([[0], np.cumsum(self._sizes.sum(axis=1))])
        seed, step = np.uint64(self._options.seed), self._at_once()

        def shuffled(first: int) -> Any:
            size = min(step, self.number - first)
            labels = np.empty((size, self._units), dtype=np.uint8)
            shuffle_labels(self._sizes, starts, seed, first, labels)
            return work(self._labelled(labels))

        yield from in_order(shuffled, range(0, self.number, step), self._options.n_jobs)

    def _at_once(self) -> int:
        n_groups = self._sizes.shape[1]
        width = n_groups * (n_groups - 1) // 2 * self.scores.width + n_groups * self._width
        return int(max(1, min(AT_ONCE // (width + self._units), 128)))

    def _labelled(self, labels: NDArray[np.uint8]) -> Moments:
        """The moments of groups with these labels; those of the largest follow from the rest."""
        width, n_groups = self.scores.width, self._sizes.shape[1]
        sizes = self._sizes.sum(axis=0)
        rest = int(sizes.argmax())
        sums = np.zeros((len(labels), n_groups, self._width))
        squares = np.zeros((len(labels), n_groups, width))
        total, own = np.zeros(self._width), np.zeros(width)
        counts = self.scores.design.counts
        ends = np.concatenate([[0], np.cumsum(counts)])
        for cells, values in self._values():
            units = np.repeat(np.arange(len(values)), counts[cells])
            block = np.ascontiguousarray(labels[:, ends[cells.start] : ends[cells.stop]])
            add_by_label(block, units, values, rest, sums, squares)
            total += counts[cells] @ values
            own += counts[cells] @ values[:, :width] ** 2
        sums[:, rest] = total - sums.sum(axis=1)
        squares[:, rest] = own - squares.sum(axis=1)
        return self._moments(sums, squares, sizes)


def is_nearly_normal(scores: Scores) -> bool:
    """Whether no unit weighs too much."""
    design = scores.design
    return float(design.weight.max() ** 2 / (design.counts @ design.weight**2)) < 1.0 / ENOUGH


def _arrangements(sizes: list[int]) -> Iterator[Longs]:
    """All distinct orders of labels, given how often each occurs."""
    n = sum(sizes)
    labels = np.empty(n, dtype=np.int64)

    def place(group: int, free: tuple[int, ...]) -> Iterator[None]:
        if group == len(sizes) - 1:
            labels[list(free)] = group
            yield
            return
        for chosen in itertools.combinations(free, sizes[group]):
            labels[list(chosen)] = group
            taken = set(chosen)
            yield from place(group + 1, tuple(unit for unit in free if unit not in taken))

    for _ in place(0, tuple(range(n))):
        yield labels.copy()
