"""What is known of people once their tastes are learned, of items or of attributes alike."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from rankcut._loops.tasks import fill_values
from rankcut._loops.types import Floats, Longs
from rankcut.graphs.item_graph import ItemGraph
from rankcut.results import EstimatorResult, Table
from rankcut.strengths.mixed import Progress, TastesFit, fit_tastes, posteriors
from rankcut.strengths.respondents import Respondents
from rankcut.utilities.camps import Camps, compare_camps
from rankcut.utilities.shares import PeopleShares

# Pairs of opposite draws of each person's utilities, for what is not linear in them.
_SHARE_DRAWS = 128

Scaled = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""Values and their errors on a scale, from raw values and their covariance."""


class Described(NamedTuple):
    """What is known of each of some people."""

    values: Floats
    errors: Floats
    raw: Floats
    coefficients: Floats
    n_effective: Floats
    at_random: Floats


class PeopleResult(EstimatorResult):
    """People whose tastes are learned."""

    confidence: float
    n_jobs: int | None
    people_: Any
    n_tasks_: Longs
    n_effective_: Floats
    at_random_: Floats
    root_likelihood_: Floats
    _respondents: Respondents
    _fit: TastesFit
    _seed: int

    def _learn(
        self,
        respondents: Respondents,
        rows: Floats,
        design: Floats | None,
        constants: Floats | None,
        graph: ItemGraph | None,
        progress: Progress | None,
        scaled: Scaled | None = None,
    ) -> Described:
        """Fit; what is learned of people, where values are ``rows`` times coefficients."""
        self.__dict__.pop("camps_", None)
        self._respondents = respondents
        with threadpool_limits(1, user_api="blas"):
            self._fit = fit_tastes(
                respondents, design, constants, graph, n_jobs=self.n_jobs, progress=progress
            )
        self.n_tasks_ = respondents.n_rankings
        described = self._describe(respondents, rows, scaled)
        self.n_effective_, self.at_random_ = described.n_effective, described.at_random
        self.root_likelihood_ = self._root_likelihoods(described.coefficients)
        return described

    @property
    def _weights(self) -> Floats:
        return self._respondents.person_weights

    @cached_property
    def camps_(self) -> Camps:
        """Whether two camps describe the people better than one cloud."""
        with threadpool_limits(1, user_api="blas"):
            return compare_camps(self._respondents, self._fit, self.n_jobs)

    @property
    def people_table(self) -> Table:
        """How well tastes explain what each person chose."""
        chance = np.exp(self._respondents.chances / self._n_choices)[self._respondents.which]
        return Table(
            {
                "person": self.people_.tolist(),
                "tasks": self.n_tasks_,
                "root_likelihood": self.root_likelihood_,
                "by_chance": np.where(self.n_tasks_ > 0, chance, np.nan),
                "at_random": self.at_random_,
                "effective_draws": self.n_effective_,
            }
        )

    def _describe(
        self,
        respondents: Respondents,
        rows: Floats,
        scaled: Scaled | None = None,
        design: Floats | None = None,
    ) -> Described:
        """What is known of people, where values are ``rows`` times coefficients.

        ``design`` is that of the items of others.
        """
        n_distinct, tastes = respondents.n_distinct, self._fit.tastes
        if design is not None:
            tastes = replace(tastes, design=design)
        values, errors, raw = np.empty((3, n_distinct, len(rows)))
        n_effective, at_random = np.empty((2, n_distinct))
        coefficients = np.empty((n_distinct, len(tastes.mean)))
        with threadpool_limits(1, user_api="blas"):
            for some in posteriors(respondents, tastes, self.n_jobs, doubt=self._fit.doubt):
                people = some.people
                coefficients[people] = some.means
                n_effective[people], at_random[people] = some.n_effective, some.guesses
                raw[people] = some.means @ rows.T
                for person, covariance in enumerate(some.covariances, people.start):
                    spread = rows @ covariance @ rows.T
                    if scaled is None:
                        values[person] = raw[person]
                        errors[person] = np.sqrt(np.maximum(np.diag(spread), 0.0))
                    else:
                        values[person], errors[person] = scaled(raw[person], spread)
        every = (values, errors, raw, coefficients, n_effective, at_random)
        return Described(*(each[respondents.which] for each in every))

    @property
    def _n_choices(self) -> Longs:
        """How many choices each distinct person made: two of the best and the worst."""
        tasks = self._respondents.tasks
        lengths = np.diff(tasks.starts)
        choices = np.where(tasks.extremes, 2, np.minimum(tasks.n_chosen, lengths - 1))
        sums = np.append(0, np.cumsum(choices))
        return np.asarray(np.maximum(np.diff(sums[tasks.people]), 1))

    def _root_likelihoods(self, coefficients: Floats) -> Floats:
        """The geometric mean of the probabilities of what each person chose."""
        respondents, tastes = self._respondents, self._fit.tastes
        first = np.unique(respondents.which, return_index=True)[1]
        root = np.eye(respondents.n_items) if tastes.design is None else tastes.design
        values = np.empty(respondents.n_distinct)
        fill_values(respondents.tasks, np.ascontiguousarray(root), coefficients[first], values)
        roots = np.exp(values / self._n_choices)[respondents.which]
        return np.where(self.n_tasks_ > 0, roots, np.nan)

    def _people_shares(
        self, what: str, names: Sequence[Any], function: Callable[[Floats], Floats]
    ) -> PeopleShares:
        """Means and variances, by draws of each person's coefficients."""
        respondents, tastes = self._respondents, self._fit.tastes
        half = np.random.default_rng(self._seed).standard_normal((_SHARE_DRAWS, len(tastes.mean)))
        normals = np.concatenate([half, -half])
        means, variances = np.empty((2, respondents.n_distinct, len(names)))
        with threadpool_limits(1, user_api="blas"):
            for some in posteriors(respondents, tastes, self.n_jobs, doubt=self._fit.doubt):
                for number, (mean, covariance) in enumerate(
                    zip(some.means, some.covariances, strict=True), some.people.start
                ):
                    drawn = function(mean + normals @ _symmetric_root(covariance))
                    means[number], variances[number] = drawn.mean(axis=0), drawn.var(axis=0)
        which = respondents.which
        return PeopleShares(
            what, names, means[which], variances[which], self._weights, self.confidence
        )


def shares_of(utilities: Floats) -> Floats:
    """How often each item would be chosen: exp(u) over its sum, for each row."""
    worths = np.exp(utilities - utilities.max(axis=1, keepdims=True))
    return np.asarray(worths / worths.sum(axis=1, keepdims=True))


def _symmetric_root(covariance: Floats) -> Floats:
    """The symmetric square root of a covariance."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
