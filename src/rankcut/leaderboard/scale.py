"""What ratings are measured on: Elo's scale, log-odds, or scores as they are.

R = anchor + 400·(θ − θ_anchor) / ln 10 on Elo's scale: 400 points are odds of 10 to 1. Without a
named anchor the mean of all ratings is 1000.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.parameters import check_choice, is_real

ScaleName: TypeAlias = Literal["elo", "log-odds", "score"]

# Elo's scale: 400 points are odds of 10 to 1; boards begin at 1000.
_POINTS, _BASE, _MEAN = 400.0, 10.0, 1000.0

# What stands for the mean of all items where an anchor is named.
MEAN = "mean"


@dataclass(frozen=True, eq=False)
class Scale:
    """Ratings as a linear function of strengths.

    Examples
    --------
    >>> scale = Scale.of("elo", "bob=1200", ["ada", "bob"])
    >>> scale.ratings(np.array([0.5, -0.5])).round(1).tolist()
    [1373.7, 1200.0]
    >>> scale.anchor
    'bob=1200'
    """

    name: ScaleName
    #: Points of a unit of log-odds; −1 for scores of which lower ones are better
    factor: float
    shares: Floats  #: how much each item counts in what is anchored; they add up to 1
    level: float  #: the rating of the anchor
    anchor: str  #: as it is written for the command: ``bob=1200``

    @classmethod
    def of(
        cls, name: str, anchor: Any, items: Sequence[Hashable], *, higher_is_better: bool = True
    ) -> "Scale":
        """The scale that a user names; the anchor is ``"bob=1200"`` or a mapping.

        Scores as they are have none unless it is named.
        """
        check_choice(name, ("elo", "log-odds", "score"), "scale")
        elo = name == "elo"
        factor = _POINTS / math.log(_BASE) if elo else 1.0 if higher_is_better else -1.0
        if name == "score" and anchor is None:
            return cls("score", factor, np.zeros(len(items)), 0.0, "")
        levels = _levels(anchor, items) or {MEAN: _MEAN if elo else 0.0}
        shares = np.zeros(len(items))
        (label, level), *others = levels.items()
        if others:
            raise InputError("names several items", parameter="anchor", remedy="name one")
        if label == MEAN and MEAN not in items:
            shares += 1 / len(items)
        else:
            shares[list(items).index(label)] = 1.0
        return cls(name, factor, shares, level, f"{label}={level:g}")  # type: ignore[arg-type]

    def ratings(self, strengths: Floats) -> Floats:
        """Ratings of strengths, of which the last axis is items."""
        return np.asarray(
            self.level + self.factor * (strengths - (strengths @ self.shares)[..., None])
        )

    def digits(self, ratings: Floats) -> int:
        """How many decimals to show: none of Elo's points, and enough to tell scores apart."""
        if self.name == "elo":
            return 0
        spread = float(np.ptp(ratings)) if len(ratings) else 0.0
        return 2 if spread <= 0 else int(np.clip(2 - math.floor(math.log10(spread)), 0, 6))

    def errors(self, covariance: Floats) -> Floats:
        """Standard errors of ratings, from the covariance of strengths."""
        across = covariance @ self.shares
        variance = np.diag(covariance) - 2 * across + float(self.shares @ across)
        return np.asarray(abs(self.factor) * np.sqrt(np.maximum(variance, 0.0)))


def _levels(anchor: Any, items: Sequence[Hashable]) -> dict[Hashable, float]:
    """The ratings that are anchored, by item."""
    if anchor is None:
        return {}
    levels: dict[Hashable, Any]
    if isinstance(anchor, Mapping):
        levels = dict(anchor)
    else:
        label, sign, value = str(anchor).rpartition("=")
        try:
            levels = {label.strip(): float(value)}
        except ValueError:
            levels = {}
        if not (sign and levels):
            raise InputError(
                f"must be an item and its rating, such as '{items[0]}=1000'; got {anchor!r}",
                parameter="anchor",
            )
    labels = {str(item): item for item in items}
    for name, value in levels.items():
        if name != MEAN and name not in items and str(name) not in labels:
            near = ", ".join(repr(str(item)) for item in items[:3])
            raise InputError(
                f"names {name!r}, which is not among the {len(items)} items, such as {near}",
                parameter="anchor",
            )
        if not is_real(value, -np.inf, np.inf):
            raise InputError(
                f"must be a finite number for {name!r}; got {value!r}", parameter="anchor"
            )
    return {
        label if label in items else labels.get(str(label), label): float(value)
        for label, value in levels.items()
    }
