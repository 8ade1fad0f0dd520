"""Strengths of groups, each with errors of its own.

Strengths are those of the Plackett–Luce model (:func:`rankcut.strengths.fit_strengths`). Who is
shown which items, and how many of them people list, moves mean places, but not strengths: what is
not at choice, or not chosen from, says nothing.

Each group has its own maximum of the one likelihood, with the information of one more ranking in
the strengths of all groups (a unit-information prior, Kass and Wasserman 1995), so that it exists
for any lists. Errors are those of people, however many rankings each made: the sandwich CR2 with
Satterthwaite's degrees of freedom (:mod:`rankcut.strengths.errors`). Differences of two groups are
Wald's: their errors add, or, where people are in both, are those of each person's difference.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, special
from scipy.sparse import csr_array

from rankcut._loops.types import Floats, Longs
from rankcut.comparison.effects import Variation
from rankcut.comparison.statistics import Moments, NormalDraws, pair_contrasts
from rankcut.graphs.item_graph import ItemGraph
from rankcut.parameters import AT_ONCE, EQUAL_WITHIN
from rankcut.sample.grouped import GroupedRankings
from rankcut.strengths import ChoiceLikelihood, Choices, ItemPrior, fit_strengths
from rankcut.strengths.errors import Errors
from rankcut.strengths.likelihood import information_of
from rankcut.strengths.maximising import DensePrior, TermPrior, maximise

# With as many people for each item, errors of few people are those of many.
MANY_PEOPLE = 200

# While the information of people has fewer numbers than this, errors are those of few people.
FEW_NUMBERS = AT_ONCE // 2


class _Fit(NamedTuple):
    """Strengths of a group, and how sure they are."""

    parameters: Floats
    information: Floats  #: with that of the prior
    covariance: Floats
    freedoms: Floats  #: of each item


class GroupStrengths:
    """Strengths in each group, about their mean by information, as little is known of some items.

    Attributes
    ----------
    pooled : (n_items,)
        Strengths of all groups together.
    theta : (n_groups, n_items)
        Strengths in each group.
    n_effective : (n_groups,)
        People of each group, or as many whose rankings weigh the same (Kish).
    """

    def __init__(self, grouped: GroupedRankings) -> None:
        sample = grouped.sample()
        rankings = sample.rankings
        fit = fit_strengths(rankings, errors="information")
        assert fit.likelihood is not None
        self._n_items, self._ties = rankings.shape[1], fit.likelihood.ties
        self._counts = sample.counts.astype(np.float64)
        self._choices = choices = Choices.of(rankings, fit.likelihood.choices.orders)
        rows = np.flatnonzero(sample.which >= 0)
        group, stratum = np.zeros((2, rankings.shape[0]), dtype=np.int64)
        group[sample.which[rows]] = grouped.group[rows]
        stratum[sample.which[rows]] = grouped.stratum[rows]
        # Survey weights have the mean 1: they say who counts more, not how many people there are.
        compares = choices.informative
        n_rankings = float(grouped.weights[rows][compares[sample.which[rows]]].sum())
        self._members = sample.membership * (n_rankings / float(choices.weights[compares].sum()))
        self._weights = self._counts @ self._members
        likelihood = self._likelihood(np.arange(len(self._weights)))
        every = likelihood.derivatives(fit.parameters)[2] / n_rankings
        # Scores have mean 0 at the maximum, not where a prior shrinks it.
        self._at, _ = fit_near(likelihood, fit.parameters, every)
        self._every = likelihood.derivatives(self._at)[2] / n_rankings
        n_items, size = self._n_items, len(self._at)
        self._share = np.diag(self._every)[:n_items] / np.trace(self._every[:n_items, :n_items])
        self._centring = np.eye(n_items, size) - np.append(self._share, np.zeros(size - n_items))
        self.pooled = self._centring @ self._at
        self._rows = [
            np.flatnonzero((group == code) & compares) for code in range(grouped.n_groups)
        ]
        weighed = [csr_array(self._members[:, rows].sum(axis=1)[:, None]) for rows in self._rows]
        self.n_effective = np.array(
            [float(_effective(self._counts, weight)[0]) for weight in weighed]
        )
        self._contrasts: Floats | None = pair_contrasts(grouped.n_groups)
        self._joint: Floats | None = None
        if int(grouped.stratum.max()) > 0:
            self._fits, joint = self._within_strata(stratum)
        else:
            fits = [self._fit(rows, joint=grouped.crossed) for rows in self._rows]
            self._fits, joint = [fit for fit, _ in fits], None
            if grouped.crossed:
                moves = np.hstack([influence for _, influence in fits])
                joint = (moves * self._counts[:, None]).T @ moves
                for k, of_group in enumerate(self._fits):
                    block = slice(k * size, (k + 1) * size)
                    joint[block, block] = of_group.covariance
        self.theta = np.array([self._centring @ fit.parameters for fit in self._fits])
        covariances = [self._centring @ fit.covariance @ self._centring.T for fit in self._fits]
        self._covariances, self._means = np.array(covariances), self.theta
        self._freedoms = np.array([fit.freedoms for fit in self._fits])
        if joint is not None:
            self._take_differences(joint)

    def _likelihood(self, rows: Longs) -> ChoiceLikelihood:
        """Of some of the different rankings, with their weights."""
        choices = self._choices.some(rows)
        choices.weights[:] = self._weights[rows]
        return ChoiceLikelihood(choices, self._ties)

    def _fit(self, rows: Longs, *, joint: bool) -> tuple[_Fit, Floats]:
        """Of the rankings of a group; and what a person of each unit adds to it, if ``joint``."""
        likelihood = self._likelihood(rows)
        parameters, information = fit_near(likelihood, self._at, self._every)
        level = np.zeros_like(information)
        every = slice(0, self._n_items)
        level[every, every] = np.trace(information[every, every]) / self._n_items**2
        root = linalg.solve_triangular(
            linalg.cholesky(information + level, lower=True), np.eye(len(level)), lower=True
        )
        inverse = root.T @ root
        members = csr_array(self._members[:, rows])
        units = np.flatnonzero(np.diff(members.indptr))
        some, counts = csr_array(members[units]), self._counts[units]
        scores, n_people = likelihood.scores(parameters), float(counts.sum())
        scale = n_people / max(n_people - 1.0, 1.0)
        lists = likelihood.choices
        entries = (np.ones(len(lists.items)), lists.items, lists.starts)
        sizes = some @ csr_array(entries, shape=(len(rows), self._n_items))
        freedoms = _effective(counts, sizes) - 1.0
        few = freedoms.min() < MANY_PEOPLE and len(units) * information.size <= FEW_NUMBERS
        if few and not joint:
            of_units = information_of(likelihood, some, parameters)
            errors = Errors.from_people(root, scores.added(some), of_units, counts)
            covariance, freedoms = errors.covariance, errors.freedoms(self._centring)
        else:
            covariance = scale * inverse @ scores.squares(some, counts) @ inverse
        covariance = covariance + inverse @ self._every @ inverse
        influence = np.zeros((members.shape[0] if joint else 0, len(parameters)))
        if joint:
            influence[units] = np.sqrt(scale) * scores.added(some) @ inverse
        return _Fit(parameters, information, covariance, np.maximum(freedoms, 0.0)), influence

    def _within_strata(self, stratum: Longs) -> tuple[list[_Fit], Floats]:
        """Of groups that differ from each other in the same way in each stratum.

        One step of Newton's method from the strengths of each stratum: the information, and what
        people add to it, are those that are left once the strata have strengths of their own.
        """
        size, n_groups, counts = len(self._at), len(self._rows), self._counts
        blocks = [slice(k * size, (k + 1) * size) for k in range(n_groups)]
        prior: Any = np.kron(np.eye(n_groups), self._every)
        information, scores = prior.copy(), np.zeros((len(counts), n_groups * size))
        for code in np.unique(stratum):
            parts = [rows[stratum[rows] == code] for rows in self._rows]
            whole = self._likelihood(np.concatenate(parts))
            at, curvature = fit_near(whole, self._at, self._every)
            inverse = _inverse(curvature)
            curved, total = np.zeros((size, n_groups * size)), np.zeros((len(counts), size))
            for rows, block in zip(parts, blocks, strict=True):
                part = self._likelihood(rows)
                added = part.scores(at).added(self._members[:, rows])
                curved[:, block] = part.derivatives(at)[2]
                scores[:, block] += added
                total += added
                information[block, block] += curved[:, block]
            information -= curved.T @ inverse @ curved
            scores -= total @ inverse @ curved
        inverse, n_people = _inverse(information), float(counts.sum())
        moves = np.sqrt(n_people / max(n_people - 1.0, 1.0)) * scores @ inverse
        step = inverse @ (counts @ scores)
        joint = (moves * counts[:, None]).T @ moves + inverse @ prior @ inverse
        fits = [
            _Fit(
                self._at + step[block],
                information[block, block],
                joint[block, block],
                np.full(self._n_items, max(freedom - 1.0, 0.0)),
            )
            for block, freedom in zip(blocks, self.n_effective, strict=True)
        ]
        return fits, joint

    def _take_differences(self, joint: Floats) -> None:
        """Judge differences themselves, as groups have people, or strata, in common."""
        contrasts, n_items = pair_contrasts(len(self._rows)), self._n_items
        across = np.kron(contrasts, self._centring)
        self._joint = joint = across @ joint @ across.T
        blocks = joint.reshape(len(contrasts), n_items, len(contrasts), n_items)
        self._covariances = np.einsum("kikj->kij", blocks)
        freedoms = [self._freedoms[contrast != 0].min(axis=0) for contrast in contrasts]
        self._means, self._freedoms = contrasts @ self.theta, np.array(freedoms)
        self._contrasts = None

    def moments(self, sides: tuple[Longs, Longs] | None = None) -> Moments:
        """Strengths in each group with their variances; or how much stronger the first items are.

        ``sides`` are the first and the second items of pairs.
        """
        means, covariances, freedoms = self._means, self._covariances, self._freedoms
        variances = np.einsum("gii->gi", covariances)
        if sides is not None:
            one, other = sides
            means = means[:, one] - means[:, other]
            crossed = covariances[:, one, other]
            variances = variances[:, one] + variances[:, other] - 2.0 * crossed
            freedoms = np.minimum(freedoms[:, one], freedoms[:, other])
        return Moments.of(means, np.maximum(variances, 0.0), freedoms, self._contrasts)

    def draws(self, sides: tuple[Longs, Longs] | None, seed: int) -> NormalDraws:
        """Strengths without a difference."""
        covariances = list(self._covariances) if self._joint is None else [self._joint]
        return NormalDraws(self.moments(sides), covariances, seed, sides)

    @property
    def variation(self) -> Variation:
        """How much the scores of rankings vary, at the strengths of all groups."""
        weights, every = self._weights, slice(0, self._n_items)
        scores = self._likelihood(np.arange(len(weights))).scores(self._at)
        means, covariances, squares = [], [], []
        for rows in self._rows:
            weight = np.zeros(len(weights))
            weight[rows] = weights[rows]
            mean = scores.added(weight)[every] / weight.sum()
            which = csr_array((np.ones(len(rows)), (rows, rows)), shape=(len(weights),) * 2)
            members = csr_array(self._members @ which)
            counts = self._counts * (np.diff(members.indptr) > 0)
            # Of people, about as often the mean of the group as they have rankings.
            often = members.sum(axis=1)
            across = np.outer(scores.added((counts * often) @ members)[every], mean)
            units = scores.squares(members, counts)[every, every] - across - across.T
            units += float(counts @ often**2) * np.outer(mean, mean)
            n_people = float(counts.sum())
            covariances.append(units * n_people / max(n_people - 1.0, 1.0) / weight.sum() ** 2)
            means.append(mean)
            squares.append(np.trace(scores.squares(which, weight)[every, every]))
        sizes = np.array([weights[rows].sum() for rows in self._rows])
        of_groups = np.array(means)
        within = np.array(squares) / sizes - (of_groups**2).sum(axis=1)
        gaps = of_groups - sizes @ of_groups / sizes.sum()
        total = float(sizes @ ((gaps**2).sum(axis=1) + within))
        return Variation(of_groups, np.array(covariances), sizes, within, total)

    def shrunk(self, graph: ItemGraph) -> Floats:
        """Strengths in each group, drawn to those of all along the item graph.

        The differences from all have the prior of :class:`rankcut.strengths.ItemPrior`, whose
        variance and part of the graph are those with the largest evidence.
        """
        n_items, prior = self._n_items, ItemPrior(self._n_items, graph)
        gaps = []
        for fit, theta in zip(self._fits, self.theta, strict=True):
            gap, information = theta - self.pooled, fit.information[:n_items, :n_items]
            hyperparameters = prior.choose(information @ gap, information)
            sharper = information + prior.precision(hyperparameters)
            gaps.append(linalg.solve(sharper, information @ gap, assume_a="pos"))
        nearer = np.array(gaps)
        return np.asarray(self.pooled + nearer - (nearer @ self._share)[:, None])


def fit_near(
    likelihood: ChoiceLikelihood, start: Floats, information: Floats
) -> tuple[Floats, Floats]:
    """The strengths with the largest posterior, about ``start``, and the curvature there."""
    place = slice(0, likelihood.choices.n_items)
    prior = DensePrior([TermPrior(place, level=True)], len(start))
    prior.precision += information
    at = maximise(lambda move: likelihood.derivatives(start + move), prior, np.zeros_like(start))
    return start + at.parameters, at.curvature + information


def _inverse(information: Any) -> Floats:
    """Directions without information stay as they are: all strengths up, or an item unseen."""
    return np.asarray(linalg.pinvh(information, rtol=EQUAL_WITHIN))


def _effective(counts: Floats, sizes: csr_array) -> Floats:
    """People of equal weight who would say as much (Kish), by what each says: a column each."""
    total, squares = counts @ sizes, counts @ sizes.power(2)
    return np.asarray(total**2 / np.maximum(squares, 1e-300))


def preferred(theta: Floats, sides: tuple[Longs, Longs]) -> Floats:
    """The chance that the first item of each pair is preferred to the second."""
    return np.asarray(special.expit(theta[..., sides[0]] - theta[..., sides[1]]))
