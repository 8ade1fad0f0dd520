"""How much scores vary from person to person: the middle of the sandwich.

Scores of a person's rankings are added up first, so that people with several count once.
Counts are people; other weights weigh people.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.sparse import csr_array, diags_array

from rankcut._loops.types import Floats
from rankcut.parameters import AT_ONCE
from rankcut.strengths.choices import Choices
from rankcut.strengths.likelihood import RankingScores


class AddedScores(Protocol):
    """Scores of rankings that can be added up."""

    def added(self, weights: Any) -> Floats:
        """Σ weights·scores; with a matrix of weights, a row for each of its."""
        ...


@dataclass(frozen=True, eq=False)
class People:
    """Who made the rankings that hold a choice.

    Attributes
    ----------
    members : csr_array of shape (n_units, n_rankings)
        Adds up the rankings of each unit: a person, or all who say the same.
    counts : ndarray of shape (n_units,)
        How many people each unit stands for; 0: its ranking holds no choice.
    weights : ndarray of shape (n_units,)
        The weight of each of them.
    """

    members: csr_array
    counts: Floats
    weights: Floats

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
