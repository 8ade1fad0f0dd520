"""Strengths that depend on covariates: a Cox model in which each ranking is a stratum.

The strength of item i in ranking r is η_ri = Σ_c x_rc·B_ci, with x_r0 = 1. The column B_c of a
covariate is Z_c·φ_c: Z_c has a column for each coefficient, so that each item has one of its own
(contrasts: they add up to 0), or features of items have one each.

A ranking has a score and a curvature by its own strengths. Sums over rankings of their products
with covariates are matrix products: those of scores with x_c are the gradient, those of curvatures
with x_c·x_d are the Hessian.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from scipy import linalg

from rankcut._loops.tied_choices import DAVIDSON, separate_rankings
from rankcut._loops.types import Floats, Longs, TieModel
from rankcut.errors import InputError, Setting
from rankcut.graphs.item_graph import ItemGraph
from rankcut.parameters import AT_ONCE, SIDE
from rankcut.rankings import Rankings
from rankcut.strengths.choices import TIES, Choices, Ties
from rankcut.strengths.fitting import (
    CLOSE,
    LONGEST,
    MOST_STEPS,
    TIE_PRECISION,
    TOLERANCE,
    Errors,
    choices_to_fit,
)
from rankcut.strengths.likelihood import People
from rankcut.strengths.prior import FIRST, Hyperparameters, ItemPrior
from rankcut.threads import in_order

# More coefficients than this are not fitted: their second derivatives take 128 MB.
_MOST_COEFFICIENTS = 2 * SIDE

# A direction in which the log-likelihood bends less than this, where an even choice between two
# items bends by 1/4, is one about which the rankings say nothing.
_FLAT = 1e-6


class NoMaximumError(InputError):
    """The likelihood has no maximum, or several."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column of the design, and what of the items it works on."""

    name: str  #: for messages
    values: Floats  #: of each ranking
    basis: Floats  #: Z of the module's opening
    by_item: bool  #: whether each item has a coefficient of its own: the basis is :func:`contrasts`


@dataclass(frozen=True, eq=False)
class SeparateScores:
    """Scores of rankings by the coefficients: covariates times scores by strengths."""

    covariates: Floats
    items: Floats
    ties: Floats
    values: Floats

    def added(self, weights: Any) -> Floats:
        """Σ weights·scores; with a sparse matrix of weights, a row for each of its."""
        if weights.ndim == 1:
            return np.concatenate(
                [((self.covariates * weights[:, None]).T @ self.items).ravel(), weights @ self.ties]
            )
        rows = np.unique(weights.indices)
        products = self.covariates[rows, :, None] * self.items[rows, None, :]
        own = np.hstack([products.reshape(len(rows), -1), self.ties[rows]])
        return np.asarray(weights[:, rows] @ own)


@dataclass(frozen=True, eq=False)
class SeparateLikelihood:
    """The log-likelihood of choices, each ranking with strengths of its own.

    Its parameters are B, column by column, then log δ of each size of a tie.
    """

    choices: Choices
    covariates: Floats
    ties: Ties
    n_jobs: int | None

    @cached_property
    def orders(self) -> Longs:
        """1, and the sizes of ties that have a parameter."""
        return self.choices.orders[: None if TIES[self.ties] == DAVIDSON else 1]

    def _strengths(self, parameters: Floats) -> tuple[Floats, Floats]:
        """B and log δ."""
        size = self.covariates.shape[1] * self.choices.n_items
        return parameters[:size].reshape(-1, self.choices.n_items), parameters[size:]

    def _work(
        self, parameters: Floats, part: slice, *, bent: bool
    ) -> tuple[Floats, Floats, Floats]:
        """Scores, curvatures (none if not ``bent``) and log-likelihoods of some rankings."""
        coefficients, log_delta = self._strengths(parameters)
        some = self.choices.part(part)
        n_rows, size = len(some.n_listed), self.choices.n_items + len(log_delta)
        scores, values = np.empty((n_rows, size)), np.empty(n_rows)
        curvatures = np.empty((n_rows if bent else 0, size, size))
        model = TieModel(TIES[self.ties], self.orders, np.append(0.0, log_delta))
        strengths = self.covariates[part] @ coefficients
        separate_rankings(strengths, some, model, scores, curvatures, values)
        return scores, curvatures, values

    def _map(self, work: Callable[[slice], Any]) -> Any:
        n_rows = self.choices.n_rankings
        size = self.choices.n_items + len(self.orders) - 1
        step = max(1, AT_ONCE // size**2)
        parts = [slice(a, min(a + step, n_rows)) for a in range(0, n_rows, step)]
        return in_order(work, parts, self.n_jobs)

    def scores(self, parameters: Floats) -> SeparateScores:
        """The score and log-likelihood of each ranking."""
        found = list(self._map(lambda part: self._work(parameters, part, bent=False)[::2]))
        scores, values = (np.concatenate(each) for each in zip(*found, strict=True))
        n_items = self.choices.n_items
        return SeparateScores(self.covariates, scores[:, :n_items], scores[:, n_items:], values)

    def derivatives(self, parameters: Floats) -> tuple[float, Floats, Floats]:
        """The log-likelihood, its gradient, and its second derivatives times −1."""
        n_items, n_columns = self.choices.n_items, self.covariates.shape[1]
        first, second = np.triu_indices(n_columns)

        def work(part: slice) -> tuple[float, Floats, Floats, Floats]:
            scores, curvatures, values = self._work(parameters, part, bent=True)
            x, weights = self.covariates[part], self.choices.weights[part]
            weighted = x * weights[:, None]
            bends = (weighted[:, first] * x[:, second]).T @ curvatures.reshape(len(x), -1)
            slopes = weighted.T @ scores[:, :n_items]
            return float(weights @ values), slopes, weights @ scores[:, n_items:], bends

        sums = None
        for found in self._map(work):
            sums = found if sums is None else [a + b for a, b in zip(sums, found, strict=True)]
        assert sums is not None
        value, slopes, ties, bends = sums
        n_coefficients = n_columns * n_items
        curvature = np.zeros((n_coefficients + len(ties),) * 2)
        places = [slice(c * n_items, (c + 1) * n_items) for c in range(n_columns)]
        for one, other, bend in zip(
            first, second, bends.reshape(len(first), -1, n_items + len(ties)), strict=True
        ):
            curvature[places[one], places[other]] = bend[:n_items, :n_items]
            curvature[places[other], places[one]] = bend[:n_items, :n_items]
            if one == 0:
                curvature[places[other], n_coefficients:] = bend[:n_items, n_items:]
                curvature[n_coefficients:, places[other]] = bend[n_items:, :n_items]
                if other == 0:
                    curvature[n_coefficients:, n_coefficients:] = bend[n_items:, n_items:]
        return value, np.append(slopes.ravel(), ties), curvature


@dataclass(frozen=True, eq=False)
class StrengthEffects:
    """Coefficients of strengths, and how sure they are."""

    bases: list[Floats]  #: Z of each column
    parameters: Floats  #: φ of each column in turn, then log δ of each size of a tie
    covariance: Floats
    log_ties: dict[int, float]  #: log δ of each size of a tie
    log_likelihood: float  #: of the rankings, without the prior
    priors: list[Hyperparameters | None]  #: the prior of each column; None: none
    n_people: int  #: as in :class:`rankcut.strengths.Strengths`
    n_effective: float
    #: How many people who count alike would say as much about each column; infinite if errors are
    #: not estimated from people
    n_telling: list[float]

    @property
    def places(self) -> list[slice]:
        """Where the coefficients of each column are."""
        return _places(self.bases)

    @property
    def coefficients(self) -> Floats:
        """B, of shape (n_columns, n_items)."""
        pairs = zip(self.bases, self.places, strict=True)
        return np.array([basis @ self.parameters[place] for basis, place in pairs])

    def item_covariance(self, one: int, other: int) -> Floats:
        """The covariance of two columns of B, of shape (n_items, n_items)."""
        inner = self.covariance[self.places[one], self.places[other]]
        return np.asarray(self.bases[one] @ inner @ self.bases[other].T)


def contrasts(n_items: int) -> Floats:
    """Directions of strengths that add up to 0: orthonormal columns, one fewer than items."""
    if n_items < 2:
        return np.zeros((n_items, 0))
    return np.asarray(linalg.helmert(n_items).T)


def fit_regression(
    rankings: Rankings,
    columns: Sequence[Column],
    *,
    graph: ItemGraph | None = None,
    prior: Literal["none", "evidence"] = "none",
    ties: Ties = "auto",
    errors: Errors = "sandwich",
    n_jobs: int | None = None,
) -> StrengthEffects:
    """The coefficients φ of strengths; the first column of the design is constant.

    All else is as in :func:`rankcut.strengths.fit_strengths`. The prior is of columns with a
    coefficient for each item; each has a variance and a part of the graph of its own.
    """
    if rankings.shape[1] == 1:
        # Nothing is chosen and nothing unknown.
        n_people = int((rankings.counts > 0).sum())
        bases, nothing = [column.basis[:, :0] for column in columns], np.zeros((0, 0))
        priors: list[Hyperparameters | None] = [None] * len(columns)
        telling = [float(n_people)] * len(columns)
        return StrengthEffects(
            bases, nothing.ravel(), nothing, {}, 0.0, priors, n_people, n_people, telling
        )
    choices = choices_to_fit(rankings).with_others_as_entries()
    ties = choices.ties_meant(ties)
    # Columns of size 1, so that the same steps and bounds suit all of them.
    share = choices.weights / choices.weights.sum()
    sizes = [float(np.sqrt(share @ column.values**2)) or 1.0 for column in columns]
    design = np.column_stack([own.values / size for own, size in zip(columns, sizes, strict=True)])
    likelihood = SeparateLikelihood(choices, design, ties, n_jobs)
    n_ties = len(likelihood.orders) - 1
    if design.shape[1] * choices.n_items > _MOST_COEFFICIENTS:
        raise InputError(
            f"{design.shape[1]} columns of {choices.n_items:,} items are more than "
            f"{_MOST_COEFFICIENTS:,} coefficients",
            remedy="name fewer columns, or products with features of items, or use fewer items",
        )
    lengths = [np.maximum(linalg.norm(own.basis, axis=0), TOLERANCE) for own in columns]
    bases = [own.basis / length for own, length in zip(columns, lengths, strict=True)]
    whole = linalg.block_diag(*bases, np.eye(n_ties))
    free = [c for c, column in enumerate(columns) if column.by_item]
    found = _Newton(likelihood, whole, bases, free, ItemPrior(choices.n_items, graph))
    found.run(choosing=prior == "evidence")
    if prior == "none":
        found.check_curved([column.name for column in columns], rankings)
    covariance = linalg.inv(found.curvature)
    people = People.of(choices)
    scores = likelihood.scores(whole @ found.parameters)
    n_telling = [np.inf] * len(columns)
    if errors == "sandwich":
        n_telling = _count_telling(design, choices.weights, people)
        meat = whole.T @ people.variation(scores) @ whole
        for c, own in found.chosen.items():
            # As in `fit_strengths`: the pull of the prior, from wherever it might have drawn.
            meat[found.places[c], found.places[c]] += found.precision(own)
        covariance = covariance @ meat @ covariance
    log_ties = found.parameters[found.n_coefficients :].tolist()
    scales = np.concatenate(
        [1 / (size * length) for size, length in zip(sizes, lengths, strict=True)]
        + [np.ones(n_ties)]
    )
    return StrengthEffects(
        [column.basis for column in columns],
        found.parameters * scales,
        (covariance + covariance.T) / 2 * np.outer(scales, scales),
        dict(zip(likelihood.orders[1:].tolist(), log_ties, strict=True)),
        float(choices.weights @ scores.values),
        [
            replace(found.chosen[c], scale=found.chosen[c].scale / size**2)
            if c in found.chosen
            else None
            for c, size in enumerate(sizes)
        ],
        people.n_people,
        people.n_effective,
        n_telling,
    )


def _count_telling(design: Floats, weights: Floats, people: People) -> list[float]:
    """How many people who count alike would say as much about each column: (Σ a)²/Σ a².

    A person's a is Σ w·x² over their rankings, where x is the column without what the others
    explain. These are the degrees of freedom of the sandwich (Bell and McCaffrey 2002) but for
    one: a category of three people in a thousand has errors that three people tell.
    """
    gram = (design.T * weights) @ design
    found = []
    for c, column in enumerate(design.T):
        # Columns of the same values belong to other features of items.
        same = np.abs(gram[c] - gram[c, c]) + np.abs(np.diag(gram) - gram[c, c])
        others = same > TOLERANCE * gram[c, c]
        across = linalg.lstsq(gram[np.ix_(others, others)], gram[others, c])[0]
        left = column - design[:, others] @ across
        if weights @ left**2 <= TOLERANCE * gram[c, c]:
            left = column
        own = people.members @ left**2
        squares = float(people.counts @ own**2)
        found.append(float(people.counts @ own) ** 2 / squares if squares > 0 else 0.0)
    return found


def _places(bases: Sequence[Floats]) -> list[slice]:
    """Where the coefficients of each column are."""
    ends = np.cumsum([0] + [basis.shape[1] for basis in bases]).tolist()
    return [slice(a, b) for a, b in pairwise(ends)]


class _Newton:
    """Newton's method for φ, with priors chosen by the evidence on the way."""

    def __init__(
        self,
        likelihood: SeparateLikelihood,
        whole: Floats,
        bases: Sequence[Floats],
        free: Sequence[int],
        family: ItemPrior,
    ) -> None:
        self.likelihood, self.whole, self.free, self.family = likelihood, whole, free, family
        self.places = _places(bases)
        self.n_coefficients = self.places[-1].stop
        self.contrasts = contrasts(family.n_items)
        self.chosen: dict[int, Hyperparameters] = {}
        self.parameters = np.zeros(whole.shape[1])
        self.penalty = np.diag(TIE_PRECISION * (np.arange(whole.shape[1]) >= self.n_coefficients))
        self.curvature = self.penalty

    def precision(self, chosen: Hyperparameters) -> Floats:
        """The inverse covariance of contrasts of items by a prior."""
        covariance = linalg.inv(self.family.precision(chosen))
        return np.asarray(linalg.inv(self.contrasts.T @ covariance @ self.contrasts))

    def _use(self, chosen: dict[int, Hyperparameters]) -> None:
        self.chosen = chosen
        for c, own in chosen.items():
            self.penalty[self.places[c], self.places[c]] = self.precision(own)

    def run(self, *, choosing: bool) -> None:
        """Go to the parameters with the largest posterior; without priors unless ``choosing``."""
        if choosing:
            self._use(dict.fromkeys(self.free, FIRST))
        step, reached = np.zeros_like(self.parameters), -np.inf
        for _ in range(MOST_STEPS):
            value, gradient, slopes = self.likelihood.derivatives(self.whole @ self.parameters)
            gradient, slopes = self.whole.T @ gradient, self.whole.T @ slopes @ self.whole
            value -= float(self.parameters @ self.penalty @ self.parameters) / 2
            moved = float(np.abs(step).max(initial=0.0))
            if not value >= reached - TOLERANCE * abs(reached) and moved > TOLERANCE:
                step /= 2
                self.parameters = self.parameters - step
                continue
            if choosing and moved <= CLOSE and np.isfinite(reached):
                before = self.chosen
                self._choose(gradient, slopes)
                choosing = before != self.chosen
                value = -np.inf
            self.curvature = slopes + self.penalty
            if not self.chosen and self._flattest()[0] < _FLAT:
                break
            rise = gradient - self.penalty @ self.parameters
            step = linalg.solve(self.curvature, rise, assume_a="pos") if len(rise) else rise
            moved = float(np.abs(step).max(initial=0.0))
            if moved <= TOLERANCE and not choosing:
                break
            step *= min(1.0, LONGEST / moved) if moved > 0 else 1.0
            reached = value
            self.parameters = self.parameters + step

    def _choose(self, gradient: Floats, slopes: Floats) -> None:
        """Use the best prior of each column, the others integrated out, one after the other."""
        target = slopes @ self.parameters + gradient
        for c in self.free:
            own = np.zeros(len(target), dtype=bool)
            own[self.places[c]] = True
            across = slopes[np.ix_(own, ~own)]
            follow = np.zeros((own.sum(), own.sum() + 1))
            if not own.all():
                around = (slopes + self.penalty)[np.ix_(~own, ~own)]
                sides = np.column_stack([target[~own], across.T])
                follow = across @ linalg.solve(around, sides, assume_a="pos")
            rise = self.contrasts @ (target[own] - follow[:, 0])
            bend = self.contrasts @ (slopes[np.ix_(own, own)] - follow[:, 1:]) @ self.contrasts.T
            self._use(self.chosen | {c: self.family.choose(np.zeros(len(rise)), rise, bend)})

    def _flattest(self) -> tuple[float, Floats]:
        """The smallest curvature of coefficients, and its direction."""
        if not self.n_coefficients:
            return np.inf, np.zeros(0)
        own = slice(self.n_coefficients)
        values, vectors = linalg.eigh(self.curvature[own, own], subset_by_index=[0, 0])
        return float(values[0]), vectors[:, 0]

    def _repeated(self) -> int | None:
        """The last column that the others explain, on the same items; None if there is none."""
        design, weights = self.likelihood.covariates, self.likelihood.choices.weights
        gram = (design.T * weights) @ design / weights.sum()
        bases = self.whole[: design.shape[1] * self.family.n_items, : self.n_coefficients]
        whole = bases.T @ np.kron(gram, np.eye(self.family.n_items)) @ bases
        values, vectors = linalg.eigh(whole, subset_by_index=[0, 0])
        if values[0] > TOLERANCE:
            return None
        moved = [float(np.abs(vectors[place]).max()) for place in self.places]
        return max(c for c, size in enumerate(moved) if size > max(moved) / 2)

    def check_curved(self, names: Sequence[str], rankings: Rankings) -> None:
        """Refuse if the likelihood has no maximum, and name the coefficient that runs away."""
        bend, way = self._flattest()
        if bend >= _FLAT:
            return
        if (repeated := self._repeated()) is not None:
            raise NoMaximumError(
                f"column {names[repeated]!r} says nothing that the others do not say",
                remedy=["leave it out, or use ", Setting("prior", "evidence")],
            )
        moved = np.abs(self.whole[:, : self.n_coefficients] @ way)
        column, item = divmod(int(moved.argmax()), rankings.shape[1])
        of_what = f"the effect of {names[column]!r} on" if column else "the strength of"
        raise NoMaximumError(
            f"{of_what} {rankings.item(item)!r} could be anything: the rankings do not say, or "
            "some people all agree on it",
            remedy=["use ", Setting("prior", "evidence"), ", or leave it out"],
        )
