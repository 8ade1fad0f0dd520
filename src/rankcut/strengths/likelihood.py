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
from scipy.sparse import csr_array, hstack

from rankcut._loops.choices import strict_products, strict_scores, strict_sums
from rankcut._loops.tied_choices import (
    DAVIDSON,
    entry_scores,
    grouped_sums,
    ranking_blocks,
)
from rankcut._loops.types import Floats, Longs, TieModel
from rankcut.parameters import MOST_HELD
from rankcut.sample import Sample
from rankcut.strengths.choices import TIES, Choices, Ties, count_up
from rankcut.threads import PARTS, in_order

# Scores with a smaller share of entries than this are multiplied as sparse matrices, and added up
# for people as such with a smaller share than the second.
_SPARSE, _FILLED = 0.05, 0.2


@dataclass(frozen=True, eq=False)
class RankingScores:
    """The score of each ranking: ``entries`` minus ``tails`` times the worths, and ``ties``."""

    entries: csr_array  #: what each ranking adds at the items it lists
    #: What all items lose because unlisted ones were at choice, for each unit of worth
    tails: Floats
    worths: Floats  #: exp(θ)
    ties: Floats  #: derivatives by log δ
    values: Floats  #: the log-likelihood of each ranking

    @property
    def is_sparse(self) -> bool:
        """Whether few entries are stored, and no ties."""
        n_rows, n_items = self.entries.shape
        return bool(self.entries.nnz < _SPARSE * n_rows * n_items and not self.ties.shape[1])

    def added(self, weights: Any) -> Floats:
        """Σ weights·scores; with a matrix of weights, dense or sparse, a row for each of its."""
        items = weights @ self.entries
        items = items.toarray() if hasattr(items, "toarray") else np.asarray(items)
        items = items - np.multiply.outer(weights @ self.tails, self.worths)
        return np.concatenate([items, weights @ self.ties], axis=-1)

    def variation(self, sample: Sample) -> Floats:
        """Σ over people of the squares of their scores, each minus its part of the mean."""
        n_rows, width = self.entries.shape[0], self.entries.shape[1] + self.ties.shape[1]
        size = n_rows * width
        if self.entries.nnz + self.ties.size >= _FILLED * size and size <= MOST_HELD:
            return sample.variation(self.rows(0, n_rows))
        tails, worths = -self.tails[:, None], np.append(self.worths, np.zeros(self.ties.shape[1]))
        rows = csr_array(hstack([self.entries, csr_array(self.ties)]))
        return sample.variation(rows, tails, worths[None])

    def rows(self, start: int, stop: int) -> Floats:
        """The scores of some rankings as an array."""
        items = self.entries[start:stop].toarray()
        if self.tails.any():
            items -= np.outer(self.tails[start:stop], self.worths)
        return np.concatenate([items, self.ties[start:stop]], axis=1)


class Slope(NamedTuple):
    """Second derivatives times −1 without a matrix: their diagonal, and products with a vector."""

    diagonal: Floats
    product: Callable[[Floats], Floats]


class Sums(NamedTuple):
    """Log-likelihoods, gradients and negative second derivatives, added up by group."""

    values: Floats
    gradients: Floats
    curvatures: Floats


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
        return self.design is None and not self.choices.tied

    @cached_property
    def wins(self) -> Floats:
        """How often each item was chosen."""
        weights = self.choices.weights[self.choices.owners()]
        wins = np.bincount(self.choices.items, weights, minlength=self.choices.n_items)
        return wins.astype(np.float64)

    def log_worths(self, parameters: Floats) -> Floats:
        """η of each entry."""
        columns = parameters[: self.n_columns]
        return columns[self.choices.items] if self.design is None else self.design @ columns

    def some(self, rows: Longs) -> "ChoiceLikelihood":
        """The likelihood of some rankings, by their numbers, which may repeat."""
        design = self.design
        if design is not None:
            design = csr_array(design[self.choices.entries_of(rows)])
        return replace(self, choices=self.choices.some(rows), design=design)

    def scores(self, parameters: Floats) -> RankingScores:
        """The score and log-likelihood of each ranking."""
        choices = self.choices
        shape = (choices.n_rankings, len(choices.items))
        if self.telescopes:
            parts = self._map(lambda part: self._strict(parameters, part))
            score, tails, values = (np.concatenate(each) for each in zip(*parts, strict=True))
            ties, worths = np.zeros((len(values), 0)), np.exp(parameters)
        else:
            log_worths = self.log_worths(parameters)
            score, values = np.empty(shape[1]), np.empty(shape[0])
            ties = np.empty((shape[0], len(self.orders) - 1))
            model = self._model(parameters)

            def work(part: slice) -> None:
                some, entries = choices.part(part), choices.entries(part)
                entry_scores(
                    log_worths[entries], some, model, score[entries], ties[part], values[part]
                )

            self._map(work)
            tails, worths = np.zeros(shape[0]), np.zeros(self.n_columns)
        if self.design is None:
            places = (score, choices.items.astype(np.int32), choices.starts)
            entries = csr_array(places, shape=(shape[0], self.n_columns))
        else:
            each = csr_array((score, np.arange(shape[1]), choices.starts), shape=shape)
            entries = csr_array(each @ self.design)
        return RankingScores(entries, tails, worths, ties, values)

    def value(self, parameters: Floats) -> float:
        """The log-likelihood."""
        return float(self.choices.weights @ self.scores(parameters).values)

    def derivatives(self, parameters: Floats) -> tuple[float, Floats, Floats]:
        """The log-likelihood, its gradient, and its second derivatives times −1."""
        if not self.telescopes:
            log_worths, model = self.log_worths(parameters), self._model(parameters)
            together = np.zeros(self.choices.n_rankings, dtype=np.int64)
            results = in_order(
                lambda part: self._grouped(log_worths, model, part, together, 1),
                self._parts,
                self.n_jobs,
            )
            values, gradients, curvatures = next(results)
            for others in results:
                values += others.values
                gradients += others.gradients
                curvatures += others.curvatures
            return float(values[0]), gradients[0], curvatures[0]
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
        self, log_worths: Floats, groups: Longs, n_groups: int, log_delta: Sequence[float] = ()
    ) -> Sums:
        """Sums over the rankings of each group, where each entry has a log-worth of its own.

        ``log_worths`` are η of entries, all that is at choice among them, and ``log_delta`` the
        parameters of ties, if the model has any.
        """
        every = slice(0, self.choices.n_rankings)
        model = TieModel(TIES[self.ties], self.orders, np.append(0.0, log_delta))
        return self._grouped(log_worths, model, every, groups, n_groups)

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
        value, scores, blocks = self.ranking_curvatures(parameters)
        bends = csr_array((blocks, pattern.indices, pattern.indptr), shape=pattern.shape)
        return value, np.asarray(design.T @ scores), csr_array(design.T @ (bends @ design))

    def ranking_curvatures(self, parameters: Floats) -> tuple[float, Floats, Floats]:
        """The log-likelihood; the weighted score and curvature of each ranking.

        A ranking has a place for each entry, then one for each log δ, and a matrix row by row.
        """
        sizes = np.diff(self.choices.starts) + len(self.orders) - 1
        places = np.concatenate([[0], np.cumsum(sizes)])
        cells = np.concatenate([[0], np.cumsum(sizes**2)])
        scores, blocks = np.empty(places[-1]), np.empty(cells[-1])
        log_worths, model = self.log_worths(parameters), self._model(parameters)

        def work(part: slice) -> float:
            return ranking_blocks(
                log_worths[self.choices.entries(part)],
                self.choices.part(part),
                self.choices.weights[part],
                model,
                scores[places[part.start] : places[part.stop]],
                blocks[cells[part.start] : cells[part.stop]],
            )

        return sum(self._map(work)), scores, blocks

    def score_draws(self, parameters: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Scores with the covariance that the model says, the curvature; one in each column."""
        sizes = np.diff(self.choices.starts) + len(self.orders) - 1
        places, cells = (np.concatenate([[0], np.cumsum(each)]) for each in (sizes, sizes**2))
        blocks = self.ranking_curvatures(parameters)[2]
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
    def extended_design(self) -> csr_array:
        """The design with a row for each log δ after the entries of each ranking."""
        assert self.design is not None
        n_ties, entries = len(self.orders) - 1, self.design.tocoo()
        ends = self.choices.starts[1:] + n_ties * np.arange(self.choices.n_rankings)
        places = self.choices.owners()[entries.row] * n_ties + entries.row
        of_ties = (ends[:, None] + np.arange(n_ties)).ravel()
        columns = np.tile(self.n_columns + np.arange(n_ties), len(ends))
        values = np.concatenate([entries.data, np.ones(len(of_ties))])
        cells = (np.concatenate([places, of_ties]), np.concatenate([entries.col, columns]))
        n_rows = len(self.choices.items) + len(of_ties)
        return csr_array((values, cells), shape=(n_rows, self.n_parameters))

    @cached_property
    def _pattern(self) -> csr_array:
        """Where the curvatures of rankings are, in a matrix of blocks."""
        sizes = np.diff(self.choices.starts) + len(self.orders) - 1
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

    def _strict(self, parameters: Floats, part: slice) -> tuple[Floats, Floats, Floats]:
        some = self.choices.part(part)
        score = np.empty(len(some.items))
        tails, values = np.empty((2, len(some.n_listed)))
        strict_scores(parameters, some, score, tails, values)
        return score, tails, values

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

    def _model(self, parameters: Floats) -> TieModel:
        log_delta = np.append(0.0, parameters[self.n_columns :])
        return TieModel(TIES[self.ties], self.orders, log_delta)

    @cached_property
    def _entry_columns(self) -> tuple[Longs, Longs, Floats]:
        """The design as arrays, for loops."""
        if self.design is not None:
            starts, columns, shares = self.design.indptr, self.design.indices, self.design.data
            return starts.astype(np.int64), columns.astype(np.int64), shares.astype(np.float64)
        n_entries = len(self.choices.items)
        return np.arange(n_entries + 1), self.choices.items.astype(np.int64), np.ones(n_entries)

    def _grouped(
        self, log_worths: Floats, model: TieModel, part: slice, groups: Longs, n_groups: int
    ) -> Sums:
        """Sums over some rankings."""
        some, entries = self.choices.part(part), self.choices.entries(part)
        starts, columns, shares = self._entry_columns
        bounds = starts[entries.start : entries.stop + 1]
        cells = slice(int(bounds[0]), int(bounds[-1]))
        size = self.n_parameters
        sums = Sums(
            np.zeros(n_groups), np.zeros((n_groups, size)), np.zeros((n_groups, size, size))
        )
        design = bounds - bounds[0], columns[cells], shares[cells]
        weights = self.choices.weights[part]
        grouped_sums(log_worths[entries], some, weights, model, groups[part], design, *sums)
        for curvature in sums.curvatures:
            curvature += curvature.T.copy()
        return sums


def information_of(likelihood: ChoiceLikelihood, members: csr_array, parameters: Floats) -> Floats:
    """The second derivatives of each unit times −1, (n_units, n_parameters, n_parameters).

    ``members`` has the weight of each ranking in each unit.
    """
    every = replace(likelihood, choices=likelihood.choices.with_others_as_entries())
    units, rows = members.nonzero()
    each = every.some(rows)
    weights = members.data.astype(np.float64)
    each = replace(each, choices=replace(each.choices, weights=weights))
    ties = parameters[every.n_columns :].tolist()
    log_worths = each.log_worths(parameters)
    return each.grouped(log_worths, units.astype(np.int64), members.shape[0], ties).curvatures
