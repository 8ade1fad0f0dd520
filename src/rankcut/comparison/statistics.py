"""Differences between groups by their own errors, and how large they are without a difference.

Each group has a mean in each coordinate (an item's place, its strength) with a variance of its own
and degrees of freedom, as in Welch's test (1947). A difference of two groups is judged by |z|:
Student's t, turned into the |z| of a normal distribution (Wallace 1959), so that groups of few and
of many people can be compared. All of it is computed again in draws without a difference (people
exchanged between groups, or a parametric bootstrap); p-values are shares of draws.

- *Items and pairs*: by the largest |z| of those that are not clearer (Westfall and Young 1993).
- *Overall*: by the largest |z| and by the sum of squares of all (MATS; Friedrich and Pauly 2018).
  The first finds one item that moved far, the second many that moved a little. The smaller of
  their p-values (Tippett 1931) is again judged by its share of draws.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import chdtrc, ndtr, ndtri

from rankcut._loops.types import Floats, Longs
from rankcut.parameters import AT_ONCE, EQUAL_WITHIN
from rankcut.threads import in_order

# With more degrees of freedom than this, a variance is as good as known.
MANY_FREEDOMS = 50.0

# Fewest draws, of very many coordinates: p-values from 0.002.
LEAST_DRAWS = 499

# Groups with fewer people have no variance to rely on: benchmarks/comparison/comparison.py.
FEW_IN_GROUP = 10

# Numbers that are added up for all draws of an answer: some ten seconds.
WORK = 1 << 33

# So many degrees of freedom are infinite, but for rounding.
_MOST_FREEDOMS = 1.0 / EQUAL_WITHIN

_TINY = float(np.finfo(np.float64).tiny)

# t² where groups of unanimous people differ.
_ENORMOUS = 1.0 / EQUAL_WITHIN**2


class Options(NamedTuple):
    """Number of draws, what intervals hold, the seed, and the number of threads."""

    n_permutations: int
    confidence: float
    seed: int
    n_jobs: int | None = None


class Differences(NamedTuple):
    """Differences of each two groups in each coordinate, with their variances; (…, n_pairs, n)."""

    gaps: Floats
    variances: Floats
    freedoms: Floats  #: Satterthwaite's degrees of freedom of each

    @property
    def z(self) -> Floats:
        """|z| of a normal distribution as unlikely as |t|; enormous where nothing varies."""
        squares = np.where(np.abs(self.gaps) > EQUAL_WITHIN, _ENORMOUS, 0.0)
        np.divide(self.gaps**2, self.variances, out=squares, where=self.variances > 0)
        return normal_scores(squares, self.freedoms)

    def margins(self, largest: float) -> Floats:
        """Half of the width of intervals that reach as far as a |z| this large."""
        freedoms = np.clip(self.freedoms, EQUAL_WITHIN, _MOST_FREEDOMS)
        score = largest * (8.0 * freedoms + 3.0) / (8.0 * freedoms + 1.0)
        with np.errstate(over="ignore"):
            t = np.sqrt(freedoms * np.expm1(score**2 / freedoms))
        # Where nothing varies a difference is sure, or, of too few people, says nothing.
        silent = (np.abs(self.gaps) > EQUAL_WITHIN) & (self.z <= largest)
        sure = np.where(silent, np.inf, 0.0)
        return np.multiply(np.sqrt(self.variances), t, out=sure, where=self.variances > 0)


def normal_scores(squares: Floats, freedoms: Any) -> Floats:
    """From t² and its degrees of freedom to |z|, to about a thousandth (Wallace 1959).

    >>> normal_scores(np.array([2.228, 4.587]) ** 2, 10.0).round(1)
    array([2. , 3.3])
    """
    if np.isinf(freedoms).all():
        return np.sqrt(squares)
    freedoms = np.clip(freedoms, EQUAL_WITHIN, _MOST_FREEDOMS)
    shrunk = np.sqrt(freedoms * np.log1p(squares / freedoms))
    return np.asarray(shrunk * (8.0 * freedoms + 1.0) / (8.0 * freedoms + 3.0))


class Moments(NamedTuple):
    """Means of groups in each coordinate, and the variances of these means; (…, n_groups, n).

    ``freedoms`` are those of the variances, of shape (n_groups, 1) or (n_groups, n), and
    ``of_pairs`` those of differences. ``contrasts`` make the differences of each two groups from
    the means, (n_pairs, n_groups); None: groups have people in common, and the differences
    themselves take the place of the means.
    """

    means: Floats
    variances: Floats
    freedoms: Floats
    of_pairs: Floats
    contrasts: Floats | None

    @classmethod
    def of(
        cls, means: Floats, variances: Floats, freedoms: Floats, contrasts: Floats | None
    ) -> "Moments":
        """With Satterthwaite's degrees of freedom of differences."""
        of_pairs = satterthwaite(variances, freedoms, contrasts)
        return cls(means, variances, freedoms, of_pairs, contrasts)

    @property
    def few(self) -> bool:
        """Whether a group has few degrees of freedom, over all coordinates."""
        typical = 1.0 / (1.0 / np.maximum(self.freedoms, EQUAL_WITHIN)).mean(axis=-1)
        return bool(typical.min() < FEW_IN_GROUP)

    @property
    def differences(self) -> Differences:
        """Of each two groups."""
        if self.contrasts is None:
            return Differences(self.means, self.variances, self.of_pairs)
        variances = self.contrasts**2 @ self.variances
        return Differences(self.contrasts @ self.means, variances, self.of_pairs)

    def squares(self) -> Floats:
        """MATS of all groups: Σ (μ_gi − μ̄_i)²/v_gi by normal scores, where anything varies."""
        weights = np.zeros_like(self.variances)
        np.divide(1.0, self.variances, out=weights, where=self.variances > 0)
        centre = np.zeros_like(self.means)
        if self.contrasts is not None:
            total = np.maximum(weights.sum(axis=-2, keepdims=True), _TINY)
            centre = (weights * self.means).sum(axis=-2, keepdims=True) / total
        scores = normal_scores(weights * (self.means - centre) ** 2, self.freedoms)
        return np.asarray((scores**2).sum(axis=(-2, -1)))


def satterthwaite(variances: Floats, freedoms: Floats, contrasts: Floats | None) -> Floats:
    """Degrees of freedom of differences of means (Satterthwaite 1946)."""
    if contrasts is None or np.isinf(freedoms).all():
        return freedoms if contrasts is None else np.full((1, 1), np.inf)
    of_pairs = contrasts**2 @ variances
    loose = contrasts**4 @ (variances**2 / np.maximum(freedoms, EQUAL_WITHIN))
    infinite = np.full_like(of_pairs, np.inf)
    return np.divide(of_pairs**2, loose, out=infinite, where=loose > 0)


#: Moments in some draws without a difference, by the number of the first and how many.
Draw: TypeAlias = Callable[[int, int], Moments]


class Judged(NamedTuple):
    """P-values of all groups, of each two, and of each coordinate; and intervals.

    ``margins`` are half of the widths of intervals that hold for all coordinates of all pairs of
    groups at once, of shape (n_pairs of groups, n).
    """

    overall: float
    between: Floats
    each: Floats
    margins: Floats

    def larger(self, other: "Judged") -> "Judged":
        """What both say: the larger p-values, and the wider intervals."""
        pairs = zip(self[1:], other[1:], strict=True)
        return Judged(max(self.overall, other.overall), *(np.maximum(a, b) for a, b in pairs))


def judge(data: Moments, draw: Draw, number: int, options: Options, *, few: bool = False) -> Judged:
    """Differences by their share of draws without a difference.

    ``few``: whether groups of few people are drawn by their own covariances, which have no more
    directions than they have people. Then each |z| counts by itself (Holm 1979), too, and overall p
    is that of the clearest.
    """
    differences = data.differences
    n_pairs, width = differences.gaps.shape
    clearest = differences.z.max(axis=0)

    def look(moments: Moments) -> tuple[Floats, Floats]:
        z = moments.differences.z
        two = np.stack([z.max(axis=-1), (z**2).sum(axis=-1)], axis=-1)
        if n_pairs > 1:
            every = np.stack([two[..., 0].max(axis=-1), moments.squares()], axis=-1)
            two = np.concatenate([every[..., None, :], two], axis=-2)
        return z.max(axis=-2), two

    def block(first: int) -> tuple[Longs, Floats, Floats]:
        each, two = look(draw(first, min(step, number - first)))
        return (*count_as_large(clearest, each), two)

    step = max(1, min(number, AT_ONCE // (4 * (len(data.means) + n_pairs) * width)))
    blocks = in_order(block, range(0, number, step), options.n_jobs)
    often, highest, two = zip(*blocks, strict=True)
    drawn = np.concatenate(highest)
    reach = np.sort(drawn)[min(number, int(np.ceil((number + 1) * options.confidence))) - 1]
    statistics = np.concatenate([look(data)[1][None], *two])
    combined = combine(statistics[..., 0], statistics[..., 1], max(int((clearest > 0).sum()), 1))
    of_two = combined if n_pairs == 1 else combined[:, 1:]
    judged = Judged(
        float(step_down(combined[0, :1], combined[1:, :1])[0]),
        step_down(of_two[0], of_two[1:]),
        stepwise(clearest, sum(often[1:], often[0]), number),
        differences.margins(float(reach)),
    )
    if not few:
        return judged
    z, width = differences.z, max(int((clearest > 0).sum()), 1)
    each = holm(np.minimum(2.0 * n_pairs * ndtr(-clearest), 1.0))
    between = holm(np.minimum(2.0 * width * ndtr(-z.max(axis=1)), 1.0))
    reach = -ndtri((1.0 - options.confidence) / (2.0 * n_pairs * width))
    alone = Judged(float(each.min()), between, each, differences.margins(float(reach)))
    return judged.larger(alone)


def combine(largest: Floats, squares: Floats, width: int) -> Floats:
    """The clearer of the largest |z| and the sum of squares, as −log p; row 0 are the data.

    P-values are those of ``width`` coordinates that do not depend on each other (Šidák), and of a
    multiple of χ² with the mean and variance of the draws (Box 1954). They make the two comparable;
    what is called significant is left to the draws.
    """
    one = np.minimum(2.0 * ndtr(-largest), 0.5)
    of_largest = -np.expm1(width * np.log1p(-one))
    mean, variance = squares[1:].mean(axis=0), squares[1:].var(axis=0)
    scale = np.maximum(variance, _TINY) / (2.0 * np.maximum(mean, _TINY))
    of_squares = chdtrc(np.maximum(mean / scale, _TINY), squares / scale)
    return np.asarray(-np.log(np.maximum(np.minimum(of_largest, of_squares), _TINY)))


def count_as_large(values: Floats, draws: Floats) -> tuple[Longs, Floats]:
    """In how many draws the largest of those that are not clearer is as large, and the largest."""
    order = np.argsort(-values, kind="stable")
    largest = np.maximum.accumulate(draws[:, order[::-1]], axis=1)[:, ::-1]
    bars = values[order] - EQUAL_WITHIN * np.maximum(np.abs(values[order]), 1.0)
    return (largest >= bars).sum(axis=0), largest[:, 0]


def stepwise(values: Floats, often: Longs, number: int) -> Floats:
    """P-values adjusted step by step from the clearest, by counts of :func:`count_as_large`."""
    order = np.argsort(-values, kind="stable")
    p_values = np.empty(len(order))
    p_values[order] = np.maximum.accumulate((1 + often) / (number + 1))
    return p_values


def step_down(values: Floats, draws: Floats) -> Floats:
    """P-values adjusted step by step from the clearest (Westfall and Young 1993).

    ``values`` are large where groups differ, and ``draws`` what they are without a difference, of
    shape (n_draws, n_values). A p-value is the share of draws, and the data, in which the largest
    of those that are not clearer is as large.

    >>> step_down(np.array([3.0, 1.0]), np.array([[2.0, 1.5], [0.5, 0.2], [0.1, 4.0]]))
    array([0.5 , 0.75])
    """
    return stepwise(values, count_as_large(values, draws)[0], len(draws))


# Covariances that agree in this many digits of the largest differ by rounding alone.
_DIGITS = 9


@dataclass(frozen=True, eq=False)
class NormalDraws:
    """Means of groups without a difference: a parametric bootstrap (Krishnamoorthy and Lu 2010).

    Means are normal with the covariances of the data. Variances are multiples of χ² with their
    degrees of freedom, unless these are many.

    Attributes
    ----------
    data : Moments
        Of the groups; of pairs of items, if ``sides`` has their first and second items.
    covariances : list of arrays
        Of the means of each group, (n, n), or their variances where covariances would be too large;
        of all differences together if groups have people in common.
    """

    data: Moments
    covariances: Sequence[Floats]
    seed: int
    sides: tuple[Longs, Longs] | None = None

    @cached_property
    def _roots(self) -> list[Floats]:
        return [_root(covariance) for covariance in self.covariances]

    @cached_property
    def _blocks(self) -> Longs:
        """The order of covariances, whatever the order of groups."""
        return np.argsort([float(np.square(root).sum()) for root in self._roots], kind="stable")

    @cached_property
    def _directions(self) -> Floats:
        """Of each coordinate, so that it does not matter which item of a pair is first."""
        if self.sides is not None:
            return np.zeros(len(self._roots[0]))
        means = self.data.means.reshape(len(self._blocks), -1)[self._blocks]
        centre = means.mean(axis=0) if len(means) > 1 else 0.0
        return np.asarray(np.arange(1.0, len(means) + 1.0) @ (means - centre))

    @cached_property
    def _places(self) -> Longs:
        """Places of coordinates by how they vary, whatever their order."""
        keys = [np.abs(self._directions)]
        for k in self._blocks.tolist():
            covariance = self.covariances[k]
            if covariance.ndim == 1:
                keys.append(covariance)
            else:
                keys.extend([np.diag(covariance), *np.sort(np.abs(covariance), axis=1).T])
        sizes = np.array([np.abs(key).max(initial=0.0) or 1.0 for key in keys])
        digits = np.round(np.array(keys) / sizes[:, None], _DIGITS)
        return np.argsort(np.lexsort(digits[::-1])).astype(np.int64)

    @cached_property
    def _places_of_variances(self) -> Longs:
        """Places of variances: of items, or of pairs of them."""
        if self.sides is None:
            return self._places
        places = self._places.reshape(len(self.data.means) // len(self._roots), -1)
        pairs = np.sort([places[:, side].ravel() for side in self.sides], axis=0)
        return np.argsort(np.lexsort(pairs)).astype(np.int64)

    def __call__(self, first: int, size: int) -> Moments:
        """Some draws, whatever the order of groups and items."""
        rng, data = np.random.default_rng([self.seed, first]), self.data
        few = data.freedoms < MANY_FREEDOMS
        freedoms = np.where(few, np.maximum(data.freedoms, 1.0), np.inf)
        means = np.empty((size, *data.means.shape))
        variances = np.tile(data.variances, (size, 1, 1)) if few.any() else data.variances
        n_rows = len(data.means) // len(self._roots)
        signs = np.where(self._directions < -EQUAL_WITHIN, -1.0, 1.0)
        for k in self._blocks.tolist():
            root, rows = self._roots[k], slice(k * n_rows, (k + 1) * n_rows)
            people = rng.standard_normal((size, len(root)))[:, self._places] * signs
            people = people * root if root.ndim == 1 else people @ root
            means[:, rows] = self._viewed(people.reshape(size, n_rows, -1))
            if few[rows].any():
                shape = (n_rows, data.means.shape[1])
                free = np.broadcast_to(freedoms[rows], shape).ravel()
                known = np.isinf(free)
                places = self._places_of_variances
                order = np.argsort(places)
                free = np.where(known, 1.0, free)
                ratios = rng.chisquare(free[order], (size, len(free)))[:, places] / free
                variances[:, rows] *= np.where(known, 1.0, ratios).reshape(size, *shape)
        of_pairs = satterthwaite(data.variances, freedoms, data.contrasts)
        return Moments(means, variances, freedoms, of_pairs, data.contrasts)

    def _viewed(self, means: Floats) -> Floats:
        if self.sides is None:
            return means
        return means[..., self.sides[0]] - means[..., self.sides[1]]


def _root(covariance: Floats) -> Floats:
    """The symmetric root: the signs of vectors, which rounding decides, do not matter."""
    if covariance.ndim == 1:
        return np.sqrt(covariance)
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T)


def number_of_draws(wanted: int, work: int, width: int) -> int:
    """How many draws: fewer than wanted where each takes much work or has many coordinates."""
    most = max(min(WORK // work, 8 * AT_ONCE // width), LEAST_DRAWS)
    return int(min(wanted, most))


def two_groups(n_groups: int) -> tuple[Longs, Longs]:
    """The first and the second group of all pairs of groups."""
    first, second = np.triu_indices(n_groups, 1)
    return first.astype(np.int64), second.astype(np.int64)


def pair_contrasts(n_groups: int) -> Floats:
    """The first group minus the second, for all pairs of groups."""
    first, second = two_groups(n_groups)
    every = np.eye(n_groups)
    return np.asarray(every[first] - every[second])


def holm(p_values: Floats) -> Floats:
    """Adjusted p-values that control the chance of any false alarm.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
