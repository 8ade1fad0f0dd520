"""Strengths of items, fitted: the one likelihood behind the answers."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import linalg, special

from rankcut._loops.types import Flags, Floats
from rankcut.errors import InputError, Setting, amount
from rankcut.graphs.item_graph import as_item_graph
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import colour
from rankcut.rankings import Rankings
from rankcut.results import Result, Table
from rankcut.results.words import name_some, percent
from rankcut.strengths.choices import Ties
from rankcut.strengths.designs import items
from rankcut.strengths.errors import Pulls
from rankcut.strengths.likelihood import ChoiceLikelihood
from rankcut.strengths.limits import UnbeatenLimit, drawable, in_words
from rankcut.strengths.prior import Hyperparameters
from rankcut.strengths.terms import (
    MOST_DENSE,
    ErrorKind,
    TermsFit,
    choices_to_fit,
    fit_terms,
    separated_items,
)

Prior: TypeAlias = Literal["evidence", "none"] | Hyperparameters

# Draws of the largest of many differences: its 95 % quantile is known to 1 %.
_N_LARGEST = 2000


@dataclass(frozen=True, eq=False, repr=False)
class Strengths(Result):
    """Strengths of items, and how sure they are.

    A :class:`~rankcut.results.Result` whose table ``items`` has a row for each item, the strongest
    first.

    Attributes
    ----------
    theta : ndarray of shape (n_items,)
        The strength of each item; their mean is 0. exp(θ_i − θ_j) are the odds that i is chosen
        rather than j.
    centre : ndarray of shape (n_items,)
        Strengths by a wide prior, around which intervals, errors and draws are. With few
        rankings ``theta`` is shrunk, and its errors would be too small. With an item graph the
        prior is wide along what the graph explains, and intervals hold as far as the graph does.
    log_ties : dict
        log δ_d for each size d of a tie (Davidson's model).
    covariance : ndarray of shape (n_items, n_items) or None
        The covariance of ``centre``; None for many items.
    standard_errors : ndarray of shape (n_items,)
        The error of each entry of ``centre``.
    log_likelihood : float
        The log-likelihood of the rankings, without the prior.
    prior : Hyperparameters or None
        The prior that was used; None: maximum likelihood.
    connected : ndarray of bool
        Whether wins and losses connect an item with most others. The place of any other item rests
        on the prior alone.
    n_people : int
        Number of people, or of rankings without people, that hold a choice.
    n_effective : float
        The number of people of equal weight that would say as much; of people with several
        rankings, by how unevenly they move the strengths, too.
    """

    theta: Floats
    centre: Floats
    log_ties: dict[int, float]
    covariance: Floats | None
    standard_errors: Floats
    log_likelihood: float
    prior: Hyperparameters | None
    connected: Flags
    n_people: int
    n_effective: float
    likelihood: ChoiceLikelihood | None
    parameters: Floats
    factor: Floats | None = None  #: of many items: F with FFᵀ the covariance
    #: Strengths and errors under a broad prior, for intervals of each by itself
    broad: tuple[Floats, Floats] | None = None
    limits: Sequence[UnbeatenLimit] = ()  #: of items that nobody beat, or that beat nobody
    #: What people with several rankings add to the errors of ``centre``; None: not kept
    pulls: Pulls | None = None
    #: The covariance of ``centre`` if the model is true; None: not kept
    model_covariance: Floats | None = None
    #: ``centre`` in bootstrap samples of people, a row for each; None: not asked for
    bootstraps: Floats | None = None
    items: tuple[Hashable, ...] | None = None  #: labels; None: columns are numbers

    def _order(self) -> list[int]:
        """The items, the strongest first."""
        return [int(i) for i in np.argsort(-self.theta, kind="stable")]

    def _label(self, i: int) -> str:
        return str(i if self.items is None else self.items[i])

    def sentences(self) -> list[str]:
        """Which items are strongest, from how many people, and what strengths mean."""
        order = self._order()
        first = f"{self._label(order[0])} is strongest"
        if len(order) > 1:
            chance = float(special.expit(self.theta[order[0]] - self.theta[order[1]]))
            share = percent(chance, 1.0)
            first += f"; it is chosen before {self._label(order[1])} in {share} of cases"
        sentences = [
            f"{first}.",
            f"Strengths of {amount(len(order), 'item')} from "
            f"{amount(self.n_people, 'person', 'people')}: exp(a − b) are the odds that one item "
            "is chosen rather than the other.",
        ]
        sentences += in_words(self.limits, [self._label(i) for i in range(len(order))], 0.95)
        ends = {limit.item for limit in self.limits}
        apart = [self._label(i) for i in order if not (self.connected[i] or i in ends)]
        if apart:
            sentences.append(
                f"Wins and losses do not connect {name_some(apart)} with most others: the prior "
                "alone says where they are."
            )
        return sentences

    def tables(self) -> dict[str, Table]:
        """A row for each item, the strongest first, with its 95 % interval."""
        order, limits = self._order(), self.intervals()
        columns = {
            "item": [self._label(i) for i in order],
            "strength": self.theta[order],
            "std_error": self.standard_errors[order],
            "low": limits[order, 0],
            "high": limits[order, 1],
            "worth": self.worths[order],
        }
        return {"items": Table(columns)}

    def picture(self) -> Picture:
        """Strengths and their 95 % intervals, the strongest on top."""
        order, ends = self._order(), drawable(self.intervals(), self.centre).tolist()
        dots = [Dot(float(self.theta[i]), colour(0), *ends[i]) for i in order]
        return dot_chart(
            "Strengths",
            f"{amount(self.n_people, 'person', 'people')}. Dots: strengths. Lines: 95 % intervals.",
            [Row(self._label(i), [dot]) for i, dot in zip(order, dots, strict=True)],
            "strength (log odds of being chosen; 0 = an average item)",
            reference=0.0,
        )

    @property
    def worths(self) -> Floats:
        """Exp θ, scaled to add up to 1: the chance of being chosen first from all items."""
        return np.asarray(special.softmax(self.theta))

    def beats(self) -> Floats:
        """The probability that i is chosen rather than j, if one of them is.

        It follows from the strengths: 1 / (1 + exp(θ_j − θ_i)).
        """
        return np.asarray(special.expit(self.theta[:, None] - self.theta[None, :]))

    def beats_intervals(self, confidence: float = 0.95, *, simultaneous: bool = False) -> Floats:
        """Confidence limits of :meth:`beats`: an array (n_items, n_items, 2).

        Each by itself, or with ``simultaneous`` all pairs at once.

        >>> from rankcut.rankings import read_rankings
        >>> fit = fit_strengths(read_rankings([[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2, 3]] * 9))
        >>> fit.beats_intervals()[0, 1].round(2)
        array([0.64, 0.91])
        >>> fit.beats_intervals(simultaneous=True)[0, 1].round(2)
        array([0.61, 0.92])
        """
        if self.covariance is None:
            raise InputError(
                f"{len(self.theta):,} items are too many for an interval of each pair",
                remedy="leave out those that are rarely listed",
            )
        variance = np.diag(self.covariance)
        squares = variance[:, None] + variance[None, :] - 2 * self.covariance
        errors = np.sqrt(np.maximum(squares, 0.0))
        reach = self._quantile(confidence)
        if simultaneous:
            reach = self._largest_quantile(errors, confidence)
        gaps, fitted = (each[:, None] - each[None, :] for each in (self.centre, self.theta))
        low = np.minimum(gaps - reach * errors, fitted)
        high = np.maximum(gaps + reach * errors, fitted)
        for limit in self.limits:
            # Of an item that nobody beat, nobody knows how strong it is at most.
            if limit.sign > 0:
                high[limit.item], low[:, limit.item] = np.inf, -np.inf
            else:
                high[:, limit.item], low[limit.item] = np.inf, -np.inf
            low[limit.item, limit.item] = high[limit.item, limit.item] = 0.0
        return np.asarray(special.expit(np.stack([low, high], axis=2)))

    def _largest_quantile(self, errors: Floats, confidence: float) -> float:
        """What the largest of all studentised differences rarely exceeds."""
        rng = np.random.default_rng(1)
        freedom = max(self.n_effective - 1, 1.0)
        shifts = self.draws(_N_LARGEST, seed=0) - self.centre
        shifts *= np.sqrt(freedom / rng.chisquare(freedom, _N_LARGEST))[:, None]
        inverse = np.divide(1.0, errors, out=np.zeros_like(errors), where=errors > 0)
        largest = [float((np.abs(one[:, None] - one[None, :]) * inverse).max()) for one in shifts]
        return float(np.quantile(largest, confidence))

    def intervals(self, confidence: float = 0.95) -> Floats:
        """Confidence limits of each strength, relative to the mean: an array (n_items, 2).

        An item that nobody beat has a lower limit alone, one that beat nobody an upper limit.

        >>> from rankcut.rankings import read_rankings
        >>> fit = fit_strengths(read_rankings([[1, 2, 3], [1, 3, 2]] * 20))
        >>> fit.intervals().round(1)[0]
        array([1.1, inf])
        """
        centre, errors = self.centre, self.standard_errors
        if self.broad is not None:
            centre, errors = self.broad
        margin = self._quantile(confidence) * errors
        ends = np.stack([centre - margin, centre + margin], axis=1)
        for limit in self.limits:
            bounds = [limit.at(confidence), np.inf * limit.sign]
            ends[limit.item] = bounds if limit.sign > 0 else bounds[::-1]
        return ends

    def _quantile(self, confidence: float) -> float:
        """The quantile of Student's t, with a degree of freedom for each person but one."""
        return float(special.stdtrit(max(self.n_effective - 1, 1.0), (1 + confidence) / 2))

    @property
    def freedom(self) -> float:
        """Degrees of freedom of errors that are at least those of :attr:`pulls`."""
        if self.pulls is None:
            return max(self.n_effective - 1, 0.0)
        return max(min(self.n_people - 1, self.pulls.freedom), 0.0)

    def draws(self, n_draws: int, seed: int) -> Floats:
        """Strengths as they might be: draws from their joint normal distribution."""
        rng = np.random.default_rng(seed)
        if self.covariance is None:
            assert self.factor is not None
            lots = rng.standard_normal((n_draws, self.factor.shape[1]))
            return np.asarray(self.centre + lots @ self.factor.T)
        values, vectors = linalg.eigh(self.covariance)
        # The symmetric root: the signs of the vectors, which rounding decides, do not matter.
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        return np.asarray(self.centre + rng.standard_normal((n_draws, len(root))) @ root)


def fit_strengths(
    rankings: Rankings,
    *,
    graph: Any = None,
    prior: Prior = "evidence",
    ties: Ties = "auto",
    errors: ErrorKind = "sandwich",
    n_bootstrap: int = 0,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Strengths:
    r"""The strengths θ of items by the Plackett–Luce model, for rankings of any kind.

    From the items that remain, each is chosen next with probability exp θ_i / Σ_j exp θ_j. For
    pairs this is the Bradley–Terry model.

    Parameters
    ----------
    rankings : Rankings
        What :func:`rankcut.rankings.read_rankings` returns.
    graph : ItemGraph, recipe, matrix or None
        The item graph: similar items have similar strengths, as far as the evidence goes. See
        :mod:`rankcut.strengths.prior`.
    prior : {"evidence", "none"} or Hyperparameters
        "evidence": normal, with the variance and the share of the graph that make the rankings most
        probable. "none": maximum likelihood, which exists only if wins connect all items.
    ties : {"auto", "davidson", "exact", "efron", "breslow", "half"}
        What tied items mean. "davidson": people say that they are equal; each size of a tie has a
        parameter of its own (Davidson 1970; Turner and others 2020). "exact": they have an order,
        which nobody asked for, as in best–worst tasks or coarse scales; the likelihood is summed
        over all orders. "efron" and "breslow" are quick approximations of it. "half": half a win
        for each, as on public leaderboards; in longer lists the mean over all orders. "auto" is
        "davidson", or "efron" where more than four items are tied, as in ratings, or "exact" for
        best–worst tasks that were read from a file.
    errors : {"sandwich", "information"}
        "sandwich": by how much people vary, each with all of their rankings. They are errors of
        what the fit tends to, which depends on what was shown to whom if the model is wrong.
        "information": only if the model is true.
    n_bootstrap : int
        So many bootstrap samples of people are fitted, too, for ``bootstraps``.
    seed : int
        Of these samples.
    n_jobs : int or None
        Number of threads; the result is the same for any number.

    Examples
    --------
    >>> from rankcut.rankings import read_rankings
    >>> rankings = read_rankings([[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2, 3]])
    >>> fit = fit_strengths(rankings)
    >>> fit.theta.round(2)
    array([ 1.12, -0.08, -1.04])
    >>> fit.beats().round(2)
    array([[0.5 , 0.77, 0.9 ],
           [0.23, 0.5 , 0.72],
           [0.1 , 0.28, 0.5 ]])
    """
    if graph is not None:
        graph = as_item_graph(graph).aligned(rankings.shape[1], rankings.items)
    if prior == "none" and rankings.shape[1] <= MOST_DENSE:
        choices = choices_to_fit(rankings)
        _check_connected(separated_items(choices, choices.ties_meant(ties))[1], rankings)
    fit = fit_terms(
        rankings, [items()], graph=graph, prior=prior, ties=ties, errors=errors,
        n_bootstrap=n_bootstrap, seed=seed, n_jobs=n_jobs,
    )  # fmt: skip
    return replace(strengths_of_items(fit), items=rankings.items)


def strengths_of_items(fit: TermsFit) -> Strengths:
    """Strengths of items by their own coefficients, with limits of those that nobody beat."""
    if fit.errors.draws is not None:
        theta, factor = fit.parameters, fit.errors.draws
        errors = np.sqrt((factor**2).sum(axis=1))
        return strengths_with(fit, theta=theta, centre=theta, standard_errors=errors, factor=factor)
    strengths = strengths_of(fit, fit.of_items([0], [1.0]))
    if fit.broad is None or fit.broad_covariance is None:
        return strengths
    broad = fit.broad, np.sqrt(np.maximum(np.diag(fit.broad_covariance), 0.0))
    return replace(strengths, broad=broad, limits=fit.limits)


def strengths_of(fit: TermsFit, contrasts: Floats, connected: Flags | None = None) -> Strengths:
    """Strengths of items that are contrasts of coefficients, one for each item."""
    covariance = fit.errors.covariance_of(contrasts)
    spread = None if fit.errors.draws is not None else fit.errors.root @ contrasts.T
    return strengths_with(
        fit,
        theta=contrasts @ fit.parameters,
        centre=contrasts @ fit.centre,
        covariance=(covariance + covariance.T) / 2,
        standard_errors=np.sqrt(np.maximum(np.diag(covariance), 0.0)),
        connected=fit.connected if connected is None else connected,
        pulls=None if fit.pulls is None else fit.pulls.among(contrasts),
        model_covariance=None if spread is None else spread.T @ spread,
        bootstraps=None if fit.bootstraps is None else fit.bootstraps @ contrasts.T,
    )


def strengths_with(fit: TermsFit, **of_items: Any) -> Strengths:
    """Strengths with what a fit says of all of them, unless it is given."""
    of_all: dict[str, Any] = {
        "log_ties": fit.log_ties,
        "covariance": None,
        "log_likelihood": fit.log_likelihood,
        "prior": getattr(fit.priors[0], "first", fit.priors[0]),
        "connected": fit.connected,
        "n_people": fit.n_people,
        "n_effective": fit.n_effective,
        "likelihood": fit.likelihood,
        "parameters": fit.parameters,
    }
    return Strengths(**(of_all | of_items))


def _check_connected(connected: Flags, rankings: Rankings) -> None:
    """Maximum likelihood exists only if each item beats each other one, directly or in steps."""
    apart = np.flatnonzero(~connected).tolist()
    if apart:
        named = ", ".join(repr(rankings.item(i)) for i in apart[:3])
        more = f" and {len(apart) - 3:,} more" if len(apart) > 3 else ""
        raise InputError(
            f"wins and losses do not connect {named}{more} with the other items, so that their "
            "strengths could be anything",
            remedy=["use ", Setting("prior", "evidence"), ", or leave them out"],
        )
