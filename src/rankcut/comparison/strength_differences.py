"""Strengths of items in each group: differences that exposure and length do not count in.

Who is shown which items, and how many of them people list, moves mean places, but not the strengths
of the Plackett–Luce model (:func:`rankcut.strengths.fit_strengths`): what is not at choice, or not
chosen from, says nothing. Strengths of two groups are independent, so their errors add.

The strengths of a group are fitted with the information of one more ranking in the strengths of
all groups (a unit-information prior, Kass and Wasserman), so that they exist for any lists. Errors
are sandwiches over units. Permutations exchange the labels of the rankings' scores at the strengths
of all, times the inverse information: what each ranking adds to a strength.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, special

from rankcut._loops.types import Floats
from rankcut.comparison.rows import ComparedRows, Design
from rankcut.comparison.statistics import Moments
from rankcut.graphs.item_graph import ItemGraph
from rankcut.strengths import ChoiceLikelihood, Choices, ItemPrior, fit_strengths
from rankcut.strengths.many_items import MOST_STEPS, TOLERANCE


@dataclass(frozen=True, eq=False)
class GroupStrengths:
    """Strengths in each group, about their mean.

    Attributes
    ----------
    scores : (n_distinct, n_items)
        How far each different ranking pulls each strength: chosen, less the chance of that.
    of_rankings : (n_distinct, n_items)
        What each different ranking adds to the strengths of all.
    theta : (n_groups, n_items)
        Strengths in each group.
    covariances : (n_groups, n_items, n_items)
        Of these.
    information : (n_groups, n_items, n_items)
        How sharp the likelihood of each group is.
    pooled : (n_items,)
        Strengths of all groups together.
    """

    scores: Floats
    of_rankings: Floats
    theta: Floats
    covariances: Floats
    information: Floats
    pooled: Floats

    @classmethod
    def of(cls, rows: ComparedRows, design: Design) -> "GroupStrengths":
        """Fitted to all rows, and to those of each group."""
        weight = rows.count * rows.weight
        n_distinct, n_items = rows.rankings.shape
        often = np.bincount(rows.index, weight, n_distinct)
        fit = fit_strengths(
            replace(rows.rankings, weights=often * (rows.count.sum() / weight.sum()))
        )
        pooled = fit.parameters
        every = fit.likelihood.derivatives(pooled)[2] / float(fit.likelihood.choices.weights.sum())
        scores = fit.likelihood.scores(pooled).rows(0, n_distinct)
        bent = every + _level(every, n_items) + TOLERANCE * np.eye(len(every))
        added = _centred(linalg.solve(bent, scores.T).T[:, :n_items])
        theta, covariances, information = [], [], []
        for group in range(design.table.shape[1]):
            units = np.flatnonzero(design.table[:, group])
            members, count = design.members[units], design.table[units, group].astype(np.float64)
            own = np.unique(members.indices)
            choices, weights = fit.likelihood.choices, count @ members
            if choices.tied:
                # Sizes of ties that this group does not use have a parameter too.
                own = np.arange(n_distinct)
                choices = replace(choices, weights=weights)
            else:
                choices = Choices.of(replace(rows.rankings.rows(own), weights=weights[own]))
            likelihood = ChoiceLikelihood(choices, fit.likelihood.ties)
            found, bend = _fit_near(likelihood, pooled, every * (weights.sum() / count.sum()))
            of_units = members[:, own] @ likelihood.scores(found).rows(0, len(own))
            share = np.asarray(members.sum(axis=1)).ravel()
            of_units -= np.outer(share, count @ of_units / (count @ share))
            n_units = float(count.sum())
            meat = (of_units * count[:, np.newaxis]).T @ of_units * n_units / (n_units - 1)
            inverse = linalg.inv(bend)
            sandwich = (inverse @ meat @ inverse)[:n_items, :n_items]
            theta.append(_centred(found[:n_items]))
            covariances.append(_centred(_centred(sandwich).T))
            information.append(bend[:n_items, :n_items])
        return cls(
            scores[:, :n_items],
            added,
            np.array(theta),
            np.array(covariances),
            np.array(information),
            _centred(pooled[:n_items]),
        )

    def directions(self, paired: bool) -> dict[str, Floats]:
        """What is looked at: items; agreement with the strengths of all; pairs."""
        n_items = len(self.pooled)
        found = {"items": np.eye(n_items), "agreement": self.pooled[:, np.newaxis]}
        if paired:
            first, second = np.triu_indices(n_items, 1)
            found["pairs"] = found["items"][:, first] - found["items"][:, second]
        return found

    def added(self, paired: bool) -> dict[str, Floats]:
        """What each ranking adds in each direction, and its scores."""
        found = {name: self.of_rankings @ each for name, each in self.directions(paired).items()}
        return {**found, "scores": self.scores}

    def replaced(self, data: Moments, columns: dict[str, slice]) -> Moments:
        """The moments of the data, with those of strengths where strengths are compared."""
        means, variances = data.means.copy(), data.variances.copy()
        for name, direction in self.directions("pairs" in columns).items():
            means[0][:, columns[name]] = self.theta @ direction
            spread = ((self.covariances @ direction) * direction).sum(axis=1)
            variances[0][:, columns[name]] = np.maximum(spread, 0.0)
        return data._replace(means=means, variances=variances)

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
        for theta, information in zip(self.theta, self.information, strict=True):
            gap = theta - self.pooled
            chosen = prior.choose(gap, np.zeros_like(gap), information)
            target = information @ gap
            found.append(
                linalg.solve(information + prior.precision(chosen), target, assume_a="pos")
            )
        return self.pooled + _centred(np.array(found))


def _fit_near(
    likelihood: ChoiceLikelihood, start: Floats, information: Floats
) -> tuple[Floats, Floats]:
    """The strengths with the largest posterior, about ``start``, and the curvature there."""
    n_items = likelihood.n_items
    penalty = information + _level(information, n_items)
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
        step = linalg.solve(bend + penalty, gradient - penalty @ gap, assume_a="pos")
        if np.abs(step).max() <= TOLERANCE:
            break
        reached, parameters = value, parameters + step
    return parameters, bend + penalty


def _level(curvature: Floats, n_items: int) -> Floats:
    """Nothing changes if all strengths rise: this keeps their mean where it is."""
    level = np.zeros_like(curvature)
    level[:n_items, :n_items] = np.trace(curvature[:n_items, :n_items]) / n_items**2
    return level


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean(axis=-1, keepdims=True))
