"""Limits of items that won, or lost, all of their votes: their likelihood has no maximum.

What is known of an unbeaten item is that it is not weak: with a strength below the limit it would
have won all of its votes in fewer than 5 % of cases, even against opponents as weak as they may be,
as Clopper and Pearson's limit of a share says. Strengths of opponents are normal about what all
votes say. A judge who always prefers the item might do so again, so that its votes count as many as
it has judges who vote alike often: (Σ n)²/Σ n² of their numbers of votes.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import linalg, optimize

from rankcut._loops.types import Floats
from rankcut.strengths import Games, Strengths

# Strengths are looked for within odds of exp(30) to 1.
_FARTHEST = 30.0


@dataclass(frozen=True)
class Limit:
    """The limit of an item that always won, or always lost."""

    item: int
    side: Literal["least", "most"]
    strength: float


def limits_of(games: Games, fit: Strengths, confidence: float) -> list[Limit]:
    """The limits of items that won all of their votes, or lost all.

    >>> import pandas as pd
    >>> from rankcut.strengths import fit_strengths
    >>> rows = [("x", "y"), ("y", "x"), ("y", "z"), ("z", "x")] * 9 + [("star", "x")] * 8
    >>> games = Games.of_frame(pd.DataFrame(rows, columns=["winner", "loser"]))
    >>> [limit] = limits_of(games, fit_strengths(games.rankings()), 0.95)
    >>> games.items[limit.item], limit.side, bool(fit_strengths(games.rankings()).theta[0] > 0)
    ('star', 'least', True)
    """
    won, lost = games.wins.sum(axis=1), games.wins.sum(axis=0)
    tied = games.ties.sum(axis=1)
    ends = np.flatnonzero(((won == 0) | (lost == 0)) & (won + lost > 0) & (tied == 0))
    limits = []
    for i in ends.tolist():
        sign = 1.0 if lost[i] == 0 else -1.0
        strength = _limit(games, fit, i, sign, confidence)
        limits.append(Limit(i, "least" if sign > 0 else "most", strength))
    return limits


def _limit(games: Games, fit: Strengths, i: int, sign: float, confidence: float) -> float:
    """The least strength of an unbeaten item; with a sign of −1, the most of one that lost."""
    assert fit.covariance is not None
    times = games.wins[i] + games.wins[:, i]
    # Strengths about the mean of the other items: that of all hangs on the unbeaten one.
    about = np.eye(len(times))
    about[:, np.arange(len(times)) != i] -= 1.0 / (len(times) - 1)
    level = float((fit.centre - about @ fit.centre)[0])
    others = np.flatnonzero(times)
    times = times[others] * _independent_share(games, i)
    centre = sign * (about @ fit.centre)[others]
    covariance = about[others] @ fit.covariance @ about[others].T
    spread = covariance + np.eye(len(others)) * (1e-9 * (1.0 + np.trace(covariance)))
    precision = linalg.inv(spread)
    tie = float(np.exp(fit.log_ties.get(2, -np.inf)))

    def beyond(strength: float) -> float:
        return _profile(strength, centre, precision, times, tie) + math.log(1 - confidence)

    low, high = -_FARTHEST, _FARTHEST
    least = low if beyond(low) <= 0 else float(optimize.brentq(beyond, low, high, xtol=1e-6))
    return sign * least + level


def _profile(
    strength: float, centre: Floats, precision: Floats, times: Floats, tie: float
) -> float:
    """The loss of a strength with the best strengths of opponents, by Newton's method."""
    move = np.zeros_like(centre)
    for _ in range(50):
        gap = strength - centre - move
        one, half = np.exp(-gap), tie * np.exp(-gap / 2)
        total = 1.0 + one + half
        slope = (one + half / 2) / total
        bend = (one + half / 4) / total - slope**2
        rise = precision @ move + times * slope
        step = linalg.solve(precision + np.diag(times * bend), -rise, assume_a="pos")
        step *= min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        move = move + step
        if np.abs(step).max() < 1e-9:
            break
    gap = strength - centre - move
    total = 1.0 + np.exp(-gap) + tie * np.exp(-gap / 2)
    return float(times @ np.log(total) + move @ precision @ move / 2)


def _independent_share(games: Games, i: int) -> float:
    """The share of an item's votes that judges who might always vote alike leave."""
    if games.judge is None:
        return 1.0
    mine = (games.first == i) | (games.second == i)
    numbers = np.bincount(games.judge[mine])
    return float(numbers.sum() / (numbers.astype(float) ** 2).sum())
