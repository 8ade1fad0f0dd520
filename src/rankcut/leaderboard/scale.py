"""What ratings are measured on: Elo's scale, log-odds, or scores as they are.

R = anchor + 400·(θ − θ_anchor) / ln 10 on Elo's scale: 400 points are odds of 10 to 1. Without a
named anchor the mean of all ratings is 1000.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias

import numpy as np

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.parameters import check_choice, is_real

ScaleName: TypeAlias = Literal["elo", "log-odds", "score"]

# Elo's scale: 400 points are odds of 10 to 1; boards begin at 1000.
_POINTS, _BASE, _MEAN = 400.0, 10.0, 1000.0

# Larger ratings would lose their differences to rounding.
_MOST = 1e12

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
        cls, name: Any, anchor: Any, items: Sequence[Hashable], *, higher_is_better: bool = True
    ) -> "Scale":
        """The scale that a user names; the anchor is ``"bob=1200"`` or a mapping.

        Scores as they are have none unless it is named.
        """
        check_choice(name, ("elo", "log-odds", "score"), "scale")
        elo = name == "elo"
        factor = _POINTS / math.log(_BASE) if elo else 1.0 if higher_is_better else -1.0
        shares = np.zeros(len(items))
        if anchor is None and name == "score":
            return cls(name, factor, shares, 0.0, "")
        label, level = (MEAN, _MEAN if elo else 0.0) if anchor is None else _anchored(anchor, items)
        places = [place for place, item in enumerate(items) if label in (item, str(item))]
        shares[places[:1] or slice(None)] = 1.0 / (1 if places else len(items))
        return cls(name, factor, shares, level, f"{label}={level:g}")

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


def _anchored(anchor: Any, items: Sequence[Hashable]) -> tuple[Hashable, float]:
    """The item that is anchored, or the mean, and its rating."""
    levels = anchor
    if not isinstance(anchor, Mapping):
        label, _, value = str(anchor).rpartition("=")
        try:
            levels = {label.strip(): float(value)} if label else {}
        except ValueError:
            levels = {}
    names = [str(item) for item in items]
    if len(levels) != 1:
        raise InputError(
            f"must be one item and its rating, such as '{names[0]}=1000'; got {anchor!r}",
            parameter="anchor",
        )
    ((label, level),) = levels.items()
    if str(label) not in (*names, MEAN):
        near = get_close_matches(str(label), names, n=3, cutoff=0.4) or names[:3]
        raise InputError(
            f"names {label!r}, which is not among the {len(items)} items, such as "
            + ", ".join(map(repr, near)),
            parameter="anchor",
        )
    if not is_real(level, -_MOST, _MOST):
        raise InputError(
            f"must be a number up to {_MOST:g} for {label!r}; got {level!r}", parameter="anchor"
        )
    return label, float(level)
