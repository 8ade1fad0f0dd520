"""The log-likelihood of choices, its score and its curvature; how scores vary between people.

Each entry, an item in a ranking, has a log-worth η = Zφ. Parameters are φ, a strength for each item
unless there is another design Z, then log δ_d for each size d > 1 of a tie (Davidson's model only).
The likelihood does not change if all η of a ranking rise by the same number.

A ranking has a score and a curvature by its own η; the design turns sums of them into those by φ.
Lists of items without ties have quicker sums, in which unlisted items need not be entries.

How much scores vary from person to person is the middle of the sandwich. Scores of a person's
rankings are added up first, so that people with several count once. Counts are people; other
weights weigh people.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from rankcut._loops.choices import strict_products, strict_scores, strict_sums
from rankcut._loops.tied_choices import DAVIDSON, add_curvatures, ranking_blocks, vote_blocks
from rankcut._loops.types import Floats, Indices, Longs, TieModel
from rankcut.parameters import AT_ONCE, MOST_HELD
from rankcut.sample import Sample
from rankcut.strengths.choices import TIES, Choices, Ties, count_up
from rankcut.threads import PARTS, in_order

# Scores with a smaller share of entries than this are multiplied as sparse matrices, and added up
# for people as such with a smaller share than the second.
_SPARSE, _FILLED = 0.05, 0.2


@dataclass(frozen=True, eq=False)
class RankingScores:
    """The score of each ranking: ``entries`` minus ``tails`` times the worths."""

    entries: csr_array  #: what each ranking adds at the parameters that it tells of
    #: What all items lose because unlisted ones were at choice, for each unit of worth
    tails: Floats
    worths: Floats  #: exp(θ); 0 of log δ
    values: Floats  #: the log-likelihood of each ranking

    @property
    def is_sparse(self) -> bool:
        """Whether few entries are stored."""
        return bool(self.entries.nnz < _SPARSE * np.prod(self.entries.shape))

    def added(self, weights: Any) -> Floats:
        """Σ weights·scores; with a matrix of weights, dense or sparse, a row for each of its."""
        sums = weights @ self.entries
        sums = sums.toarray() if hasattr(sums, "toarray") else np.asarray(sums)
        return np.asarray(sums - np.multiply.outer(weights @ self.tails, self.worths))

    def squares(self, weights: csr_array, counts: Floats) -> Floats:
        """Σ counts·ssᵀ of the rows s of :meth:`added`, which are not made where few are stored."""
        if not self.is_sparse:
            scores = self.added(weights)
            return np.asarray((scores * counts[:, None]).T @ scores)
        items, tails = csr_array(weights @ self.entries), weights @ self.tails
        often = csr_array(items.multiply(counts[:, None]))
        across = np.outer((counts * tails) @ items, self.worths)
        level = float(counts @ tails**2) * np.outer(self.worths, self.worths)
        return np.asarray((items.T @ often).toarray() - across - across.T + level)

    def variation(self, sample: Sample) -> Floats:
        """Σ over people of the squares of their scores, each minus its part of the mean."""
        people, size = sample.membership, self.entries.nnz / _FILLED
        if people.shape[0] * len(self.worths) <= max(AT_ONCE, min(size, MOST_HELD)):
            return sample.variation(self.added(people))
        tails = -(people @ self.tails)[:, None]
        return sample.variation(people @ self.entries, tails, self.worths[None])

    def rows(self, start: int, stop: int) -> Floats:
        """The scores of some rankings as an array."""
        rows = self.entries[start:stop].toarray()
        if self.tails.any():
            rows -= np.outer(self.tails[start:stop], self.worths)
        return np.asarray(rows)


class Slope(NamedTuple):
    """Second derivatives times −1 without a matrix: their diagonal, and products with a vector."""

    diagonal: Floats
    product: Callable[[Floats], Floats]

    def __matmul__(self, vector: Floats) -> Floats:
        return self.product(vector)


@dataclass(frozen=True, eq=False)
class ChoiceLikelihood:
    """The log-likelihood of some choices: η = Zφ for each entry, an item in a ranking.

    Parameters
    ----------
    choices : Choices
        What was chosen from what.
    ties : {"davidson", "exact", "efron", "breslow", "half"}
        How ties are read; see :func:`rankcut.strengths.fit_strengths`.
    n_jobs : int or None
        Number of threads.
    design : csr_array of shape (n_entries, n_columns) or None
        Z. None: a column for each item. With one, all that is at choice is an entry.
    """

    choices: Choices
    ties: Ties = "davidson"
    n_jobs: int | None = None
    design: csr_array | None = None

    @property
    def n_columns(self) -> int:
        """Number of columns of the design: of items, if there is no other."""
        return self.choices.n_items if self.design is None else int(self.design.shape[1])

    @cached_property
    def orders(self) -> Longs:
        """1, and the sizes of ties that have a parameter."""
        if TIES[self.ties] == DAVIDSON:
            return self.choices.orders
        return np.ones(1, dtype=np.int64)

    @property
    def n_parameters(self) -> int:
        """Number of columns and of sizes of ties."""
        return self.n_columns + len(self.orders) - 1

    @property
    def telescopes(self) -> bool:
        """Whether rankings are lists of items without ties, whose sums are quick."""
        return self.design is None and not self.choices.tied and self._gaps is None

    @cached_property
    def wins(self) -> Floats:
        """How often each item was chosen."""
        weights = self.choices.weights[self.choices.owners()]
        wins = np.bincount(self.choices.items, weights, minlength=self.choices.n_items)
        return wins.astype(np.float64)

    def some(self, rows: Longs) -> "ChoiceLikelihood":
        """The likelihood of some rankings, by their numbers, which may repeat."""
        design = self.design
        if design is not None:
            design = csr_array(design[self.choices.entries_of(rows)])
        return replace(self, choices=self.choices.some(rows), design=design)

    def scores(self, parameters: Floats) -> RankingScores:
        """The score and log-likelihood of each ranking."""
        choices = self.choices
        if self.telescopes:
            scores, (tails, values) = (
                np.empty(len(choices.items)),
                np.empty((2, len(self.places) - 1)),
            )

            def work(part: slice) -> None:
                entries = scores[choices.entries(part)]
                strict_scores(parameters, choices.part(part), entries, tails[part], values[part])

            self._map(work)
            worths = np.exp(parameters)
        else:
            values, scores, _ = self.of_rankings(parameters, bent=False)
            tails, worths = np.zeros(len(values)), np.zeros(self.n_parameters)
        design = self.extended_design
        cells = scores.repeat(np.diff(design.indptr)) * design.data
        starts = design.indptr[self.places]
        entries = csr_array((cells, design.indices, starts), shape=(len(values), self.n_parameters))
        return RankingScores(entries, tails, worths, values)

    def value(self, parameters: Floats) -> float:
        """The log-likelihood."""
        return float(self.choices.weights @ self.scores(parameters).values)

    def derivatives(self, parameters: Floats) -> tuple[float, Floats, Floats]:
        """The log-likelihood, its gradient, and its second derivatives times −1."""
        if not self.telescopes:
            values, scores, curvatures = self.grouped(parameters)
            return *self._weighed(values, scores), curvatures[0]
        value, gradient, squares, everywhere, pairs = self._sums(parameters, self.n_columns)
        curvature = pairs + pairs.T
        np.fill_diagonal(curvature, squares)
        if self.choices.others:
            curvature += everywhere - squares[:, None] - squares[None, :]
        worths = np.exp(parameters)
        curvature *= -np.outer(worths, worths)
        curvature[np.diag_indices(self.n_columns)] += self.wins - gradient
        return value, gradient, curvature

    def grouped(
        self, parameters: Floats, groups: Longs | None = None, n_groups: int = 1
    ) -> tuple[Floats, Floats, Floats]:
        """The log-likelihood and score of each ranking, and the weighted curvature of each group.

        Without ``groups`` all rankings are one.
        """
        if groups is None:
            groups = np.zeros(self.choices.n_rankings, dtype=np.int64)
        size, weights, design = self.n_parameters, self.choices.weights, self._cells
        of_part, total = self._of_parts(parameters), np.zeros((n_groups, size, size))

        def work(part: slice) -> tuple[Floats, Floats, Floats]:
            values, scores, blocks = of_part(part, True)
            curvatures = np.zeros_like(total) if n_groups == 1 else total
            places = self.places[part.start : part.stop + 1]
            add_curvatures(blocks, places, design, weights[part], groups[part], curvatures)
            return values, scores, curvatures

        values, scores = [], []
        # Curvatures of many groups are added up in place, one part after the other.
        for part in in_order(work, self._parts, self.n_jobs if n_groups == 1 else 1):
            values.append(part[0])
            scores.append(part[1])
            if part[2] is not total:
                total += part[2]
        return np.concatenate(values), np.concatenate(scores), total + total.swapaxes(1, 2)

    def _weighed(self, values: Floats, scores: Floats) -> tuple[float, Floats]:
        """The log-likelihood and its gradient."""
        weights = self.choices.weights
        gradient = self.extended_design.T @ (scores * weights.repeat(np.diff(self.places)))
        return float(weights @ values), np.asarray(gradient)

    def slope(self, parameters: Floats) -> tuple[float, Floats, Slope]:
        """Derivatives without a matrix, for many items; rankings have no ties."""
        value, gradient, listed, everywhere, _ = self._sums(parameters, 0)
        choices, worths = self.choices, np.exp(parameters)
        squares = everywhere - listed if choices.others else listed
        first = self.wins - gradient

        def product(vector: Floats) -> Floats:
            def work(part: slice) -> tuple[Floats, float]:
                product_of = np.zeros(self.choices.n_items)
                weights = choices.weights[part]
                rest = strict_products(worths, choices.part(part), weights, vector, product_of)
                return product_of, rest

            total = np.zeros(self.choices.n_items)
            for product_of, rest in self._map(work):
                total += product_of + rest
            return np.asarray(first * vector - worths * total)

        return value, gradient, Slope(first - worths**2 * squares, product)

    def sparse_derivatives(self, parameters: Floats) -> tuple[float, Floats, csr_array]:
        """What :meth:`derivatives` gives, with a sparse matrix: it costs what is listed."""
        design, pattern = self.extended_design, self._pattern
        values, scores, blocks = self.of_rankings(parameters, bent=True)
        blocks *= self.choices.weights.repeat(np.diff(self.places) ** 2)
        bends = csr_array((blocks, pattern.indices, pattern.indptr), shape=pattern.shape)
        return *self._weighed(values, scores), csr_array(design.T @ (bends @ design))

    def of_rankings(self, parameters: Floats, *, bent: bool) -> tuple[Floats, Floats, Floats]:
        """The log-likelihood and the score of each ranking, and if ``bent`` its curvature.

        A ranking has :attr:`places` in the scores, and a matrix row by row.
        """
        of_part = self._of_parts(parameters)
        parts = self._map(lambda part: of_part(part, bent))
        values, scores, blocks = (np.concatenate(each) for each in zip(*parts, strict=True))
        return values, scores, blocks

    def _of_parts(
        self, parameters: Floats
    ) -> Callable[[slice, bool], tuple[Floats, Floats, Floats]]:
        """What :meth:`of_rankings` says of some rankings."""
        model = TieModel(TIES[self.ties], self.orders, np.append(0.0, parameters[self.n_columns :]))
        columns, gaps, design = parameters[: self.n_columns], self._gaps, self.design
        if gaps is not None:
            design = gaps
        heights = columns[self.choices.items] if design is None else design @ columns

        def of_part(part: slice, bent: bool) -> tuple[Floats, Floats, Floats]:
            sizes = np.diff(self.places[part.start : part.stop + 1])
            values, scores = np.empty(len(sizes)), np.empty(sizes.sum())
            blocks = np.empty((sizes**2).sum() if bent else 0)
            some, entries = self.choices.part(part), self.choices.entries(part)
            if gaps is None:
                ranking_blocks(heights[entries], some, model, values, scores, blocks)
            else:
                tied = some.joined[1::2] & (some.n_listed == 2)
                vote_blocks(heights[part], tied, model, values, scores, blocks)
            return values, scores, blocks

        return of_part

    def score_draws(self, parameters: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Scores with the covariance that the model says, the curvature; one in each column."""
        places, sizes = self.places, np.diff(self.places)
        cells = np.concatenate([[0], np.cumsum(sizes**2)])
        blocks = self.of_rankings(parameters, bent=True)[2]
        blocks *= self.choices.weights.repeat(sizes**2)
        lots = rng.standard_normal((int(places[-1]), n_draws))
        for size in np.unique(sizes[sizes > 0]).tolist():
            rankings = np.flatnonzero(sizes == size)
            square = blocks[cells[rankings][:, None] + np.arange(size**2)]
            values, vectors = np.linalg.eigh(square.reshape(-1, size, size))
            roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None]
            entries = places[rankings][:, None] + np.arange(size)
            lots[entries] = roots @ lots[entries]
        return np.asarray(self.extended_design.T @ lots)

    @cached_property
    def _gaps(self) -> csr_array | None:
        """The design of votes between two: what counts of an item and not of the other."""
        votes = (np.diff(self.choices.starts) == 2) & (self.choices.n_listed > 0)
        if self.choices.others or not (votes.all() and np.isin(self.orders, (1, 2)).all()):
            return None
        entries = self._entries
        return csr_array(entries[::2] - entries[1::2])

    @cached_property
    def _entries(self) -> csr_array:
        """The design, with a row for each entry."""
        if self.design is not None:
            return self.design
        items, n_entries = self.choices.items.astype(np.int64), len(self.choices.items)
        cells = np.ones(n_entries), items, np.arange(n_entries + 1)
        return csr_array(cells, shape=(n_entries, self.n_columns))

    @cached_property
    def places(self) -> Longs:
        """Where rankings begin: each has a place for each entry, then one for each log δ.

        If all are votes between two, each has one place instead of two.
        """
        starts, n_ties = self.choices.starts, len(self.orders) - 1
        numbers = np.arange(len(starts))
        return (starts if self._gaps is None else numbers) + n_ties * numbers

    @cached_property
    def extended_design(self) -> csr_array:
        """The design with a row for each of :attr:`places`."""
        design = self._entries if self._gaps is None else self._gaps
        n_ties, starts = len(self.orders) - 1, design.indptr.astype(np.int64)
        shares, columns, ends = design.data, design.indices.astype(np.int64), np.arange(n_ties)
        if n_ties:
            # After the last row of each ranking.
            ends = self.places[1:] - n_ties * np.arange(1, len(self.places))
            before = np.repeat(starts[ends], n_ties)
            of_ties = np.tile(self.n_columns + np.arange(n_ties), len(ends))
            columns, shares = np.insert(columns, before, of_ties), np.insert(shares, before, 1.0)
            lengths = np.insert(np.diff(starts), np.repeat(ends, n_ties), 1)
            starts = np.append(0, np.cumsum(lengths))
        return csr_array((shares, columns, starts), shape=(self.places[-1], self.n_parameters))

    @cached_property
    def _cells(self) -> tuple[Indices, Indices, Floats]:
        """The design as arrays, for loops."""
        design = self.extended_design
        return design.indptr.astype(np.uint32), design.indices.astype(np.uint32), design.data

    @cached_property
    def _pattern(self) -> csr_array:
        """Where the curvatures of rankings are, in a matrix of blocks."""
        sizes = np.diff(self.places)
        begins = np.repeat(np.cumsum(sizes) - sizes, sizes**2)
        columns = begins + count_up(sizes**2) % np.repeat(sizes, sizes**2)
        starts = np.concatenate([[0], np.cumsum(np.repeat(sizes, sizes))])
        n_rows = int(sizes.sum())
        return csr_array((np.ones(len(columns)), columns, starts), shape=(n_rows, n_rows))

    @cached_property
    def _parts(self) -> Sequence[slice]:
        bounds = np.linspace(0, self.choices.n_rankings, PARTS + 1).astype(int).tolist()
        return [slice(a, b) for a, b in pairwise(bounds) if b > a] or [slice(0, 0)]

    def _map(self, work: Callable[[slice], Any]) -> list[Any]:
        return list(in_order(work, self._parts, self.n_jobs))

    def _sums(
        self, parameters: Floats, n_paired: int
    ) -> tuple[float, Floats, Floats, float, Floats]:
        """What :func:`rankcut._loops.choices.strict_sums` adds up over all rankings."""

        def work(part: slice) -> tuple[float, Floats, Floats, float, Floats]:
            gradient, listed = np.zeros((2, self.choices.n_items))
            pairs = np.zeros((n_paired, n_paired))
            some, weights = self.choices.part(part), self.choices.weights[part]
            value, everywhere = strict_sums(parameters, some, weights, gradient, listed, pairs)
            return value, gradient, listed, everywhere, pairs

        results = in_order(work, self._parts, self.n_jobs)
        value, gradient, listed, everywhere, pairs = next(results)
        for others in results:
            value += others[0]
            gradient += others[1]
            listed += others[2]
            everywhere += others[3]
            pairs += others[4]
        return value, gradient, listed, everywhere, pairs


def information_of(likelihood: ChoiceLikelihood, members: csr_array, parameters: Floats) -> Floats:
    """The second derivatives of each unit times −1, (n_units, n_parameters, n_parameters).

    ``members`` has the weight of each ranking in each unit.
    """
    every = replace(likelihood, choices=likelihood.choices.with_others_as_entries())
    units, rows = members.nonzero()
    each = every.some(rows)
    weights = members.data.astype(np.float64)
    each = replace(each, choices=replace(each.choices, weights=weights))
    return each.grouped(parameters, units.astype(np.int64), members.shape[0])[2]
