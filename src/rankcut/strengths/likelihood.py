"""The log-likelihood of strengths, its score and its curvature; how scores vary between people.

Parameters are θ, a strength for each item, then log δ_d for each size d > 1 of a tie (Davidson's
model only). The likelihood does not change if all θ rise by the same number.

How much scores vary from person to person is the middle of the sandwich. Scores of a person's
rankings are added up first, so that people with several count once. Counts are people; other
weights weigh people.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_array, diags_array

from rankcut._loops.choices import strict_products, strict_scores, strict_sums
from rankcut._loops.tied_choices import DAVIDSON, separate_rankings, tied_sums
from rankcut._loops.types import Floats, Longs, TieModel
from rankcut.parameters import AT_ONCE
from rankcut.strengths.choices import TIES, Choices, Ties
from rankcut.threads import PARTS, in_order

# Scores with a smaller share of entries than this are multiplied as sparse matrices.
_SPARSE = 0.05


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

    def rows(self, start: int, stop: int) -> Floats:
        """The scores of some rankings as an array."""
        items = self.entries[start:stop].toarray()
        items -= np.outer(self.tails[start:stop], self.worths)
        return np.concatenate([items, self.ties[start:stop]], axis=1)


class Slope(NamedTuple):
    """The log-likelihood near some parameters, without a matrix of second derivatives.

    ``diagonal`` and ``product``, times a vector, are of their negative.
    """

    value: float
    gradient: Floats
    diagonal: Floats
    product: Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class ChoiceLikelihood:
    """The log-likelihood of some choices.

    Parameters
    ----------
    choices : Choices
        What was chosen from what.
    ties : {"davidson", "exact", "efron", "breslow"}
        How ties are read; see :func:`rankcut.strengths.fit_strengths`.
    n_jobs : int or None
        Number of threads.
    """

    choices: Choices
    ties: Ties = "davidson"
    n_jobs: int | None = None

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.choices.n_items

    @cached_property
    def orders(self) -> Longs:
        """1, and the sizes of ties that have a parameter."""
        if TIES[self.ties] == DAVIDSON:
            return self.choices.orders
        return np.ones(1, dtype=np.int64)

    @property
    def n_parameters(self) -> int:
        """Number of items and of sizes of ties."""
        return self.n_items + len(self.orders) - 1

    @cached_property
    def wins(self) -> Floats:
        """How often each item was chosen."""
        weights = self.choices.weights[self.choices.owners()]
        wins = np.bincount(self.choices.items, weights, minlength=self.n_items)
        return wins.astype(np.float64)

    def scores(self, parameters: Floats) -> RankingScores:
        """The score and log-likelihood of each ranking."""
        choices = self.choices
        if choices.tied:
            parts = self._map(lambda part: self._tied(parameters, part)[:-1])
            score, ties, values = (np.concatenate(each) for each in zip(*parts, strict=True))
            tails, ties = np.zeros(len(values)), ties[:, 1:]
        else:
            parts = self._map(lambda part: self._strict(parameters, part))
            score, tails, values = (np.concatenate(each) for each in zip(*parts, strict=True))
            ties = np.zeros((len(values), 0))
        entries = csr_array(
            (score, choices.items.astype(np.int32), choices.starts),
            shape=(choices.n_rankings, self.n_items),
        )
        return RankingScores(entries, tails, np.exp(parameters[: self.n_items]), ties, values)

    def value(self, parameters: Floats) -> float:
        """The log-likelihood."""
        return float(self.choices.weights @ self.scores(parameters).values)

    def derivatives(self, parameters: Floats) -> tuple[float, Floats, Floats]:
        """The log-likelihood, its gradient, and its second derivatives times −1."""
        if self.choices.tied:
            return self._tied_derivatives(parameters)
        value, gradient, own, everywhere, pairs = self._sums(parameters, self.n_items)
        curvature = pairs + pairs.T
        np.fill_diagonal(curvature, own)
        if self.choices.others:
            curvature += everywhere - own[:, None] - own[None, :]
        worths = np.exp(parameters)
        curvature *= -np.outer(worths, worths)
        curvature[np.diag_indices(self.n_items)] += self.wins - gradient
        return value, gradient, curvature

    def informations(self, parameters: Floats) -> Floats:
        """The second derivatives of each ranking times −1, a matrix each."""
        choices, size = self.choices.with_others_as_entries(), self.n_parameters
        n_rows = choices.n_rankings
        scores, values = np.empty((n_rows, size)), np.empty(n_rows)
        found = np.empty((n_rows, size, size))
        strengths = np.tile(parameters[: self.n_items], (n_rows, 1))
        every = choices.part(slice(0, n_rows))
        separate_rankings(strengths, every, self._model(parameters), scores, found, values)
        return found

    def slope(self, parameters: Floats) -> Slope:
        """Derivatives without a matrix, for many items; rankings have no ties."""
        value, gradient, own, everywhere, _ = self._sums(parameters, 0)
        choices, worths = self.choices, np.exp(parameters)
        squares = everywhere - own if choices.others else own
        first = self.wins - gradient

        def product(vector: Floats) -> Floats:
            def work(part: slice) -> tuple[Floats, float]:
                found = np.zeros(self.n_items)
                weights = choices.weights[part]
                rest = strict_products(worths, choices.part(part), weights, vector, found)
                return found, rest

            total = np.zeros(self.n_items)
            for found, rest in self._map(work):
                total += found + rest
            return np.asarray(first * vector - worths * total)

        return Slope(value, gradient, first - worths**2 * squares, product)

    @cached_property
    def _parts(self) -> Sequence[slice]:
        bounds = np.linspace(0, self.choices.n_rankings, PARTS + 1).astype(int).tolist()
        return [slice(a, b) for a, b in pairwise(bounds) if b > a]

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
            gradient, own = np.zeros((2, self.n_items))
            pairs = np.zeros((n_paired, n_paired))
            some, weights = self.choices.part(part), self.choices.weights[part]
            value, everywhere = strict_sums(parameters, some, weights, gradient, own, pairs)
            return value, gradient, own, everywhere, pairs

        results = in_order(work, self._parts, self.n_jobs)
        value, gradient, own, everywhere, pairs = next(results)
        for others in results:
            value += others[0]
            gradient += others[1]
            own += others[2]
            everywhere += others[3]
            pairs += others[4]
        return value, gradient, own, everywhere, pairs

    def _model(self, parameters: Floats) -> TieModel:
        log_delta = np.append(0.0, parameters[self.n_items :])
        return TieModel(TIES[self.ties], self.orders, log_delta)

    def _tied(self, parameters: Floats, part: slice) -> tuple[Floats, Floats, Floats, Floats]:
        some, weights = self.choices.part(part), self.choices.weights[part]
        n_rows, size = len(some.n_listed), self.n_items + len(self.orders)
        score, ties = np.empty(len(some.items)), np.empty((n_rows, len(self.orders)))
        values, curvature = np.empty(n_rows), np.zeros((size, size))
        worths, model = parameters[: self.n_items], self._model(parameters)
        tied_sums(worths, some, weights, model, score, ties, values, curvature)
        return score, ties, values, curvature

    def _tied_derivatives(self, parameters: Floats) -> tuple[float, Floats, Floats]:
        size = self.n_items + len(self.orders)
        value, gradient, curvature = 0.0, np.zeros(size), np.zeros((size, size))
        found = self._map(lambda part: self._tied(parameters, part))
        for part, (score, ties, values, bend) in zip(self._parts, found, strict=True):
            some, weights = self.choices.part(part), self.choices.weights[part]
            own = np.repeat(weights, np.diff(some.starts)) * score
            gradient[: self.n_items] += np.bincount(some.items, own, minlength=self.n_items)
            gradient[self.n_items :] += weights @ ties
            value += float(weights @ values)
            curvature += bend
        curvature += curvature.T
        curvature[np.diag_indices(size)] /= 2
        # δ of a single item is 1: it is no parameter.
        kept = np.arange(size) != self.n_items
        return value, gradient[kept], curvature[np.ix_(kept, kept)]


class AddedScores(Protocol):
    """Scores of rankings that can be added up."""

    def added(self, weights: Any) -> Floats:
        """Σ weights·scores; with a matrix of weights, a row for each of its."""
        ...


@dataclass(frozen=True, eq=False)
class People:
    """Who made the rankings that hold a choice."""

    members: csr_array  #: adds up the rankings of each unit: a person, or all who say the same
    counts: Floats  #: how many people each unit stands for; 0: its ranking holds no choice
    weights: Floats  #: the weight of each of them

    @classmethod
    def of(cls, choices: Choices) -> "People":
        """The people behind choices."""
        used, n_rankings = choices.informative, choices.n_rankings
        if choices.clusters is None:
            each = np.ones(n_rankings) if choices.counted else choices.weights
            members = csr_array(
                (each, np.arange(n_rankings), np.arange(n_rankings + 1)), (n_rankings, n_rankings)
            )
            return cls(members, np.where(used, choices.weights if choices.counted else 1, 0), each)
        rows = np.flatnonzero(used)
        _, unit = np.unique(choices.clusters[rows], return_inverse=True)
        n_units = int(unit.max()) + 1
        members = csr_array((choices.weights[rows], (unit, rows)), shape=(n_units, n_rankings))
        return cls(
            members, np.ones(n_units), np.bincount(unit, choices.weights[rows]).astype(float)
        )

    @property
    def n_people(self) -> int:
        """Number of people."""
        return int(self.counts.sum())

    @property
    def n_rankings(self) -> float:
        """Number of rankings that hold a choice."""
        return float(self.counts @ np.diff(self.members.indptr))

    @property
    def n_effective(self) -> float:
        """How many people of equal weight would say as much (Kish)."""
        total = float(self.counts @ self.weights)
        return total**2 / float(self.counts @ self.weights**2)

    def variation(self, scores: AddedScores) -> Floats:
        """Σ over people of the squares of their scores, each minus its part of the mean."""
        n_units = self.members.shape[0]
        mean = scores.added(self.counts @ self.members) / float(self.counts @ self.weights)
        if isinstance(scores, RankingScores) and scores.is_sparse:
            total = self._sparse_squares(scores, mean)
        else:
            total = np.zeros((len(mean), len(mean)))
            step = max(1, AT_ONCE // len(mean))
            for start in range(0, n_units, step):
                units = slice(start, start + step)
                rows = scores.added(self.members[units]) - np.outer(self.weights[units], mean)
                total += (rows * self.counts[units, None]).T @ rows
        n_people = self.n_people
        return np.asarray(total * (n_people / max(1, n_people - 1)))

    def _sparse_squares(self, scores: RankingScores, mean: Floats) -> Floats:
        """Scores are sparse entries minus a product of rank two: tails and worths, and the mean."""
        entries: Any = self.members @ scores.entries
        columns = np.column_stack([self.members @ scores.tails, self.weights])
        rows = np.vstack([scores.worths, mean])
        counted = columns * self.counts[:, None]
        across = (entries.T @ counted) @ rows
        squares = (entries.T @ diags_array(self.counts) @ entries).toarray()
        return np.asarray(squares - across - across.T + rows.T @ (columns.T @ counted) @ rows)
