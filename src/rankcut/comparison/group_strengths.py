"""Strengths of groups, and how they are compared.

Strengths are those of the Plackett–Luce model (:func:`rankcut.strengths.fit_strengths`). Who is
shown which items, and how many of them people list, moves mean places, but not strengths: what is
not at choice, or not chosen from, says nothing.

If strengths are equal, the mean score u of a group at the strengths of all is 0 but for chance. The
strengths of the group are larger by J⁻¹u (a step of Newton's method), with the covariances J⁻¹CJ⁻¹,
where J is the information of the group's rankings and C the covariances of u. To test u is the
score test of Rao, with a sandwich (Boos 1992). Permutations find J anew, as they do C: what a
person was shown stays with the ranking.
"""

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from rankcut._loops.types import Floats
from rankcut.comparison.rows import ComparedRows, Design
from rankcut.comparison.statistics import Moments
from rankcut.comparison.vectors import FEW_UNITS, Coordinates, Scores, stored
from rankcut.graphs.item_graph import ItemGraph
from rankcut.rankings.value import ROUNDING
from rankcut.strengths import ChoiceLikelihood, Choices, ItemPrior, fit_strengths
from rankcut.strengths.fitting import MOST_STEPS, TOLERANCE


class GroupStrengths:
    """Strengths in each group, about their mean by information, as little is known of some items.

    Tables show the strengths of a group as they are fitted with the information of one more ranking
    in the strengths of all groups (a unit-information prior, Kass and Wasserman), so that they
    exist for any lists.

    Attributes
    ----------
    theta : (n_groups, n_items)
        Strengths in each group.
    pooled : (n_items,)
        Strengths of all groups together.
    known : (n_items,)
        The share of each item in the information.
    scores : (n_distinct, n_parameters)
        The score of each different ranking at the strengths of all.
    """

    def __init__(self, rows: ComparedRows, design: Design) -> None:
        weight = rows.count * rows.weight
        n_distinct, n_items = rows.rankings.shape
        often = np.bincount(rows.index, weight, n_distinct)
        fit = fit_strengths(
            replace(rows.rankings, weights=often * (rows.count.sum() / weight.sum()))
        )
        self._rankings, self._likelihood = rows.rankings, fit.likelihood
        n_rankings = float(fit.likelihood.choices.weights.sum())
        every = fit.likelihood.derivatives(fit.parameters)[2] / n_rankings
        # Scores have mean 0 at the maximum, not where a prior shrinks it.
        self._at, _ = _fit_near(fit.likelihood, fit.parameters, every)
        self._every = fit.likelihood.derivatives(self._at)[2] / n_rankings
        self.scores = fit.likelihood.scores(self._at).rows(0, n_distinct)
        self.known = np.diag(self._every)[:n_items] / np.trace(self._every[:n_items, :n_items])
        self.pooled = self._at[:n_items] - self.known @ self._at[:n_items]
        theta, self._information = [], []
        for group in range(design.table.shape[1]):
            count = design.table[:, group].astype(np.float64)
            weights = count @ design.members
            own = np.flatnonzero(weights)
            likelihood, one = self._of(own, weights[own]), weights.sum() / count.sum()
            found, bend = _fit_near(likelihood, self._at, self._every * one)
            theta.append(found[:n_items] - self.known @ found[:n_items])
            self._information.append(bend[:n_items, :n_items])
        self.theta = np.array(theta)

    def _of(self, numbers: NDArray[Any], weights: Floats | None = None) -> ChoiceLikelihood:
        """Of some of the different rankings; sizes of ties that only others use count, too."""
        lists = replace(self._rankings.rows(numbers), weights=weights)
        choices = Choices.of(lists, self._likelihood.choices.orders)
        return ChoiceLikelihood(choices, self._likelihood.ties)

    def added(self) -> dict[str, Coordinates]:
        """What each ranking adds to the strength of each item, by the information of all groups.

        For many items: errors are too large if groups are shown other items.
        """
        n_items = len(self.pooled)
        steps = self.scores @ _inverse(self._every + _level(self._every, n_items))[:, :n_items]
        items = stored(steps - (steps @ self.known)[:, np.newaxis])
        return {"items": items, "scores": stored(self.scores[:, :n_items])}

    def information(self) -> Coordinates:
        """That of each ranking in the strengths of all: the upper triangle of a matrix."""
        first, second = np.triu_indices(self.scores.shape[1])

        def vectors(numbers: NDArray[Any]) -> Floats:
            return self._of(numbers).informations(self._at)[:, first, second]

        return Coordinates(vectors, len(first))

    def preferred(self) -> Floats:
        """The chance that each group prefers the first item of each pair."""
        first, second = np.triu_indices(len(self.pooled), 1)
        return np.asarray(special.expit(self.theta[:, first] - self.theta[:, second]))

    def shrunk(self, graph: ItemGraph) -> Floats:
        """Strengths in each group, drawn to those of all along the item graph.

        The differences from all have the prior of :class:`rankcut.strengths.ItemPrior`, whose
        variance and part of the graph are those with the largest evidence.
        """
        prior = ItemPrior(len(self.pooled), graph)
        found = []
        for theta, information in zip(self.theta, self._information, strict=True):
            gap = theta - self.pooled
            chosen = prior.choose(gap, np.zeros_like(gap), information)
            sharper = information + prior.precision(chosen)
            found.append(linalg.solve(sharper, information @ gap, assume_a="pos"))
        gaps = np.array(found)
        return np.asarray(self.pooled + gaps - (gaps @ self.known)[:, np.newaxis])


class StrengthSteps:
    """From the moments of groups' scores to those of their strengths.

    Attributes
    ----------
    columns : dict of slices
        Where these have items, scores, pairs and the parts that stay as they are.
    varies : flags
        Which of them vary at all.
    """

    def __init__(self, strengths: GroupStrengths, scores: Scores) -> None:
        self.information, self._known = strengths.information(), strengths.known
        n_items, size, design = len(self._known), strengths.scores.shape[1], scores.design
        spread, packed = np.zeros((size, size)), np.zeros(self.information.width)
        for cells, block in scores.blocks():
            spread += (block[:, :size] * design.counts[cells, np.newaxis]).T @ block[:, :size]
            packed += design.counts[cells] @ scores.sums(self.information, cells)
        self._every = _symmetric(packed / float(design.counts @ design.weight))
        step = _inverse(self._every)
        # Directions without information: all strengths up, or an item unseen.
        self._flat = np.eye(size) - step @ self._every
        self._back = _inverse(step[:n_items, :n_items])
        # The variance of units, over that of rankings of as much weight if the model holds.
        self._dispersion = np.trace(step @ spread) / float(design.counts @ design.weight**2)
        self._dispersion /= max(size - np.trace(self._flat), 1.0)
        self._pairs = np.triu_indices(n_items, 1)
        variances = self._variances((step @ spread @ step)[:n_items, :n_items])
        varies = variances > ROUNDING * variances.max(initial=0.0)
        self.varies = np.append(varies, scores.varies[size:])
        # Where the rankings of a group all agree, or say nothing.
        weight = float(design.counts @ design.weight)
        self._floor = np.where(varies, math.sqrt(ROUNDING) * variances / weight**2, 0.0)
        ends = [0, n_items, 2 * n_items, len(varies), len(self.varies)]
        names = ("items", "scores", "pairs", "whole")
        self.columns = dict(
            zip(names, itertools.starmap(slice, itertools.pairwise(ends)), strict=True)
        )

    def moments(self, scores: Moments, information: Floats, single: Floats) -> Moments:
        """Those of strengths, from those of scores and the sums of information.

        The information of few units, and covariances that rest on few choices of an item, are
        mostly noise: they are drawn to what is expected from all groups, as if there were ten more
        (an item that nobody chose would have a score without variance). ``single`` is the variance
        of the mean of independent rankings with the variance 1.
        """
        seen, n_items, size = scores.covariances, len(self._known), len(self._every)
        assert seen is not None
        shown = _symmetric(information / scores.weights[..., np.newaxis])
        share = (FEW_UNITS / (scores.sizes + FEW_UNITS))[:, np.newaxis, np.newaxis]
        inverse = np.linalg.inv(shown + share * (self._every - shown) + self._flat)
        step = np.asarray(inverse[..., :n_items, :], dtype=np.float64)
        # An item that is rarely chosen has about as much information as choices.
        choices = np.asarray(scores.numbers)[..., np.newaxis] * np.einsum("...ii->...i", shown)
        part = FEW_UNITS / (np.maximum(choices, 0.0) + FEW_UNITS)
        expected = self._dispersion * single[..., np.newaxis, np.newaxis] * shown
        mixed = _scaled(seen, 1.0 - part) + _scaled(expected, part)
        spread = step @ mixed @ np.swapaxes(step, -1, -2)
        variances = np.maximum(self._variances(spread), self._floor)
        covariances = self._back @ spread @ self._back
        own = np.arange(n_items)
        covariances[..., own, own] = variances[..., self.columns["scores"]]
        slopes = scores.slopes
        if slopes is not None:
            slopes = slopes.copy()
            slopes[..., :size] *= 1.0 - part
            slopes = self._views(step, slopes)
        return scores._replace(
            means=self._views(step, scores.means),
            variances=np.append(variances, scores.variances[..., size:], axis=-1),
            covariances=covariances,
            slopes=slopes,
        )

    def _views(self, step: Floats, scores: Floats) -> Floats:
        """Strengths about their mean, scores and differences of pairs; other parts as they are."""
        size = step.shape[-1]
        theta = (step @ scores[..., :size, np.newaxis])[..., 0]
        first, second = self._pairs
        return np.concatenate(
            [
                theta - (theta @ self._known)[..., np.newaxis],
                theta @ self._back,
                theta[..., first] - theta[..., second],
                scores[..., size:],
            ],
            axis=-1,
        )

    def _variances(self, spread: Floats) -> Floats:
        """Of the same, from the covariances of strengths."""
        own = np.einsum("...ii->...i", spread)
        mean = spread @ self._known
        first, second = self._pairs
        return np.concatenate(
            [
                own - 2.0 * mean + (mean @ self._known)[..., np.newaxis],
                np.einsum("ij,...jk,ki->...i", self._back, spread, self._back, optimize=True),
                own[..., first] + own[..., second] - 2.0 * spread[..., first, second],
            ],
            axis=-1,
        )


def _fit_near(
    likelihood: ChoiceLikelihood, start: Floats, information: Floats
) -> tuple[Floats, Floats]:
    """The strengths with the largest posterior, about ``start``, and the curvature there."""
    penalty = information + _level(information, likelihood.n_items)
    penalty[np.diag_indices(len(penalty))] += TOLERANCE
    parameters, reached, step = start, -np.inf, np.zeros_like(start)
    for _ in range(MOST_STEPS):
        value, gradient, bend = likelihood.derivatives(parameters)
        gap = parameters - start
        value -= float(gap @ penalty @ gap) / 2
        if value < reached - TOLERANCE * abs(reached):
            step = step / 2
            parameters = parameters - step
            continue
        # Level, too, so that counts of any size leave it well conditioned.
        curved = bend + penalty + _level(bend, likelihood.n_items)
        step = linalg.solve(curved, gradient - penalty @ gap, assume_a="pos")
        if np.abs(step).max() <= TOLERANCE:
            break
        reached, parameters = value, parameters + step
    return parameters, bend + penalty


def _scaled(covariances: Floats, part: Floats) -> Floats:
    """Covariances with this part of each variance."""
    root = np.sqrt(part)
    return covariances * root[..., np.newaxis] * root[..., np.newaxis, :]


def _symmetric(packed: Floats) -> Floats:
    """Matrices, from their upper triangles."""
    size = math.isqrt(2 * packed.shape[-1])
    matrices, (i, j) = np.empty((*packed.shape[:-1], size, size)), np.triu_indices(size)
    matrices[..., i, j] = matrices[..., j, i] = packed
    return matrices


def _inverse(information: Floats) -> Floats:
    """Directions without information stay as they are: all strengths up, or an item unseen."""
    return np.asarray(linalg.pinvh(information, rtol=ROUNDING))


def _level(curvature: Floats, n_items: int) -> Floats:
    """Nothing changes if all strengths rise: this keeps their mean where it is."""
    level = np.zeros_like(curvature)
    level[:n_items, :n_items] = np.trace(curvature[:n_items, :n_items]) / n_items**2
    return level
