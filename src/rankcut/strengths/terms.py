"""Coefficients φ of any terms: the fit, how sure it is, and what contrasts of coefficients say.

How it is solved depends on size alone. Up to some thousand coefficients their second derivatives
are a matrix, and so is their covariance. Of more coefficients, such as those of 500 players in 60
months, matrices are sparse, and the covariance is that of draws: what people's scores and the prior
might have been, through Newton's step.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from scipy import linalg
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.errors import InputError, Setting
from rankcut.graphs.item_graph import ItemGraph
from rankcut.parameters import AT_ONCE, MOST_HELD, SIDE
from rankcut.rankings import Rankings
from rankcut.sample import Sample
from rankcut.saved_arrays import Saved
from rankcut.strengths.bootstrap import bootstrap
from rankcut.strengths.chains import ChainPrior
from rankcut.strengths.choices import Choices, Ties
from rankcut.strengths.designs import NoMaximumError, Term, TermDesign
from rankcut.strengths.errors import Errors, Pulls, WaldTest, people_pull, people_who_count
from rankcut.strengths.likelihood import ChoiceLikelihood, Slope, information_of
from rankcut.strengths.limits import UnbeatenLimit, find_limits, unbeaten
from rankcut.strengths.maximising import (
    FLAT,
    DensePrior,
    Derivatives,
    Maximum,
    TermPrior,
    flattest,
    maximise,
)
from rankcut.strengths.prior import ContextPrior, Hyperparameters, ItemPrior
from rankcut.strengths.sparse import ManyItemsPrior, SparsePrior

ErrorKind: TypeAlias = Literal["sandwich", "information"]

# With more items than this, second derivatives are not a matrix: it would take 32 MB for each part
# of a sum.
MOST_DENSE = SIDE

# Of more coefficients second derivatives are sparse: they would take 128 MB. Over time they are
# sparse from fewer on, since each is linked with a few others alone.
MOST_COEFFICIENTS, _MOST_IN_TIME = 2 * SIDE, SIDE // 4

# People have information of their own, for errors of few people, while it has this many numbers.
_MOST_INFORMATION = AT_ONCE // 4

# Draws of many coefficients: errors are known to some 5 %.
_N_SCORE_DRAWS = 200

# Errors are of strengths under this prior, or a wider one: odds of exp(2) to 1 are nothing special.
# benchmarks/strengths/strengths_coverage.py shows that they hold.
WIDE = Hyperparameters(4.0)

# Intervals of single strengths are under this one, or a wider one: odds of exp(6) to 1 do occur.
# Differences would be called clear less often under it, and no more rightly.
_BROAD = Hyperparameters(16.0)

# Where a strength hangs on this many choices that were open, half of what the sandwich falls short
# of the model's variance is added.
_OPEN_CHOICES = 5.0


@dataclass(frozen=True, eq=False)
class TermsFit:
    """Coefficients of terms, and how sure they are.

    Attributes
    ----------
    parameters : ndarray
        φ of each term in turn, then log δ of each size of a tie.
    centre : ndarray
        φ by a wide prior, around which errors are: other than ``parameters`` only where
        the evidence pulls strengths of items to each other more than :data:`WIDE`; of an item
        graph, along what it explains.
    places : list of slices
        Where the coefficients of each term are.
    priors : list
        The hyperparameters of each term; None: no prior.
    sizes : ndarray
        How far each column differs within a choice, or between rankings.
    errors : Errors
        The errors of ``centre``.
    evidence : float
        Log-probability of the rankings under the prior, by Laplace, up to a constant that is the
        same for all priors and terms with one.
    connected : ndarray of bool
        Whether wins and losses connect an item with most others.
    """

    n_items: int
    kinds: list[str]
    names: list[str]
    parameters: Annotated[Floats, Saved("parameters")]
    centre: Annotated[Floats, Saved("parameters")]
    places: list[slice]
    labels: list[tuple[Any, ...]]
    priors: list[Any]
    sizes: Annotated[Floats, Saved("columns")]
    errors: Errors
    log_ties: dict[int, float]
    log_likelihood: float
    evidence: float
    connected: Annotated[Flags, Saved("items", dtype=bool)]
    n_people: int
    n_effective: float
    n_free: int  #: number of free parameters
    #: Strengths and their covariance under a broad prior, for intervals of each by itself
    broad: Annotated[Floats | None, Saved("items")]
    broad_covariance: Annotated[Floats | None, Saved("items", "items")]
    limits: Sequence[UnbeatenLimit]  #: of items that nobody beat, or that beat nobody
    walk: ChainPrior | None  #: of items over time
    likelihood: ChoiceLikelihood | None = field(repr=False)  #: None: not kept
    #: What people with several rankings add to the errors of ``parameters``; None: not kept
    pulls: Pulls | None = field(repr=False, default=None)
    #: ``centre`` in bootstrap samples of people, a row for each; None: not asked for
    bootstraps: Floats | None = field(repr=False, default=None)

    @property
    def covariance(self) -> Floats:
        """The covariance of ``centre``."""
        return self.errors.covariance

    def centred(self, contrasts: Floats) -> Floats:
        """Contrasts of coefficients about the mean of items."""
        contrasts = contrasts.copy()
        for kind, place in zip(self.kinds, self.places, strict=True):
            if kind not in ("feature", "over"):
                by_item = contrasts[:, place].reshape(len(contrasts), -1, self.n_items)
                by_item -= by_item.mean(axis=2, keepdims=True)
        return contrasts

    def wald(self, contrasts: Floats) -> WaldTest:
        """Test that some contrasts are 0."""
        contrasts = self.centred(np.atleast_2d(contrasts))
        return self.errors.wald(contrasts, self.centre)

    def test(self, numbers: Sequence[int]) -> WaldTest:
        """Test that all coefficients of some terms are 0, by their numbers."""
        places = [np.arange(self.places[k].start, self.places[k].stop) for k in numbers]
        rows = np.concatenate([np.empty(0, dtype=np.int64), *places])
        contrasts = np.zeros((len(rows), len(self.parameters)))
        contrasts[np.arange(len(rows)), rows] = 1.0
        return self.wald(contrasts)

    def estimates(self, contrasts: Floats) -> tuple[Floats, Floats, Floats]:
        """Values of contrasts, their errors and degrees of freedom."""
        contrasts = self.centred(np.atleast_2d(contrasts))
        variances = self.errors.variances(contrasts)
        return contrasts @ self.centre, np.sqrt(variances), self.errors.freedoms(contrasts)

    def of_items(self, numbers: Sequence[int], shares: Sequence[float]) -> Floats:
        """Contrasts for each item: the sum of what some terms by item say, times some numbers."""
        contrasts = np.zeros((self.n_items, len(self.parameters)))
        for number, share in zip(numbers, shares, strict=True):
            contrasts[:, self.places[number]] = share * np.eye(self.n_items)
        return self.centred(contrasts)

    def in_context(self, number: int, context: int) -> Floats:
        """Contrasts for each item: its strength in a context."""
        return self.of_items([0], [1.0]) + self.of_context(number, context)

    def of_context(self, number: int, context: int) -> Floats:
        """Contrasts for each item: what a context adds to its strength."""
        contrasts = np.zeros((self.n_items, len(self.parameters)))
        first = self.places[number].start + context * self.n_items
        contrasts[:, first : first + self.n_items] = np.eye(self.n_items)
        return self.centred(contrasts)

    def in_period(self, period: int) -> tuple[Floats, Floats]:
        """Strengths of items in a period, by its number, and their covariance."""
        assert self.walk is not None
        weights, variance = self.walk.between(period, self.priors[0].drift)
        place = self.places[0]
        theta = weights @ self.centre[place]
        spread = weights @ self.errors.factor[place]
        spread -= spread.mean(axis=0)
        level = np.eye(self.n_items) - 1.0 / self.n_items
        covariance = spread @ spread.T + (level * variance) @ level
        return theta - theta.mean(), covariance

    def of_period(self, period: int) -> tuple[Floats, Floats]:
        """Contrasts for each item, its strength in a period, and the covariance beside theirs."""
        assert self.walk is not None
        weights, variance = self.walk.between(period, self.priors[0].drift)
        contrasts = np.zeros((self.n_items, len(self.parameters)))
        contrasts[:, self.places[0]] = weights.toarray()
        level = np.eye(self.n_items) - 1.0 / self.n_items
        return contrasts - contrasts.mean(axis=0), (level * variance) @ level


def fit_terms(
    rankings: Rankings,
    terms: Sequence[Term],
    *,
    graph: ItemGraph | None = None,
    prior: Literal["none", "evidence"] | Hyperparameters = "none",
    ties: Ties = "auto",
    errors: ErrorKind = "sandwich",
    n_bootstrap: int = 0,
    seed: int = 0,
    n_jobs: int | None = None,
) -> TermsFit:
    """The coefficients φ of strengths; all else is as in :func:`rankcut.strengths.fit_strengths`.

    ``prior`` is that of items and of covariates; contexts and random walks have theirs by the
    evidence in any case.
    """
    n_items = rankings.shape[1]
    choices = choices_to_fit(rankings)
    ties = choices.ties_meant(ties)
    signs, connected = separated_items(choices, ties)
    in_time = any(term.kind == "over" for term in terms)
    if in_time:
        choices = choices.with_others_as_entries()
    terms = [term.placed(choices) for term in terms]
    n_columns = sum(term.n_columns(n_items) for term in terms)
    many_items = n_items > MOST_DENSE and [term.kind for term in terms] == ["items"]
    is_sparse = many_items or n_columns > (_MOST_IN_TIME if in_time else MOST_COEFFICIENTS)
    if is_sparse:
        _check_room(terms, choices, n_columns, prior)
    design = TermDesign.of(choices, terms, ties, n_jobs)
    likelihood, places, sizes = design.likelihood, design.places, design.sizes
    sample = people_behind(rankings, choices, design.which)
    blocks = [
        term_prior(term, place, n_items, graph, prior)
        for term, place in zip(terms, places, strict=True)
    ]
    start = np.zeros(likelihood.n_parameters)
    choosing = any(b.family is not None and b.chosen is None for b in blocks)
    size = likelihood.n_parameters
    priors: DensePrior | SparsePrior
    derivatives: Derivatives = likelihood.derivatives
    if many_items:
        derivatives, priors = likelihood.slope, ManyItemsPrior(blocks, size, choosing)
    elif is_sparse:
        derivatives, priors = likelihood.sparse_derivatives, SparsePrior(blocks, size, choosing)
    else:
        flat = any(b.family is None for b in blocks)
        priors = DensePrior(blocks, size, choosing, stops_where_flat=flat)
    try:
        at = maximise(derivatives, priors, start)
    except linalg.LinAlgError:
        features = [repr(term.name) for term in terms if term.kind == "feature"]
        if features:
            raise NoMaximumError(
                f"the effect of {' or '.join(features)} could be anything: it tells nearly all "
                "choices apart, or says what others say",
                remedy="leave it out",
            ) from None
        raise InputError(
            "strengths are lost to rounding: counts are too large, or too uneven",
            remedy="divide all counts by the same number, or leave rare items out",
        ) from None
    if isinstance(priors, DensePrior) and priors.stops_where_flat:
        _check_curved(likelihood, priors, at, terms, rankings)
    centre, wide = at, priors
    narrow = blocks[0].chosen if terms and terms[0].kind == "items" else None
    chosen_wide = _widened(narrow) if prior == "evidence" and narrow else None
    if chosen_wide and isinstance(priors, DensePrior):
        around = [replace(blocks[0], chosen=chosen_wide), *blocks[1:]]
        wide = DensePrior(around, likelihood.n_parameters)
        centre = maximise(derivatives, wide, at.parameters)
    scales = np.append(1.0 / sizes, np.ones(likelihood.n_parameters - n_columns))
    pulls, bootstraps = None, None
    if isinstance(wide, DensePrior):
        fitted_errors, pulls = _errors(likelihood, wide, centre, sample, scales, errors)
        if n_bootstrap:
            maxima = bootstrap(likelihood, wide, centre, sample, n_bootstrap, seed)
            bootstraps = maxima * scales
    elif n_bootstrap:
        raise InputError(
            f"{n_columns:,} coefficients are too many for bootstrap samples",
            parameter="n_bootstrap",
            remedy="leave it out",
        )
    else:
        fitted_errors = _drawn_errors(likelihood, wide, centre, sample, scales, errors)
    log_deltas = at.parameters[n_columns:].tolist()
    fit = TermsFit(
        n_items=n_items,
        kinds=[term.kind for term in terms],
        names=[term.name for term in terms],
        parameters=at.parameters * scales,
        centre=centre.parameters * scales,
        places=places,
        labels=[term.labels for term in terms],
        priors=[_rescaled(block.chosen, sizes[block.place]) for block in blocks],
        sizes=sizes,
        errors=fitted_errors,
        log_ties=dict(zip(likelihood.orders[1:].tolist(), log_deltas, strict=True)),
        log_likelihood=at.value,
        evidence=at.value + _evidence(priors, at),
        connected=connected,
        n_people=sample.n_people,
        n_effective=min(sample.n_effective, fitted_errors.n_people),
        n_free=likelihood.n_parameters - sum(t.kind in ("items", "covariate") for t in terms),
        broad=None,
        broad_covariance=None,
        limits=(),
        walk=next((b.family for b in blocks if isinstance(b.family, ChainPrior)), None),
        likelihood=likelihood,
        pulls=pulls,
        bootstraps=bootstraps,
    )
    fit = replace(
        fit,
        parameters=fit.centred(fit.parameters[None])[0],
        centre=fit.centred(fit.centre[None])[0],
        errors=fitted_errors.centred(fit.centred),
    )
    if is_sparse or fit.kinds[:1] != ["items"]:
        return fit
    assert isinstance(priors, DensePrior)
    first, broad, broad_errors = fit.places[0], centre, fitted_errors
    if prior == "evidence" and narrow:
        wider = Hyperparameters(max(narrow.scale, _BROAD.scale))
        broadened = DensePrior([replace(blocks[0], chosen=wider), *blocks[1:]], len(start))
        broad = maximise(derivatives, broadened, centre.parameters)
        broad_errors, _ = _errors(likelihood, broadened, broad, sample, scales, errors, raised=True)
    strengths = broad.parameters[first] - broad.parameters[first].mean()
    covariance = broad_errors.centred(fit.centred).covariance[first, first]
    limits = find_limits(likelihood, broad.parameters, signs, strengths, covariance, sample)
    if narrow and narrow.share:
        # A graph that is wrong about an item pulls it from where its own rankings put it. The
        # square of that pull counts as variance, as far as it is larger than chance makes it.
        along = fit.covariance[first, first]
        by_chance = np.maximum(np.diag(covariance) - np.diag(along), 0.0)
        pull = (fit.centre[first] - strengths) ** 2
        strengths = fit.centre[first]
        covariance = along + np.diag(np.maximum(pull - by_chance, 0.0))
    return replace(fit, broad=strengths, broad_covariance=covariance, limits=limits)


def _widened(chosen: Hyperparameters) -> Hyperparameters | None:
    """The prior around which errors are; None: it is as wide as that already.

    Of the variance that an item graph explains, :data:`WIDE` or more; of the rest, what the
    evidence says: how far an item may be from what the graph says of it.
    """
    explained = chosen.scale * chosen.share
    if (explained if chosen.share else chosen.scale) >= WIDE.scale:
        return None
    if not chosen.share:
        return WIDE
    scale = WIDE.scale + chosen.scale - explained
    return replace(chosen, scale=scale, share=WIDE.scale / scale)


def _check_room(
    terms: Sequence[Term],
    choices: Choices,
    n_columns: int,
    prior: Literal["none", "evidence"] | Any,
) -> None:
    """Refuse what no matrix would hold, and what has no prior to hold it."""
    by_item = [term for term in terms if term.kind in ("items", "covariate")]
    if len(terms) == 1 and terms[0].kind == "items":
        if prior == "none":
            raise InputError(
                f"strengths of more than {MOST_DENSE:,} items need a prior; there are "
                f"{n_columns:,} items",
                remedy=["use ", Setting("prior", "evidence")],
            )
        if choices.tied:
            raise InputError(
                f"ties among {n_columns:,} items are too many for strengths",
                remedy=["use ", Setting("method", "borda"), ", or leave rare items out"],
            )
        return
    if by_item and prior == "none":
        raise InputError(
            f"{len(terms)} terms of {choices.n_items:,} items have {n_columns:,} coefficients, and "
            f"more than {MOST_COEFFICIENTS:,} need a prior",
            remedy=["use ", Setting("prior", "evidence"), ", or name fewer columns"],
        )
    entries = float((np.diff(choices.starts).astype(np.float64) ** 2).sum())
    if entries > MOST_HELD // 8:
        raise InputError(
            f"{choices.n_rankings:,} rankings are too long for {n_columns:,} coefficients",
            remedy="use longer periods, fewer contexts, or fewer items",
        )


def choices_to_fit(rankings: Rankings) -> Choices:
    """The choices of rankings, of which at least one compares items; weights have the mean 1.

    A single item has nothing to be compared with, and the strength 0.
    """
    choices = Choices.of(rankings)
    if choices.n_items < 2:
        return choices
    if not choices.informative.any():
        raise InputError(
            "no ranking compares two items, so there are no strengths to find",
            remedy=["check the ranks, or what ", Setting("unranked"), " says about them"],
        )
    if not choices.counted:
        # Weights that are no counts say who counts more than whom, not how many people there are.
        informative = choices.informative
        weights = choices.weights / choices.weights[informative].max()
        choices = replace(choices, weights=weights * informative.sum() / weights[informative].sum())
    return choices


def people_behind(rankings: Rankings, choices: Choices, which: Longs) -> Sample:
    """The people whose rankings hold a choice; ``which`` has the different ranking of each row."""
    compares = choices.informative
    if compares.any():
        rankings = rankings.with_weights(np.where(compares, rankings.counts, 0.0))
    return Sample.numbered(rankings, which)


def separated_items(choices: Choices, ties: Ties) -> tuple[Longs, Flags]:
    """Which items nobody beat (1) or beat nobody (−1), and which most others are connected with.

    Of many items, the second are those that sometimes win and sometimes lose.
    """
    if choices.n_items > MOST_DENSE:
        return np.zeros(choices.n_items, dtype=np.int64), choices.chosen_and_passed()
    wins = choices.wins(ties_join=ties != "exact")
    _, label = connected_components(csr_array(wins), directed=True, connection="strong")
    connected = np.asarray(label == np.bincount(label).argmax())
    return unbeaten(wins), connected


def term_prior(
    term: Term,
    place: slice,
    n_items: int,
    graph: ItemGraph | None,
    prior: Literal["none", "evidence"] | Hyperparameters,
) -> TermPrior:
    """The prior of a term."""
    family = ItemPrior(n_items, graph)
    if term.kind == "contexts":
        return TermPrior(place, ContextPrior(family, ItemPrior(len(term.labels), term.graph)))
    if term.kind == "over":
        assert term.cells is not None
        assert term.times is not None
        return TermPrior(place, ChainPrior(family, term.cells, term.times))
    if term.kind == "feature":
        return TermPrior(place)
    if prior == "none":
        return TermPrior(place, level=True)
    fixed = prior if isinstance(prior, Hyperparameters) else None
    return TermPrior(place, family, fixed, level=True)


def _rescaled(settings: Any, sizes: Floats) -> Any:
    """Hyperparameters of coefficients of columns as they are."""
    if isinstance(settings, Hyperparameters):
        return replace(settings, scale=settings.scale / float(sizes[0]) ** 2)
    return settings


def _evidence(priors: DensePrior | SparsePrior, at: Maximum) -> float:
    """What Laplace's evidence adds to the log-likelihood: how flexible the model is."""
    target = at.curvature @ at.parameters + at.gradient
    value = priors.log_evidence(target, at.curvature) - float(target @ at.parameters) / 2
    value -= float(at.parameters @ priors.pull(at.parameters)) / 2
    return float(value + priors.log_determinant() / 2)


def _errors(
    likelihood: ChoiceLikelihood,
    prior: DensePrior,
    at: Maximum,
    sample: Sample,
    scales: Floats,
    kind: ErrorKind,
    *,
    raised: bool = False,
) -> tuple[Errors, Pulls | None]:
    """Errors of coefficients in their own units, and what people with several rankings add."""
    system = prior.system(at.curvature)
    try:
        factor = linalg.cholesky(system, lower=True)
    except linalg.LinAlgError:
        raise NoMaximumError(
            "the likelihood is flat at its maximum: too little is said about some coefficients",
            remedy="leave out a feature, covariate or context, or give more rankings",
        ) from None
    root = linalg.solve_triangular(factor, np.eye(len(system)), lower=True)
    inverse = root.T @ root
    units = np.outer(scales, scales)
    if kind == "information":
        counts = sample.counts.astype(np.float64)
        return Errors(inverse * units, root * scales, None, counts, np.inf), None
    scores = likelihood.scores(at.parameters)
    pulled = any(block.chosen is not None for block in prior.blocks)
    weight = float(likelihood.choices.weights.sum())
    # The likelihood's weights have the mean 1; those of the sample have the maximum 1.
    size = weight / sample.total if weight else 1.0
    members = sample.membership * size
    counts = sample.counts.astype(np.float64)
    n_people, n_units = sample.n_effective, len(counts)
    several = sample.n_people < weight
    first = prior.blocks[0].place if prior.blocks else slice(0)
    held = n_units * len(system) <= AT_ONCE
    of_people = scores.added(members) if held else np.empty((0, len(system)))
    if several and held:
        # People with several rankings: those who have many, and differ, decide more of the error.
        moves = of_people @ inverse[:, first]
        moves -= moves.mean(axis=1, keepdims=True)
        n_people = max(1.0, min(n_people, people_who_count(moves, counts)))
    # As many people as there is room for, those with most rankings first.
    number = min(n_units, _MOST_INFORMATION // system.size)
    most = np.sort(np.argsort(-np.asarray(members.sum(axis=1)).ravel(), kind="stable")[:number])
    everyone = held and number == n_units
    information, pulls, correction = None, None, np.zeros_like(system)
    if number and (several or everyone):
        information = information_of(likelihood, members[most], at.parameters)
    if several and information is not None:
        uncorrected = of_people[most] if held else scores.added(members[most])
        pulls, corrected = people_pull(
            root, uncorrected, information, counts[most], at.curvature, first
        )
        pulls = pulls.among(np.diag(scales))
        corrected = linalg.solve(root, corrected.T).T
        correction = (corrected * counts[most, None]).T @ corrected
        correction -= (uncorrected * counts[most, None]).T @ uncorrected
    if everyone and information is not None:
        if not pulled:
            fit = Errors.from_people(root, of_people, information, counts)
            rescaled = replace(fit, covariance=fit.covariance * units, root=root * scales)
            return replace(rescaled, n_people=n_people), pulls
        information = np.einsum("ij,gjk,lk->gil", root, information, root, optimize=True)
    else:
        information = None
    # Coefficients are pulled to those of the prior, from wherever it might have drawn.
    penalty = np.zeros_like(system)
    for block in prior.blocks:
        if block.chosen is not None:
            penalty[block.place, block.place] = prior.precision[block.place, block.place]
    variation = sample.variation(of_people) if held else size**2 * scores.variation(sample)
    if pulls is not None:
        # Corrected scores need no further correction for the number of people.
        variation = variation * ((sample.n_people - 1) / sample.n_people) + correction
    if raised:
        share = min(1.0, sample.n_people / weight) if weight else 1.0
        covariance = _raised(root, variation + penalty, at.curvature * share)
    else:
        # Scores of few rankings hardly vary, or not at all if they agree: then the model says how
        # much they might.
        few = min(1.0, (likelihood.choices.n_items - 1) / max(weight, 1.0)) if pulled else 0.0
        covariance = inverse @ (variation + few * at.curvature + penalty) @ inverse
    return Errors(covariance * units, root * scales, information, counts, n_people), pulls


def _raised(root: Floats, meat: Floats, information: Floats) -> Floats:
    """The sandwich, in directions of little information as wide as the model says, if not wider.

    Scores of a few rankings that agree hardly vary, or not at all: what has not happened yet is not
    known to be impossible. Of a direction with information h the share 1 / (1 + h/h₀) of what its
    variance falls short of the model's is added; h is about the number of choices that were open.
    """
    values, vectors = linalg.eigh(root @ meat @ root.T)
    moves = root.T @ vectors
    size = np.maximum(np.abs(moves).max(axis=0, initial=0.0), np.finfo(np.float64).tiny)
    n_choices = ((information @ moves) * moves).sum(axis=0) / size**2
    values = values + np.maximum(1.0 - values, 0.0) / (1.0 + n_choices / _OPEN_CHOICES)
    return np.asarray((moves * values) @ moves.T)


def _drawn_errors(
    likelihood: ChoiceLikelihood,
    prior: SparsePrior,
    at: Maximum,
    sample: Sample,
    scales: Floats,
    kind: ErrorKind,
) -> Errors:
    """Errors of many coefficients, by draws of what the score and the prior might have been."""
    rng = np.random.default_rng(0)
    counts = sample.counts.astype(np.float64)
    if kind == "information":
        n_people = np.inf
        if isinstance(at.curvature, Slope):
            lots = rng.standard_normal((len(at.parameters), _N_SCORE_DRAWS))
            noise = np.sqrt(np.maximum(at.curvature.diagonal, 0.0))[:, None] * lots
        else:
            noise = likelihood.score_draws(at.parameters, _N_SCORE_DRAWS, rng)
    else:
        scores = likelihood.scores(at.parameters)
        size = float(likelihood.choices.weights.sum()) / sample.total
        n_people = sample.n_effective
        parts = []
        step = max(1, AT_ONCE // max(len(at.parameters), len(counts)))
        for start in range(0, _N_SCORE_DRAWS, step):
            lots = rng.standard_normal((min(step, _N_SCORE_DRAWS - start), len(counts)))
            lots *= np.sqrt(counts)
            lots -= np.outer(lots @ sample.masses, counts / sample.total)
            parts.append(size * scores.added(lots @ sample.membership).T)
        noise = np.hstack(parts)
    noise += prior.noise(_N_SCORE_DRAWS, np.random.default_rng(1))
    draws = prior.system(at.curvature).turned(noise) * scales[:, None]
    none = np.zeros((0, 0))
    return Errors(none, none, None, counts, n_people, draws / np.sqrt(_N_SCORE_DRAWS))


def _check_curved(
    likelihood: ChoiceLikelihood,
    prior: DensePrior,
    at: Maximum,
    terms: Sequence[Term],
    rankings: Rankings,
) -> None:
    """Refuse if the likelihood has no maximum, and name the coefficient that runs away."""

    def flat(curvature: Floats) -> Floats | None:
        size = prior.blocks[-1].place.stop if prior.blocks else 0
        bend, way = flattest(prior.system(curvature)[:size, :size])
        return way if bend < FLAT else None

    way = flat(at.curvature)
    if way is None:
        return
    # Where all choices are even, only the design can be flat.
    even = flat(likelihood.derivatives(np.zeros(likelihood.n_parameters))[2])
    if even is not None:
        moved = [float(np.abs(even[block.place]).max()) for block in prior.blocks]
        last = max(k for k, size in enumerate(moved) if size > max(moved) / 2)
        if terms[last].kind != "items":
            raise NoMaximumError(
                f"column {terms[last].name!r} says nothing that the others do not say",
                remedy=["leave it out, or use ", Setting("prior", "evidence")]
                if terms[last].kind != "feature"
                else "leave it out",
            )
    place = int(np.abs(way).argmax())
    number = next(k for k, block in enumerate(prior.blocks) if place < block.place.stop)
    term, item = terms[number], (place - prior.blocks[number].place.start) % rankings.shape[1]
    if term.kind == "feature":
        what = f"the effect of {term.name!r}"
    elif term.kind == "items":
        what = f"the strength of {rankings.item(item)!r}"
    else:
        what = f"the effect of {term.name!r} on {rankings.item(item)!r}"
    raise NoMaximumError(
        f"{what} could be anything: the rankings do not say, or some people all agree on it",
        remedy="leave it out"
        if term.kind == "feature"
        else ["use ", Setting("prior", "evidence"), ", or leave it out"],
    )
