"""The bound over weights: f = ⟨w, φ⟩ + b, where q(w, b) is a Gaussian in n + 1 dimensions.

A pass over the rows is a sum over blocks. Each block contributes its expected log-likelihood,
Φᵀ D Φ and Φᵀ r. A step needs nothing but these sums, so no array grows with the number of rows.

Repeated rows become one row with the sum of their weights. The bound is the same, and the smaller
problem costs less. The distinct rows are sorted by their contents only, so weights and repeated
rows, in any order, are the same problem to the last bit.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets

from rankcut._loops.types import Floats
from rankcut.gp.ascent import Sites, State, climb, rounding_of
from rankcut.gp.gaussian import Gaussian, WeightPrior, expect
from rankcut.parameters import AT_ONCE, MOST_COMPARED, check_counts, check_size
from rankcut.rankings.partitions import BLOCK
from rankcut.threads import in_order


class Statistics(NamedTuple):
    """The contribution of a block of rows, or of all rows, to a step."""

    expected: float  #: Σ weight·E[log p(y | f)]
    square: Floats  #: Φᵀ D Φ
    linear: Floats  #: Φᵀ r


Sums = TypeVar("Sums", bound=tuple[Any, ...])


def add_up(parts: Iterable[Sums]) -> Sums:
    """The sum of named tuples, field by field, in order."""
    return reduce(lambda one, other: type(one)(*map(add, one, other)), parts)


AddsUp: TypeAlias = Callable[[Callable[..., Any]], Any]
"""Σ function(features, labels or numbers, and weights if there are any) over blocks of rows."""


def checked_block(
    features: Any, targets: Any, weight: Any, *, numbers: bool
) -> tuple[NDArray[np.floating], NDArray[Any], Floats | None]:
    """A block of rows that nobody has checked, with its labels or numbers."""
    X, y = check_X_y(features, targets, dtype=[np.float64, np.float32], y_numeric=numbers)
    if not numbers:
        check_classification_targets(y)
    return X, y, None if weight is None else check_counts(weight, len(X))


def blocks(n_rows: int, n_features: int) -> list[slice]:
    """Cut rows into blocks, always in the same places."""
    # Half a block: as many numbers are made of it.
    size = max(64, BLOCK // (2 * max(1, n_features)))
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def with_constant(rows: NDArray[np.floating], has_constant: bool) -> Floats:
    """Rows in float64, with a column of ones for the constant term."""
    if not has_constant:
        return np.asarray(rows, dtype=np.float64)
    augmented = np.ones((rows.shape[0], rows.shape[1] + 1))
    augmented[:, :-1] = rows
    return augmented


class Distinct(NamedTuple):
    """The distinct rows, sorted by their contents, and the weight of each."""

    rows: NDArray[np.int64]
    weight: Floats


def few_distinct(
    features: NDArray[np.floating], codes: NDArray[np.intp], weight: Floats | None
) -> Distinct | None:
    """The distinct pairs of a row and its code, or None if there are too many to copy."""
    limit = max(1, AT_ONCE // max(1, features.shape[1]))
    rows = np.arange(len(codes)) if weight is None else np.flatnonzero(weight > 0)
    first_rows, totals = rows[:0], np.zeros(0)
    for start in range(0, len(rows), limit):
        new = rows[start : start + limit]
        both = np.concatenate([first_rows, new])
        added = np.ones(len(new)) if weight is None else weight[new]
        keys = _keys(features[both], codes[both])
        _, first, same = np.unique(keys, return_index=True, return_inverse=True)
        first_rows, totals = both[first], np.bincount(same, np.append(totals, added)).astype(float)
        if len(first_rows) > limit:
            return None
    return Distinct(first_rows, totals)


def _keys(values: NDArray[Any], codes: NDArray[np.intp]) -> NDArray[np.void]:
    """Each row and its code as bytes; adding 0 turns −0 into 0."""
    numbers = np.column_stack([values, codes]).astype(np.float64) + 0.0
    return numbers.view(np.dtype((np.void, numbers.strides[0]))).ravel()


@dataclass(frozen=True, eq=False)
class Survey:
    """What a fit has to know about rows before it starts, by label; surveys can be added."""

    n_features: int
    labels: NDArray[Any]  #: sorted
    counts: NDArray[np.intp]  #: the number of rows
    totals: Floats  #: Σ weight
    squares: Floats  #: Σ weight·‖φ‖²

    @property
    def scale(self) -> float:
        """The mean of ‖φ‖²; 1 if all are 0."""
        return float(self.squares.sum() / self.totals.sum()) or 1.0

    def __add__(self, other: "Survey") -> "Survey":
        labels = np.unique(np.concatenate([self.labels, other.labels]))
        counts = np.zeros(len(labels), dtype=np.intp)
        totals, squares = np.zeros(len(labels)), np.zeros(len(labels))
        for part in (self, other):
            place = np.searchsorted(labels, part.labels)
            counts[place] += part.counts
            totals[place] += part.totals
            squares[place] += part.squares
        return Survey(self.n_features, labels, counts, totals, squares)

    def weighted(self, factors: Floats) -> "Survey":
        """Rows whose weights are multiplied by the factor of their label."""
        return replace(self, totals=factors * self.totals, squares=factors * self.squares)


def survey_block(features: Any, labels: Any, weight: Any = None) -> Survey:
    """The survey of rows that nobody has checked."""
    return survey_rows(*checked_block(features, labels, weight, numbers=False))


def survey_rows(features: NDArray[np.floating], labels: Any, weight: Floats | None) -> Survey:
    """The survey of rows in memory."""
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    parts = blocks(*features.shape)
    ends = [(float(features[block].min()), float(features[block].max())) for block in parts]
    check_size(np.array(ends), "the features")
    squares = np.empty(len(codes))
    for block in parts:
        rows = with_constant(features[block], False)
        squares[block] = np.einsum("ij,ij->i", rows, rows)
    if weight is not None:
        squares *= weight
    totals, sums = (np.bincount(codes, each).astype(np.float64) for each in (weight, squares))
    return Survey(features.shape[1], classes, counts, totals, sums)


class LabelledRows:
    """Rows in memory, whether each has label 1, and their weights (None for 1 each)."""

    def __init__(
        self,
        features: NDArray[np.floating],
        positive: NDArray[np.bool_],
        weight: Floats | None,
        n_jobs: int | None = None,
    ) -> None:
        self.features = features
        self.positive = positive
        self.weight = weight
        self.n_jobs = n_jobs
        self.n_features = features.shape[1]

    def statistics(self, posterior: Gaussian, prior: WeightPrior) -> Statistics:
        """The sum of the contributions of the blocks, in order."""

        def contribution(block: slice) -> Statistics:
            phi = with_constant(self.features[block], prior.has_constant)
            sign = np.where(self.positive[block], 1.0, -1.0)
            weight = np.ones(len(sign)) if self.weight is None else self.weight[block]
            mean, variance = posterior.project(phi)
            expected, slope, curvature = expect(mean, variance, sign, weight)
            linear = phi.T @ (slope + curvature * mean)
            return Statistics(expected, phi.T @ (phi * curvature[:, None]), linear)

        return add_up(in_order(contribution, blocks(*self.features.shape), self.n_jobs))

    def sample(self) -> "LabelledRows | None":
        """Evenly spaced rows of each class, weighted to represent all of them."""
        n_positive = int(self.positive.sum())
        counts = n_positive, len(self.positive) - n_positive
        steps = steps_to_start(counts)
        return None if steps is None else self.drawn(steps).representing(counts)

    def drawn(self, steps: tuple[int, int]) -> "LabelledRows":
        """Every ``steps[0]``-th row with label 1, then every ``steps[1]``-th of the others."""
        rows = [np.flatnonzero(self.positive)[:: steps[0]]]
        rows.append(np.flatnonzero(~self.positive)[:: steps[1]])
        index = np.concatenate(rows)
        weight = np.ones(len(index)) if self.weight is None else self.weight[index]
        return LabelledRows(self.features[index], self.positive[index], weight)

    def representing(self, counts: tuple[int, int]) -> "LabelledRows":
        """These rows, each weighted by as many with its label as it represents."""
        weight = np.array(self.weight)
        for label, count in zip((True, False), counts, strict=True):
            there = self.positive == label
            weight[there] *= count / max(1, int(there.sum()))
        return LabelledRows(self.features, self.positive, weight)

    def __add__(self, other: "LabelledRows") -> "LabelledRows":
        return LabelledRows(
            np.concatenate([self.features, other.features]),
            np.concatenate([self.positive, other.positive]),
            np.concatenate([np.asarray(self.weight), np.asarray(other.weight)]),
        )


def steps_to_start(counts: tuple[int, int]) -> tuple[int, int] | None:
    """The step between sampled rows of each label; None if most rows would be sampled."""
    one, other = (max(1, count // MOST_COMPARED) for count in counts)
    n_drawn = -(-counts[0] // one) - (-counts[1] // other)
    return None if 2 * n_drawn > sum(counts) else (one, other)


class SummedRows:
    """Rows of which only sums are known, with label 1 for one class."""

    def __init__(self, add_up: AddsUp, survey: Survey, code: int, factors: Floats | None) -> None:
        self.n_features = survey.n_features
        self._add_up = add_up
        n_positive = int(survey.counts[code])
        self._counts = n_positive, int(survey.counts.sum()) - n_positive
        self._labelled = partial(_labelled, survey.labels, code, factors)

    def statistics(self, posterior: Gaussian, prior: WeightPrior) -> Statistics:
        """The sum of the contributions of the blocks."""
        sums: Statistics = self._add_up(partial(_contribution, self._labelled, posterior, prior))
        return sums

    def sample(self) -> LabelledRows | None:
        """Evenly spaced rows of each class and block."""
        steps = steps_to_start(self._counts)
        if steps is None:
            return None
        drawn: LabelledRows = self._add_up(partial(_drawn, self._labelled, steps))
        return drawn.representing(self._counts)


def _labelled(labels: NDArray[Any], code: int, factors: Floats | None, *block: Any) -> LabelledRows:
    """A block, with label 1 for one class, and weights multiplied by the factors of the classes."""
    X, y, weight = checked_block(*block, *[None] * (3 - len(block)), numbers=False)
    if factors is not None:
        weight = (1.0 if weight is None else weight) * factors[np.searchsorted(labels, y)]
    return LabelledRows(X, y == labels[code], weight)


def _contribution(
    labelled: Callable[..., LabelledRows], posterior: Gaussian, prior: WeightPrior, *block: Any
) -> Statistics:
    return labelled(*block).statistics(posterior, prior)


def _drawn(
    labelled: Callable[..., LabelledRows], steps: tuple[int, int], *block: Any
) -> LabelledRows:
    return labelled(*block).drawn(steps)


class WeightSpace:
    """ELBO(q(w, b), θ) with θ = (log σ², log c²), in passes over blocks of rows."""

    def __init__(self, rows: LabelledRows | SummedRows, prior: WeightPrior) -> None:
        self.rows = rows
        self.prior = prior
        self.n_weights = rows.n_features + prior.has_constant

    def start(self, origin: Floats | None = None) -> State:
        """The prior itself, or the maximum for a weighted sample of the rows."""
        origin = self.prior.start() if origin is None else origin
        sample = self.rows.sample()
        if sample is None:
            return self.initial(origin)
        part = WeightSpace(sample, self.prior)
        state = climb(part, part.initial(origin), tol=1.0, max_iter=30).state
        try:
            return self.evaluate(state.target, state.parameters)
        except LinAlgError:
            return self.initial(origin)

    def initial(self, parameters: Floats) -> State:
        """The bound at the prior itself."""
        n = self.n_weights
        return self.evaluate(Sites(np.zeros((n, n)), np.zeros(n)), parameters)

    def evaluate(self, sites: Sites, parameters: Floats) -> State:
        """The bound at the q of these sites, in one pass over the rows."""
        posterior = self._posterior(sites, parameters)
        sums = self.rows.statistics(posterior, self.prior)
        target = Sites(sums.square, sums.linear)
        spread = posterior.factor.T @ sums.square @ posterior.factor
        quadratic = np.trace(spread) + posterior.mean @ sums.square @ posterior.mean
        model = sums.linear @ posterior.mean - 0.5 * quadratic - posterior.divergence
        elbo = sums.expected - posterior.divergence
        # A site matters if it is large compared with the precision of its weights.
        precision = self.prior.precision(parameters, self.n_weights) + np.diagonal(sites.square)
        roots = np.sqrt(precision)
        unit = Sites(np.outer(roots, roots), roots)
        rounding = rounding_of(elbo, float(sums.linear @ posterior.mean), float(quadratic))
        return State(sites, parameters, posterior, elbo, target, float(model), rounding, unit)

    def evidence(self, sites: Sites, parameters: Floats) -> tuple[float, Floats]:
        """The evidence of the sites, and its gradient in θ."""
        posterior = self._posterior(sites, parameters)
        return posterior.evidence, self.prior.gradient(parameters, posterior.second_moments())

    def _posterior(self, sites: Sites, parameters: Floats) -> Gaussian:
        return Gaussian.from_sites(self.prior.precision(parameters, self.n_weights), *sites)


@dataclass(frozen=True, eq=False)
class FeaturePredictor:
    """f = ⟨w, φ⟩ + b for each class."""

    posteriors: list[Gaussian]
    has_constant: bool

    def latent(self, X: NDArray[np.floating], n_jobs: int | None) -> tuple[Floats, Floats]:
        """Mean and variance of f, of shape (n_rows, n_posteriors), in blocks of rows."""
        mean = np.empty((X.shape[0], len(self.posteriors)))
        variance = np.empty_like(mean)

        def fill(block: slice) -> None:
            phi = with_constant(X[block], self.has_constant)
            for column, posterior in enumerate(self.posteriors):
                mean[block, column], variance[block, column] = posterior.project(phi)

        for _ in in_order(fill, blocks(*X.shape), n_jobs):
            pass
        return mean, variance
