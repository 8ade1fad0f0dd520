"""Sums of scores under exchanged labels: all of them, random ones, or their limit.

For labels Q, a row for each unit, and centred scores X, a test is a function of S = QᵀX. With
groups, Q is their 0/1 matrix, centred and scaled so that QᵀQ = I; then ‖S‖² is the sum of squares
between groups. Permutations come in blocks: the labels of a block are counted in cells, and the
counts times the scores are one matrix product.

For very many units S is normal under permutation, with covariance Σ_s Q_sᵀQ_s ⊗ X_sᵀX_s/(n_s − 1)
over strata s; then draws of S cost no more for more rankings.
"""

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from threadpoolctl import threadpool_limits

from rankcut._loops.resamples import count_labels, shuffle_labels, shuffle_rows
from rankcut._loops.types import Floats, Longs
from rankcut.comparison.rows import Design
from rankcut.comparison.vectors import Scores, slices
from rankcut.rankings.value import ROUNDING
from rankcut.threads import effective_threads, in_order

# Labels of a block of permutations, one byte each.
_LABELS = 1 << 25

# Maximum number of permutations in a block.
_AT_ONCE = 128

# Drawing the labels of a cell costs as much as shuffling this many labels.
_DRAW = 60


class Labels(ABC):
    """What is exchanged: the rows of Q, within strata.

    Attributes
    ----------
    design : Design
    width : int
        Columns of Q.
    gram : (n_strata, width, width)
        Q_sᵀQ_s for each stratum.
    """

    design: Design
    width: int
    gram: Floats

    @abstractmethod
    def observed(self, scores: Scores) -> Floats:
        """QᵀX, of shape (width, scores.width)."""

    @abstractmethod
    def arrangements(self) -> float:
        """How many different ways to exchange the labels there are."""

    @abstractmethod
    def every(self, scores: Scores) -> Iterator[Floats]:
        """QᵀX for each of these ways, in blocks."""

    def at_once(self) -> int:
        """Permutations of a block."""
        return max(1, min(_AT_ONCE, _LABELS // (4 * self.width * self.design.n_units)))

    @abstractmethod
    def shuffled(self, scores: Scores, first: int, size: int, seed: int) -> Floats:
        """QᵀX for the random ways from number ``first`` on."""

    def sampled(
        self, scores: Scores, n_draws: int, seed: int, n_jobs: int | None = None
    ) -> Iterator[Floats]:
        """Random ways, in blocks that do not depend on threads."""
        step = self.at_once()
        blocks = [(start, min(step, n_draws - start)) for start in range(0, n_draws, step)]

        def work(block: tuple[int, int]) -> Floats:
            return self.shuffled(scores, *block, seed)

        # Our own threads and those of BLAS would compete.
        several = effective_threads(n_jobs) > 1 and len(blocks) > 1
        with threadpool_limits(1, user_api="blas") if several else nullcontext():
            yield from in_order(work, blocks, n_jobs)

    def limit(self, scores: Scores, n_draws: int, seed: int) -> Iterator[Floats]:
        """Draws from the normal distribution that S has for very many units."""
        root = self._root(scores)
        digits = np.random.default_rng([seed, 1])
        for part in slices(n_draws, 1024):
            draws = digits.standard_normal((part.stop - part.start, root.shape[1])) @ root.T
            yield draws.reshape(-1, self.width, scores.width)

    def _root(self, scores: Scores) -> Floats:
        """R with RRᵀ the covariance of S, row by row."""
        design = self.design
        n_units = np.add.reduceat(design.counts, design.starts[:-1])
        per_unit = self.gram / np.maximum(n_units - 1, 1)[:, np.newaxis, np.newaxis]
        one = len(n_units) == 1
        strata, counts = design.strata, design.counts
        k, width = (1 if one else self.width), scores.width
        covariance = np.zeros((k, width, k, width))
        for cells, block in scores.blocks():
            for a, b in itertools.combinations_with_replacement(range(k), 2):
                of_cells = per_unit[strata[cells], a, b]
                product = (block * (counts[cells] * of_cells)[:, np.newaxis]).T @ block
                covariance[a, :, b] += product
                if a != b:
                    covariance[b, :, a] += product
        variances, directions = np.linalg.eigh(covariance.reshape(k * width, k * width))
        kept = variances > ROUNDING * max(variances[-1], 0.0)
        root: Floats = directions[:, kept] * np.sqrt(variances[kept])
        # Without strata the columns of Q are alike: one root serves all.
        return np.asarray(np.kron(np.eye(self.width), root) if one else root)


class GroupLabels(Labels):
    """Labels that are groups."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self._sizes = design.sizes
        n_units = self._sizes.sum(axis=1)
        centred = [
            np.diag(sizes) - np.outer(sizes, sizes) / n
            for sizes, n in zip(self._sizes.astype(float), n_units, strict=True)
        ]
        mean_weight = float(design.counts @ design.weight) / design.n_units
        values, vectors = np.linalg.eigh(mean_weight * np.sum(centred, axis=0))
        kept = values > ROUNDING * max(values[-1], 0.0)
        self._mixing = vectors[:, kept] / np.sqrt(values[kept])
        self.width = int(kept.sum())
        self.gram = np.einsum("gq,sgh,hr->sqr", self._mixing, np.array(centred), self._mixing)
        self._ends = np.concatenate([[0], np.cumsum(design.counts)])

    def observed(self, scores: Scores) -> Floats:
        """The sums over the groups as they are."""
        sums = np.zeros((self._sizes.shape[1], scores.width))
        for cells, block in scores.blocks():
            sums += self.design.table[cells].T.astype(float) @ block
        return np.asarray(self._mixing.T @ sums)

    def arrangements(self) -> float:
        """A product of multinomial coefficients, one for each stratum."""
        log = gammaln(self._sizes.sum(axis=1) + 1).sum() - gammaln(self._sizes + 1).sum()
        return float(np.rint(np.exp(log))) if log < 40 else math.inf

    def every(self, scores: Scores) -> Iterator[Floats]:
        """All of them; there must be few."""
        ways = [list(_arrangements(sizes.tolist())) for sizes in self._sizes]
        together = itertools.product(*ways)
        while some := list(itertools.islice(together, 1024)):
            labels = np.array([np.concatenate(each) for each in some], dtype=np.uint8)
            yield self._sums(scores, labels)

    def at_once(self) -> int:
        """Permutations of a block."""
        return max(1, min(_AT_ONCE, _LABELS // self.design.n_units))

    def shuffled(self, scores: Scores, first: int, size: int, seed: int) -> Floats:
        """By shuffling labels, or by drawing those of each cell where cells are few."""
        n_cells, n_groups = self.design.table.shape
        if self.design.n_units > _DRAW * n_cells * (n_groups - 1):
            table = self._drawn(size, np.random.default_rng([seed, 0, first]))
            sums = np.zeros((size * (n_groups - 1), scores.width))
            for cells, block in scores.blocks():
                sums += table[:, :, cells].reshape(-1, len(block)).astype(float) @ block
            return self._mixed(sums.reshape(size, n_groups - 1, -1))
        labels = np.empty((size, self.design.n_units), dtype=np.uint8)
        shuffle_labels(self._sizes, self._ends[self.design.starts], np.uint64(seed), first, labels)
        return self._sums(scores, labels)

    def _sums(self, scores: Scores, labels: NDArray[np.uint8]) -> Floats:
        size, n_groups = len(labels), self._sizes.shape[1]
        sums = np.zeros((size * (n_groups - 1), scores.width))
        for cells, rows in scores.blocks():
            ends = self._ends[cells.start : cells.stop + 1]
            own = np.ascontiguousarray(labels[:, ends[0] : ends[-1]])
            table = np.empty((size, n_groups - 1, len(rows)))
            count_labels(own, ends - ends[0], table)
            sums += table.reshape(-1, len(rows)) @ rows
        return self._mixed(sums.reshape(size, n_groups - 1, -1))

    def _drawn(self, size: int, digits: np.random.Generator) -> Longs:
        """How many units of each cell are in each group but the last.

        Labels of c units are a draw without replacement from those that are left in the stratum.
        """
        n_cells, n_groups = self.design.table.shape
        table = np.empty((size, n_groups - 1, n_cells), dtype=np.int64)
        left = np.zeros((n_groups, size), dtype=np.int64)
        strata = self.design.strata
        for cell, number in enumerate(self.design.counts.tolist()):
            if cell == 0 or strata[cell] != strata[cell - 1]:
                left[:] = self._sizes[strata[cell]][:, np.newaxis]
            free = np.full(size, number)
            others = left.sum(axis=0)
            for group in range(n_groups - 1):
                others = others - left[group]
                drawn = digits.hypergeometric(left[group], others, free)
                table[:, group, cell] = drawn
                left[group] -= drawn
                free -= drawn
            left[-1] -= free
        return table

    def _mixed(self, sums: Floats) -> Floats:
        """Sums over all groups from those over all but the last: together they add up to 0."""
        whole = self._mixing[:-1] - self._mixing[-1]
        return np.asarray(np.einsum("gq,bgp->bqp", whole, sums))


class CovariateLabels(Labels):
    """Labels that are numbers: a row of Q for each unit; each cell is one unit."""

    def __init__(self, design: Design, covariates: Floats) -> None:
        self.design = design
        strata = design.strata
        n_units = np.diff(design.starts)
        means = np.add.reduceat(covariates, design.starts[:-1], axis=0) / n_units[:, np.newaxis]
        centred = covariates - means[strata]
        left, values, _ = np.linalg.svd(centred, full_matrices=False)
        kept = values > ROUNDING * max(values[0], 0.0)
        self._rows = np.ascontiguousarray(left[:, kept])
        self._rows /= math.sqrt(float(design.weight.mean()))
        self.width = int(kept.sum())
        self.gram = np.array([self._rows[a:b].T @ self._rows[a:b] for a, b in self._segments()])

    def _segments(self) -> list[tuple[int, int]]:
        return list(itertools.pairwise(self.design.starts.tolist()))

    def observed(self, scores: Scores) -> Floats:
        """The products as they are."""
        sums = np.zeros((self.width, scores.width))
        for cells, block in scores.blocks():
            sums += self._rows[cells].T @ block
        return sums

    def arrangements(self) -> float:
        """A product of factorials, one for each stratum."""
        log = float(gammaln(np.diff(self.design.starts) + 1).sum())
        return float(np.rint(np.exp(log))) if log < 40 else math.inf

    def every(self, scores: Scores) -> Iterator[Floats]:
        """All of them; there must be few."""
        ways = itertools.product(
            *(itertools.permutations(range(a, b)) for a, b in self._segments())
        )
        while some := list(itertools.islice(ways, 1024)):
            rows = np.array([list(itertools.chain(*each)) for each in some], dtype=np.int32)
            yield self._products(rows, scores)

    def shuffled(self, scores: Scores, first: int, size: int, seed: int) -> Floats:
        """By shuffling rows."""
        rows = np.empty((size, self.design.n_units), dtype=np.int32)
        shuffle_rows(self.design.starts, np.uint64(seed), first, rows)
        return self._products(rows, scores)

    def _products(self, rows: NDArray[np.int32], scores: Scores) -> Floats:
        sums = np.zeros((len(rows) * self.width, scores.width))
        for cells, block in scores.blocks():
            labels = self._rows[rows[:, cells]].transpose(0, 2, 1)
            sums += labels.reshape(-1, len(block)) @ block
        return sums.reshape(len(rows), self.width, -1)


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
