"""Strengths over time: each item's strength walks at random from period to period.

The model is :func:`rankcut.strengths.terms.fit_terms` with the strengths of items over time
(:mod:`rankcut.strengths.chains`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from rankcut._loops.types import Flags, Floats
from rankcut.errors import InputError
from rankcut.graphs.item_graph import as_item_graph
from rankcut.rankings import Rankings
from rankcut.results import Table
from rankcut.strengths.chains import LEAST_DRIFT, ChainHyperparameters
from rankcut.strengths.choices import Ties
from rankcut.strengths.designs import Term, over
from rankcut.strengths.fitting import Strengths, strengths_with
from rankcut.strengths.periods import UNITS, Period, Periods
from rankcut.strengths.terms import ErrorKind, TermsFit, fit_terms


@dataclass(frozen=True, eq=False)
class StrengthsOverTime:
    """Strengths of items in each period, and how sure they are.

    Attributes
    ----------
    periods : tuple
        Labels of the periods in which anybody ranked.
    theta : ndarray of shape (n_items, n_periods)
        Strengths, about the mean of all items in each period. Before an item is first seen, and
        after it is last seen, it has the strength of that period.
    standard_errors : ndarray of shape (n_items, n_periods)
        Errors of ``theta``; they grow where an item is not seen.
    seen : ndarray of bool, of shape (n_items, n_periods)
        Whether an item was at choice.
    prior : ChainHyperparameters
        How far items differ at first, and how far they move in a period.
    log_likelihood, evidence : float
        How likely the rankings are; the second counts how flexible the model is (Laplace), up to a
        constant that is the same for all priors.
    """

    periods: tuple[Any, ...]
    times: Floats  #: when these are, in units of a period
    unit: str  #: what a period is
    theta: Floats
    standard_errors: Floats
    seen: Flags
    prior: ChainHyperparameters
    log_likelihood: float
    evidence: float
    n_people: int
    n_effective: float
    fit: TermsFit  #: all coefficients: of the random walks, and of other terms

    def at(self, period: int = -1) -> Strengths:
        """Strengths in a period, by its number; −1 is the last.

        They are a :class:`rankcut.strengths.Strengths`, as of a fit without time.
        """
        number = range(len(self.periods))[period]
        theta, covariance = self.fit.in_period(number)
        return strengths_with(
            self.fit,
            theta=theta,
            centre=theta,
            covariance=covariance,
            model_covariance=covariance,
            standard_errors=self.standard_errors[:, number],
            likelihood=None,
            parameters=theta,
        )

    def table(self, labels: Sequence[Any], confidence: float = 0.95) -> Table:
        """A row for each item and period."""
        reach = special.ndtri((1 + confidence) / 2) * self.standard_errors
        columns = {
            "period": [label for label in self.periods for _ in labels],
            "item": list(labels) * len(self.periods),
            "strength": self.theta.T.ravel(),
            "std_error": self.standard_errors.T.ravel(),
            "low": (self.theta - reach).T.ravel(),
            "high": (self.theta + reach).T.ravel(),
            "seen": self.seen.T.ravel(),
        }
        return Table(columns)

    def in_words(self) -> str:
        """How far strengths move."""
        if self.prior.drift <= LEAST_DRIFT:
            return "Strengths do not move in time, as far as the rankings say."
        step = math.sqrt(self.prior.drift)
        per = self.unit if self.unit in UNITS else f"period of {self.unit}"
        return f"From one {per} to the next a strength moves by {step:.2g} (standard deviation)."


def fit_over_time(
    rankings: Rankings,
    when: Any,
    *,
    period: Period = None,
    beside: Sequence[Term] = (),
    graph: Any = None,
    ties: Ties = "auto",
    errors: ErrorKind = "sandwich",
    n_jobs: int | None = None,
) -> StrengthsOverTime:
    """Strengths of items in each period, by a random walk whose drift the evidence chooses.

    Parameters
    ----------
    rankings : Rankings
        What :func:`rankcut.rankings.read_rankings` returns.
    when : array, series or sequence
        The date of each ranking, or a number; or :class:`~rankcut.strengths.periods.Periods`.
    period : {"day", "week", "month", "quarter", "year"}, float or None
        How long a period is; None: the shortest unit that leaves at most 60 periods.
    beside : sequence of Term
        Other terms, such as features of what was shown.
    graph : ItemGraph, recipe, matrix or None
        The item graph: similar items are similar at first, as far as the evidence goes.
    ties, errors, n_jobs
        As in :func:`rankcut.strengths.fit_strengths`.

    Examples
    --------
    >>> from rankcut.rankings import read_rankings
    >>> ranks = [[1, 2], [1, 2], [1, 2], [2, 1]] * 10 + [[2, 1], [2, 1], [2, 1], [1, 2]] * 10
    >>> fit = fit_over_time(read_rankings(ranks), [2023] * 40 + [2024] * 40)
    >>> fit.periods, fit.theta.round(1)
    ((2023, 2024), array([[ 0.5, -0.5],
           [-0.5,  0.5]]))
    """
    periods = when if isinstance(when, Periods) else Periods.of(when, period)
    n_rankings, n_items = rankings.shape
    if len(periods.codes) != n_rankings:
        raise InputError(
            f"has {len(periods.codes):,} dates for {n_rankings:,} rankings", parameter="over"
        )
    if graph is not None:
        graph = as_item_graph(graph).aligned(n_items, rankings.items)
    terms = [over("strength", periods), *beside]
    fit = fit_terms(
        rankings, terms, graph=graph, prior="evidence", ties=ties, errors=errors, n_jobs=n_jobs
    )
    return over_periods(fit, periods)


def over_periods(fit: TermsFit, periods: Periods) -> StrengthsOverTime:
    """Strengths in each period, by a fit whose first term is over time."""
    assert fit.walk is not None
    assert fit.likelihood is not None
    assert fit.likelihood.design is not None
    theta, errors = np.empty((2, fit.n_items, len(periods)))
    for number in range(len(periods)):
        theta[:, number], covariance = fit.in_period(number)
        errors[:, number] = np.sqrt(np.diag(covariance))
    seen = np.zeros(theta.shape, dtype=bool)
    n_entries = np.bincount(fit.likelihood.design.indices, minlength=len(fit.walk.cells))
    seen.ravel()[fit.walk.cells] = n_entries[: len(fit.walk.cells)] > 0
    return StrengthsOverTime(
        periods=periods.labels,
        times=periods.times,
        unit=periods.unit,
        theta=theta,
        standard_errors=errors,
        seen=seen,
        prior=fit.priors[0],
        log_likelihood=fit.log_likelihood,
        evidence=fit.evidence,
        n_people=fit.n_people,
        n_effective=fit.n_effective,
        fit=fit,
    )
