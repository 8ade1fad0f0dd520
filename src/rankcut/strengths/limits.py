"""Limits of items that nobody beat, or that beat nobody: their likelihood has no maximum.

What is known of an unbeaten item is that it is not weak: below the limit, all of its choices would
have gone its way in fewer than 5 % of cases, as Clopper and Pearson's limit of a share says. Let
d(g) be what the log-likelihood of its rankings loses if the item stands g higher, and v the
variance of the level of those it met. The loss at x is the smallest d(x − m) + m²/2v for any m.
People who decided several of its choices alike might do so again, so that its rankings count as
many as (Σ n)²/Σ n² of the people's numbers n.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.parameters import ROUNDING
from rankcut.results.words import name_some
from rankcut.sample import Sample
from rankcut.saved_arrays import Saved
from rankcut.strengths.likelihood import ChoiceLikelihood

# How far from the estimate limits are looked for, in log odds, and in what steps.
_SPAN, _STEP, _FINE_STEP = 16.0, 0.5, 0.05


@dataclass(frozen=True, eq=False)
class UnbeatenLimit:
    """What is known of an item that nobody beat (sign 1), or that beat nobody (−1)."""

    item: int
    sign: int
    strength: float  #: the estimate, from which steps are counted
    losses: Annotated[Floats, Saved("*")]  #: of log-likelihood, at each step from the farthest on

    def at(self, confidence: float) -> float:
        """The least strength that does not make the data too improbable; for −1, the most."""
        enough = -math.log(1.0 - confidence)
        beyond = np.flatnonzero(self.losses > enough)
        if not len(beyond):
            return -self.sign * math.inf
        return self.strength + self.sign * (int(beyond[-1]) * _FINE_STEP - _SPAN)


def unbeaten(wins: Flags) -> Longs:
    """1 for an item that won and never lost, −1 for one that lost and never won, else 0.

    >>> unbeaten(np.array([[0, 1, 1], [0, 0, 1], [0, 1, 0]], dtype=bool)).tolist()
    [1, 0, 0]
    """
    others = wins & ~np.eye(len(wins), dtype=bool)
    won, lost = others.any(axis=1), others.any(axis=0)
    return np.asarray(won.astype(np.int64) - lost)


def in_words(
    limits: Sequence[UnbeatenLimit], labels: Sequence[str], confidence: float
) -> list[str]:
    """A sentence for the items that nobody beat, and one for those that beat nobody."""
    sentences = []
    for sign, verb, side in ((1, "Nobody beat", "at least"), (-1, "Nobody lost to", "at most")):
        ends = [limit for limit in limits if limit.sign == sign]
        names = [f"{labels[end.item]} ({side} {end.at(confidence):.2g})" for end in ends]
        if names:
            sure = f"{100 * confidence:g} % sure"
            sentences.append(f"{verb} {name_some(names)}: their strengths have one limit ({sure}).")
    return sentences


def drawable(ends: Floats, centre: Floats) -> Floats:
    """Limits of which those that are infinite end a little beyond all others.

    >>> drawable(np.array([[-1.0, 1.0], [2.0, np.inf]]), np.array([0.0, 3.0])).tolist()
    [[-1.0, 1.0], [2.0, 3.4]]
    """
    finite = np.append(ends[np.isfinite(ends)], centre)
    room = 0.1 * (float(finite.max()) - float(finite.min()))
    return np.asarray(np.clip(ends, finite.min() - room, finite.max() + room))


def find_limits(
    likelihood: ChoiceLikelihood,
    parameters: Floats,
    signs: Longs,
    strengths: Floats,
    covariance: Floats,
    sample: Sample,
) -> Sequence[UnbeatenLimit]:
    """The limits of items without a maximum.

    ``strengths`` are about their mean, ``covariance`` theirs; the first ``parameters`` are those of
    items.
    """
    choices = likelihood.choices
    ends, limits = np.flatnonzero(signs), []
    if not len(ends):
        return ()
    steps = np.arange(-_SPAN, _SPAN + _STEP / 2, _STEP)
    fine = np.arange(-_SPAN, _SPAN + _FINE_STEP / 2, _FINE_STEP)
    owners = choices.owners()
    for i in ends.tolist():
        rows = np.flatnonzero(choices.informative)
        if not choices.others:
            rows = np.intersect1d(rows, owners[choices.items == i])
        if not len(rows):
            continue
        masses = sample.membership[:, rows].sum(axis=1)
        counts = sample.counts.astype(np.float64)
        total = float(counts @ masses)
        share = total / float(counts @ masses**2) if total else 1.0
        some = likelihood.some(rows)
        values = np.empty(len(steps))
        moved = parameters.copy()
        for k, step in enumerate(steps.tolist()):
            moved[i] = parameters[i] + signs[i] * step
            values[k] = some.value(moved)
        losses = np.maximum(values.max() - values, np.finfo(np.float64).tiny) * min(share, 1.0)
        # Far from the item's rivals losses are exponential.
        losses = np.exp(np.interp(fine, steps, np.log(losses)))
        # The level of those it met, by how often, about the mean of all others.
        meetings = np.bincount(some.choices.items, minlength=choices.n_items).astype(np.float64)
        meetings[i] = 0.0
        others = np.arange(choices.n_items) != i
        about = meetings / max(meetings.sum(), 1.0) - others / max(others.sum(), 1)
        variance = max(float(about @ covariance @ about), ROUNDING)
        shifted = losses[None, :] + (fine[:, None] - fine[None, :]) ** 2 / (2.0 * variance)
        limits.append(UnbeatenLimit(i, int(signs[i]), float(strengths[i]), shifted.min(axis=1)))
    return tuple(limits)
