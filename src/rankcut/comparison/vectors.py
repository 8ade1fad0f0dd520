"""The vectors by which rankings are compared: places, pairs, lists, strengths, features.

*Strengths* are those of the Plackett–Luce model (:func:`rankcut.strengths.fit_strengths`). Who is
shown which items, and how many of them people list, moves mean places, but not strengths: what is
not at choice, or not chosen from, says nothing. The vector of a ranking is its score at the
strengths of all, which has mean 0 in each group if strengths are equal; times the inverse
information it is what the ranking adds to each strength.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special
from scipy.sparse import csr_array

from rankcut._loops.pairs import expected_signs
from rankcut._loops.partitions import centred_positions
from rankcut._loops.types import Floats
from rankcut.comparison.rows import ComparedRows, Design
from rankcut.comparison.statistics import Moments
from rankcut.graphs.item_graph import ItemGraph
from rankcut.kernels.chosen_features import choose_features
from rankcut.parameters import KEPT
from rankcut.rankings import Rankings
from rankcut.rankings.value import ROUNDING
from rankcut.strengths import ChoiceLikelihood, Choices, ItemPrior, fit_strengths
from rankcut.strengths.fitting import MOST_STEPS, TOLERANCE

# Groups with fewer units have no variance to rely on: `python benchmarks/comparison.py few`.
FEW_UNITS = 10

# Cells whose vectors are made at once.
BLOCK = 8192


class Coordinates(NamedTuple):
    """``vectors(numbers)`` are those of the different rankings with these numbers.

    ``error`` is the share of a kernel that they miss.
    """

    vectors: Callable[[NDArray[Any]], Floats]
    width: int
    error: float = 0.0
    name: str = ""


def places(rankings: Rankings) -> Coordinates:
    """Mean place of each item, 1 = best: (n + 1 − φ)/2 with features φ of the complete graph."""
    n_items = rankings.shape[1]
    return _looped(rankings, n_items, centred_positions, lambda phi: (n_items + 1.0 - phi) / 2.0)


def pairs(rankings: Rankings) -> Coordinates:
    """Share that puts i before j, for each pair i < j: a tie counts half."""
    width = rankings.shape[1] * (rankings.shape[1] - 1) // 2
    return _looped(rankings, width, expected_signs, lambda sign: (sign + 1.0) / 2.0)


def _looped(
    rankings: Rankings, width: int, loop: Any, scaled: Callable[[Floats], Floats]
) -> Coordinates:
    """What a compiled loop makes of the groups of each ranking, in other units."""

    def vectors(numbers: NDArray[Any]) -> Floats:
        values = np.empty((len(numbers), width))
        loop(rankings.rows(numbers).groups(), values)
        return scaled(values)

    return Coordinates(vectors, width)


def stored(values: Floats, error: float = 0.0, name: str = "") -> Coordinates:
    """Vectors that are computed already, a row for each different ranking."""
    return Coordinates(values.__getitem__, values.shape[1], error, name)


def features_of(features: Any, rankings: Rankings, seed: int) -> Coordinates:
    """Vectors of a feature estimator, or of a kernel by its Gram matrix."""
    ranks = rankings.read(0, rankings.shape[0])
    chosen = choose_features(features, ranks, rankings.unranked, rankings.items, seed)
    values = chosen.vectors(ranks)
    return stored(values, chosen.missed(ranks, values), chosen.name)


def share_of_model(sizes: Any) -> Any:
    """How much the model's variances count in a group of this size: as much as ten more units."""
    return FEW_UNITS / (sizes + FEW_UNITS)


class GroupStrengths:
    """Strengths in each group, about their mean by information, as little is known of some items.

    The strengths of a group are fitted with the information of one more ranking in the strengths
    of all groups (a unit-information prior, Kass and Wasserman), so that they exist for any lists.

    Attributes
    ----------
    theta : (n_groups, n_items)
        Strengths in each group.
    pooled : (n_items,)
        Strengths of all groups together.
    known : (n_items,)
        The share of each item in the information.
    views : dict of matrices
        From strengths to what is compared: about their mean, scores, differences of pairs.
    step : (n_items, n_items)
        From scores to what they add: the inverse information of a ranking.
    added : (n_distinct, n_items)
        What each different ranking adds to the strengths of all.
    """

    def __init__(self, rows: ComparedRows, design: Design, *, paired: bool) -> None:
        weight = rows.count * rows.weight
        n_distinct, n_items = rows.rankings.shape
        often = np.bincount(rows.index, weight, n_distinct)
        fit = fit_strengths(
            replace(rows.rankings, weights=often * (rows.count.sum() / weight.sum()))
        )
        choices = fit.likelihood.choices
        n_rankings = float(choices.weights.sum())
        every = fit.likelihood.derivatives(fit.parameters)[2] / n_rankings
        # Scores have mean 0 at the maximum, not where a prior shrinks it.
        pooled, _ = _fit_near(fit.likelihood, fit.parameters, every)
        every = fit.likelihood.derivatives(pooled)[2] / n_rankings
        step = _inverse(every)[:n_items]
        self.step = step[:, :n_items]
        self.added = fit.likelihood.scores(pooled).rows(0, n_distinct) @ step.T
        self.known = np.diag(every)[:n_items] / np.trace(every[:n_items, :n_items])
        self.pooled = pooled[:n_items] - self.known @ pooled[:n_items]
        self.views = {"items": np.eye(n_items) - self.known, "scores": _inverse(self.step)}
        if paired:
            first, second = np.triu_indices(n_items, 1)
            self.views["pairs"] = np.eye(n_items)[first] - np.eye(n_items)[second]
        # The variance of the mean of each group, where that of a ranking is 1.
        squares = np.bincount(rows.group, weight * rows.weight)
        self._each = squares / np.bincount(rows.group, weight) ** 2
        theta, self._information, self._steps, self._exposure = [], [], [], []
        for group in range(design.table.shape[1]):
            count = design.table[:, group].astype(np.float64)
            weights = count @ design.members
            own = np.flatnonzero(weights)
            lists = replace(rows.rankings.rows(own), weights=weights[own])
            # Sizes of ties that this group does not use have a parameter too.
            likelihood = ChoiceLikelihood(Choices.of(lists, choices.orders), fit.likelihood.ties)
            one = weights.sum() / count.sum()
            found, bend = _fit_near(likelihood, pooled, every * one)
            theta.append(found[:n_items] - self.known @ found[:n_items])
            self._information.append(bend[:n_items, :n_items])
            shown = likelihood.derivatives(pooled)[2]
            more = shown + every * (one * FEW_UNITS)
            more /= weights.sum() + one * FEW_UNITS
            self._steps.append(_inverse(more)[:n_items, :n_items])
            self._exposure.append(shown[:n_items, :n_items] / weights.sum())
        self.theta = np.array(theta)

    def coordinates(self) -> dict[str, Coordinates]:
        """What each ranking adds to the strength of an item, or to the difference of two."""
        return {name: stored(self.added @ view.T) for name, view in self.views.items()}

    def expected_variances(self) -> Floats:
        """Of what a ranking adds, if the model holds; covariances of scores are their view."""
        variances = [((view @ self.step) * view).sum(axis=1) for view in self.views.values()]
        return np.concatenate(variances)

    def own_moments(self, data: Moments, scores: Moments, columns: Mapping[str, slice]) -> Moments:
        """The data's moments with the information of each group, from those of its scores.

        Groups that are shown other items know other strengths well. Errors of strengths add, those
        of scores do not: what one group does not know of an item, the strengths of all do not have
        from it. Covariances are drawn to those of the model, as permutations draw theirs.
        """
        assert scores.covariances is not None
        means, variances, covariances = data.means.copy(), data.variances.copy(), []
        slopes = np.zeros_like(means) if data.slopes is None else data.slopes.copy()
        for group, (step, seen) in enumerate(zip(self._steps, scores.covariances, strict=True)):
            share = share_of_model(data.sizes[group])
            drawn = (1.0 - share) * seen + share * self._each[group] * self._exposure[group]
            slope = slopes[0, group, columns["scores"]].copy()
            for name, view in self.views.items():
                own, turn = columns[name], view @ step
                means[0, group, own] = turn @ scores.means[group]
                slopes[0, group, own] = turn @ slope
                variances[0, group, own] = ((turn @ drawn) * turn).sum(axis=1)
            turn = self.views["scores"] @ step
            covariances.append(turn @ drawn @ turn.T)
        return data._replace(
            means=means,
            variances=variances,
            covariances=None if data.covariances is None else np.array([covariances]),
            slopes=None if data.slopes is None else slopes,
        )

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


def _inverse(information: Floats) -> Floats:
    """Directions without information stay as they are: all strengths up, or an item unseen."""
    return np.asarray(linalg.pinvh(information, rtol=ROUNDING))


def _level(curvature: Floats, n_items: int) -> Floats:
    """Nothing changes if all strengths rise: this keeps their mean where it is."""
    level = np.zeros_like(curvature)
    level[:n_items, :n_items] = np.trace(curvature[:n_items, :n_items]) / n_items**2
    return level


class Scores:
    """The vectors of units: sums of their weighted vectors, minus what their stratum expects.

    Attributes
    ----------
    columns : dict of slices
        The coordinates of each part.
    centre : (width,)
        The mean vector of all rankings.
    total : (width,)
        Sum of squares of the rankings' coordinates about the means of their strata.
    own : (width,)
        Sum of squares of the units' vectors.
    varies : (width,)
        Coordinates that are not all rounding.
    """

    def __init__(self, design: Design, parts: Mapping[str, Coordinates]) -> None:
        self.design = design
        self.columns, self.width = {}, 0
        for name, part in parts.items():
            self.columns[name] = slice(self.width, self.width + part.width)
            self.width += part.width
        self._parts = parts
        n_cells, n_strata = len(design.table), len(design.starts) - 1
        self._kept: dict[int, Floats] | None = {} if n_cells * self.width <= KEPT else None
        sums, squares = np.zeros((n_strata, self.width)), np.zeros(self.width)
        for cells in slices(n_cells):
            members, vectors = self._members(cells)
            often = design.counts[cells].astype(np.float64)
            places = (design.strata[cells], np.arange(len(often)))
            sums += csr_array((often, places), shape=(n_strata, len(often))) @ (members @ vectors)
            squares += (often @ members) @ vectors**2
        weights = np.add.reduceat(design.counts * design.weight, design.starts[:-1])
        self._centres = sums / weights[:, np.newaxis]
        self.centre = sums.sum(axis=0) / weights.sum()
        self.total = np.maximum(squares - weights @ self._centres**2, 0.0)
        self.own = np.zeros(self.width)
        for cells, block in self.blocks():
            self.own += design.counts[cells] @ block**2
        self.varies = self.own > ROUNDING * max(float(self.own.max(initial=0.0)), 1e-300)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Vectors of some cells at a time."""
        for cells in slices(len(self.design.table)):
            block = None if self._kept is None else self._kept.get(cells.start)
            if block is None:
                members, vectors = self._members(cells)
                means = self._centres[self.design.strata[cells]]
                block = members @ vectors - means * self.design.weight[cells, np.newaxis]
            if self._kept is not None:
                self._kept[cells.start] = block
            yield cells, block

    def within(self, name: str) -> Floats:
        """The total variance of single rankings in each group, for the vectors of a part."""
        shares = csr_array(self.design.table.T.astype(np.float64)) @ self.design.members
        shares = shares.multiply(1.0 / shares.sum(axis=1)[:, np.newaxis]).tocsr()
        n_groups, n_distinct = shares.shape
        squares, means = np.zeros(n_groups), np.zeros((n_groups, self._parts[name].width))
        for some in slices(n_distinct):
            vectors = self._parts[name].vectors(np.arange(some.start, some.stop))
            squares += shares[:, some] @ (vectors**2).sum(axis=1)
            means += shares[:, some] @ vectors
        return np.asarray(np.maximum(squares - (means**2).sum(axis=1), 0.0))

    def is_nearly_normal(self, enough: int) -> bool:
        """Whether every unit weighs less than one of ``enough`` equal units."""
        weight, counts = self.design.weight, self.design.counts
        return float(weight.max() ** 2 / (counts @ weight**2)) < 1.0 / enough

    def adjusted_means(self, means: Floats, weights: Floats) -> Floats:
        """Means of groups; with strata, as if each group had the same share of each stratum.

        The coefficients of groups in a regression on groups and strata.
        """
        design = self.design
        table = design.table * design.weight[:, np.newaxis]
        of_strata = np.add.reduceat(table, design.starts[:-1], axis=0)
        shares = of_strata / of_strata.sum(axis=1, keepdims=True)
        mixing = np.diag(of_strata.sum(axis=0)) - of_strata.T @ shares
        found = np.linalg.pinv(mixing, rcond=ROUNDING) @ (weights[:, np.newaxis] * means)
        return np.asarray(self.centre + found - weights @ found / weights.sum())

    def _members(self, cells: slice) -> tuple[csr_array, Floats]:
        """The weights of different rankings in some cells, and the vectors of these rankings."""
        own = self.design.members[cells]
        used, columns = np.unique(own.indices, return_inverse=True)
        members = csr_array((own.data, columns, own.indptr), shape=(own.shape[0], len(used)))
        vectors = np.empty((len(used), self.width))
        for name, part in self._parts.items():
            vectors[:, self.columns[name]] = part.vectors(used)
        return members, vectors


def slices(size: int) -> list[slice]:
    """Slices of the numbers from 0, a block at a time."""
    return [slice(start, min(start + BLOCK, size)) for start in range(0, size, BLOCK)]
