"""Shares of something for each person, and their means over people."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri

from rankcut._loops.types import Floats
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import colour
from rankcut.results import Result, Table
from rankcut.results.words import percent


class PeopleShares(Result):
    """Shares that add up to 1 for each person, and their means.

    Attributes
    ----------
    what : str
        What is shared out: "share of preference" or "importance".
    names : tuple of str
        The items or attributes.
    of_people : ndarray of shape (n_people, n_names)
        The expected shares of each person.
    means : ndarray of shape (n_names,)
        Their means over people, by weight.
    standard_errors : ndarray of shape (n_names,)
        Of the means: as far as other people might have been asked, and these have said little.
    """

    def __init__(
        self,
        what: str,
        names: Sequence[Any],
        of_people: Floats,
        variances: Floats,
        weights: Floats,
        confidence: float,
    ) -> None:
        self.what, self.names = what, tuple(map(str, names))
        self.of_people, self.confidence = of_people, confidence
        self._variances, self._weights = variances, weights

    @cached_property
    def means(self) -> Floats:
        """The mean over people."""
        return np.asarray(self._weights @ self.of_people / self._weights.sum(), dtype=np.float64)

    @cached_property
    def standard_errors(self) -> Floats:
        """Standard errors of the means."""
        squares: Floats = self._weights**2
        total: Floats = squares @ ((self.of_people - self.means) ** 2 + self._variances)
        n_people = max(float(self._weights.sum() ** 2 / squares.sum()), 1.0)
        size = n_people / (n_people - 1) if n_people > 1 else 1.0
        return np.asarray(np.sqrt(size * total) / self._weights.sum())

    @property
    def intervals(self) -> Floats:
        """Confidence limits of the means, from 0 to 1."""
        half = ndtri(0.5 + self.confidence / 2) * self.standard_errors
        limits = np.stack([self.means - half, self.means + half], axis=1)
        return np.asarray(np.clip(limits, 0.0, 1.0))

    def sentences(self) -> list[str]:
        """Who has the largest share."""
        first = int(np.argmax(self.means))
        low, high = self.intervals[first]
        return [
            f"The largest {self.what} is that of {self.names[first]}: "
            f"{percent(float(self.means[first]), 1)} ({low:.1%} to {high:.1%}, "
            f"{100 * self.confidence:g} % sure)."
        ]

    def tables(self) -> dict[str, Table]:
        """A row for each name, the largest first."""
        order = np.argsort(-self.means, kind="stable")
        low, high = self.intervals[order].T
        return {
            "shares": Table(
                {
                    "name": [self.names[i] for i in order],
                    "share": self.means[order],
                    "low": low,
                    "high": high,
                }
            )
        }

    def picture(self) -> Picture:
        """A row for each name."""
        rows = []
        for i in np.argsort(-self.means, kind="stable").tolist():
            low, high = self.intervals[i].tolist()
            tip = f"{self.names[i]}: {self.means[i]:.1%} ({low:.1%} to {high:.1%})"
            rows.append(Row(self.names[i], [Dot(float(self.means[i]), colour(0), low, high, tip)]))
        legend = f"Dots: means over people. Lines: {100 * self.confidence:g} % intervals."
        return dot_chart(self.what.capitalize(), legend, rows, self.what)
