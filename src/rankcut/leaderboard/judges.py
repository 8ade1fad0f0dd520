"""Judges: how far each agrees with the others, and whose answers say nothing.

What the others say of a vote is who has the higher strength without this judge's votes (one step of
Newton's method from all votes). A judge who answers at random agrees in half of the votes, so that
*agreement beyond chance* is twice the share of decided votes that go to the stronger item, minus
one: 1 for a judge who always does, 0 for one who tosses a coin. Its interval is that of a share
(Clopper and Pearson 1934).

Votes of a judge follow strengths with a slope: log-odds of slope times the difference, which is
about 1 for a typical judge and 0 for one who answers at random. A judge is named, allowing for the
number of judges (Holm),

random
    if the slope is far below those of typical judges, and no further above 0 than chance explains;
one-sided
    if votes at random would rarely go to the same side as often as they do.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from rankcut._loops.types import Floats, Longs
from rankcut.comparison.statistics import holm
from rankcut.leaderboard.games import Games
from rankcut.parameters import AT_ONCE, EQUAL_WITHIN
from rankcut.results.words import LEVEL

# A judge with a smaller share of votes for the same side is not called one-sided: it is an
# inclination.
_MOSTLY = 0.75

# Standard errors that chance rarely exceeds.
_CHANCE = float(special.ndtri(1 - LEVEL / 2))

# The median of the square of a normal number.
_MEDIAN_SQUARE = float(special.ndtri(0.75)) ** 2


@dataclass(frozen=True, eq=False)
class JudgeAgreement:
    """How each judge agrees with the others; an entry for each, those with most votes first."""

    judges: list[str]
    n_votes: Longs  #: votes that are no ties
    agreement: Floats  #: beyond chance, from −1 to 1; NaN without votes
    low: Floats  #: confidence limits
    high: Floats
    expected: Floats  #: agreement beyond chance of a judge who answers as the others do
    left: Floats  #: the share of votes for the item that was shown first
    random: list[str]  #: who answers as if at random
    one_sided: list[str]  #: who answers nearly always the same side


def judge_agreement(
    games: Games, strengths: Floats, covariance: Floats, confidence: float = 0.95
) -> JudgeAgreement:
    """The agreement of each judge with the others.

    ``strengths`` are those of all votes, and ``covariance`` is the model's.
    """
    assert games.judge is not None
    decided = games.result != 0
    judge, won = games.judge[decided], games.result[decided] > 0
    first, second = games.first[decided], games.second[decided]
    gaps = np.zeros(len(judge))
    for rows, without in _gaps_without(judge, first, second, won, strengths, covariance):
        gaps[rows] = without
    agreed = np.where(gaps == 0, 0.5, (gaps > 0) == won)
    # A strength is not known for sure: the chance to win, over what it may be (MacKay 1992).
    variance = covariance[first, first] + covariance[second, second]
    variance = np.maximum(variance - 2 * covariance[first, second], 0.0)
    gaps = gaps / np.sqrt(1 + np.pi * variance / 8)
    chance = special.expit(gaps)

    def added(values: NDArray[Any]) -> Floats:
        return np.bincount(judge, values, len(games.judges)).astype(np.float64)

    n_votes, n_agreed, n_left = added(np.ones(len(judge))), added(agreed), added(won)
    left = _shares(n_left, n_votes)
    most_left = np.maximum(n_left, n_votes - n_left)
    tail = special.betainc(np.maximum(most_left, 0.5), n_votes - most_left + 1, 0.5)
    p_side = holm(np.where(n_votes > 0, np.minimum(1.0, 2 * tail), 1.0))
    is_sided = (p_side <= LEVEL) & (np.abs(left - 0.5) >= _MOSTLY - 0.5) & games.ordered
    information = added(gaps**2 * chance * (1 - chance))
    least = _least_slope(1 + _shares(added(gaps * (won - chance)), information), information)
    # How much more probable the votes are by coins than by that slope: by Markov's inequality, the
    # inverse is a p-value for any number of votes.
    surprise = added(np.logaddexp(0.0, np.where(won, -least, least) * gaps))
    below = np.exp(np.minimum(n_votes * np.log(2.0) - surprise, 0.0))
    from_none = _shares(2 * added(gaps * (won - 0.5)), np.sqrt(added(gaps**2)))
    is_random = (holm(below) <= LEVEL) & (from_none <= _CHANCE) & ~is_sided
    order = np.argsort(-n_votes, kind="stable")
    names = np.array([str(name) for name in games.judges], dtype=object)[order]
    as_others = _shares(added(np.maximum(chance, 1 - chance)), n_votes)
    shares = [_shares(n_agreed, n_votes), *_limits(n_agreed, n_votes, confidence), as_others]
    agreement, low, high, expected = (2 * share[order] - 1 for share in shares)
    return JudgeAgreement(
        names.tolist(),
        n_votes[order].astype(np.int64),
        agreement,
        low,
        high,
        expected,
        left[order],
        names[is_random[order]].tolist(),
        names[is_sided[order]].tolist(),
    )


def _least_slope(slopes: Floats, information: Floats) -> float:
    """The slope that few judges who are like others are below: half of the typical one, or more.

    Typical judges differ by as much as makes their median distance that of chance.
    """
    there = information > 0
    if not there.any():
        return 0.0
    error, typical = 1 / information[there], max(float(np.median(slopes[there])), 0.0)
    squares = (slopes[there] - typical) ** 2

    def excess(spread: float) -> float:
        return float(np.median(squares / (error + spread))) - _MEDIAN_SQUARE

    most = float(squares.max()) / _MEDIAN_SQUARE
    spread = optimize.brentq(excess, 0.0, most) if excess(0.0) > 0 and most > 0 else 0.0
    return max(typical - _CHANCE * float(np.sqrt(spread)), typical / 2)


def _gaps_without(
    judge: Longs, first: Longs, second: Longs, won: Floats, strengths: Floats, covariance: Floats
) -> Iterator[tuple[Longs, Floats]]:
    """Votes of judges, and how far the first is ahead of the second without the judge's.

    With D the differences that a judge's votes are of, W = p(1 − p) and r = y − p, the step is
    D·(V⁻¹ − DᵀWD)⁻¹·Dᵀr, and by the votes K·(I − W·K)⁻¹·r with K = D·V·Dᵀ where they are fewer:
    then judges with as many votes take it at once.
    """
    chance = special.expit(strengths[first] - strengths[second])
    rest, bend = won - chance, chance * (1 - chance)
    sizes = np.bincount(judge)[judge]
    order = np.lexsort((judge, sizes))
    for votes in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1):
        size = int(sizes[votes[0]])
        few = size <= len(strengths)
        at_once = max(1, AT_ONCE // size**2) if few else 1
        for rows in np.split(votes, range(size * at_once, len(votes), size * at_once)):
            one, other = first[rows], second[rows]
            if few:
                one, other = one.reshape(-1, size), other.reshape(-1, size)
                pairs = [(x[:, :, None], y[:, None, :]) for x in (one, other) for y in (one, other)]
                same, cross, back, others = (covariance[pair] for pair in pairs)
                across = same - cross - back + others
                weighted = bend[rows].reshape(-1, size, 1) * across
                system = (1 + EQUAL_WITHIN) * np.eye(size) - weighted
                moved = across @ np.linalg.solve(system, rest[rows].reshape(-1, size, 1))
                step = moved.ravel()
            else:
                theta = _step_without(one, other, rest[rows], bend[rows], covariance)
                step = theta[one] - theta[other]
            yield rows, strengths[first[rows]] - strengths[second[rows]] - step


def _step_without(
    first: Longs, second: Longs, rest: Floats, weight: Floats, covariance: Floats
) -> Floats:
    """(I − V·DᵀWD)⁻¹·V·Dᵀr: how far many votes of a judge move the strengths."""
    n_items = len(covariance)
    rise = np.bincount(first, rest, n_items) - np.bincount(second, rest, n_items)
    bend = np.bincount(first * n_items + second, weight, n_items**2).reshape(n_items, n_items)
    bend = bend + bend.T
    bend = np.diag(bend.sum(axis=1)) - bend
    system = (1 + EQUAL_WITHIN) * np.eye(n_items) - covariance @ bend
    return np.asarray(np.linalg.solve(system, covariance @ rise))


def _shares(values: Floats, totals: Floats) -> Floats:
    none = np.full(len(totals), np.nan)
    return np.asarray(np.divide(values, totals, out=none, where=totals > 0))


def _limits(values: Floats, totals: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Limits of shares, by Clopper and Pearson."""
    tail, others = (1 - confidence) / 2, totals - values
    low = np.where(values > 0, special.betaincinv(np.maximum(values, 0.5), others + 1, tail), 0.0)
    high = np.where(
        others > 0, special.betaincinv(values + 1, np.maximum(others, 0.5), 1 - tail), 1.0
    )
    return low, high
