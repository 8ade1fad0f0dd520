"""Strengths of items by covariates, as a scikit-learn estimator."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, special, stats
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats
from rankcut.comparison.results import Table
from rankcut.comparison.statistics import holm
from rankcut.errors import InputError, Setting
from rankcut.estimators import pair_columns
from rankcut.graphs.item_graph import fit_graph, plain_graph
from rankcut.label_ranking.scores import PredictsRankings
from rankcut.parameters import check_choice, check_share
from rankcut.ranking_regression.figure import draw_forest
from rankcut.ranking_regression.formula import (
    STRENGTH,
    Units,
    column_names,
    fit_formula,
    read_column,
)
from rankcut.ranking_regression.tables import (
    estimates,
    hotelling,
    inflation,
    odds_in_words,
    summary_lines,
)
from rankcut.rankings import Unranked
from rankcut.strengths.choices import Ties
from rankcut.strengths.fitting import Errors
from rankcut.strengths.regression import Column, fit_regression


class TestResult(NamedTuple):
    """A test that some coefficients are 0: the statistic, their number and the p-value."""

    statistic: float
    n_coefficients: int
    p_value: float


class StrengthRegression(PredictsRankings):
    r"""How strengths of items depend on covariates: θ_i(x) = θ_i + Σ_c β_ic·x_c.

    A ranking is chosen from the top; from the items that remain, each is next with probability
    exp θ_i(x) / Σ_j exp θ_j(x) (Plackett–Luce, rank-ordered logit). It is a Cox model in which
    each ranking is a stratum.

    Parameters
    ----------
    on : sequence of str or None, default=None
        Terms, by the columns of X and of ``item_features``: ``"age"`` gives each item a
        coefficient; ``"price"``, a feature of items, has one coefficient, and strengths then
        follow item features alone; ``"age:price"`` is a product; ``"C(region)"`` reads numbers as
        categories. None: each column of X.
    item_features : frame, mapping or array of shape (n_items, n_features) or None, default=None
        Features of the items, in their order.
    units : "deviation", dict or None, default=None
        What numbers are counted in, such as ``{"age": 10}``, or their standard deviation.
        Coefficients are for one unit. None: as they are.
    reference : dict or None, default=None
        The category that others are compared with, by column. None: the most frequent.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means; see :mod:`rankcut.strengths.choices`.
    ties : {"auto", "davidson", "exact", "efron", "breslow"}, default="auto"
        What tied items mean; see :func:`rankcut.strengths.fit_strengths`.
    prior : {"none", "evidence"}, default="none"
        "none": maximum likelihood. "evidence": coefficients of items are normal around 0, for each
        column with the variance that makes the rankings most probable. Intervals then hold on
        average over items, not for an item that is unlike the others.
    graph : graph or recipe, default=None
        With ``prior="evidence"``: similar items have similar coefficients, as far as the evidence
        goes.
    errors : {"sandwich", "information"}, default="sandwich"
        "sandwich": errors hold even if people depart from the model, and if they rank more than
        once. "information": only if the model is true.
    confidence : float, default=0.95
        Of each interval.
    n_jobs : int or None, default=None
        Number of threads; the result is the same for any number.

    Attributes
    ----------
    coefficients_ : Table
        A row for each column and item, compared with the mean of all items; or for each feature.
        ``coefficient`` is in log odds, ``std_error`` is its standard error, by the errors that
        were chosen, and ``z`` is the first divided by the second. ``p_adjusted`` holds for all
        rows of a term at once (Holm). ``odds_ratio`` is exp of the coefficient, from ``low`` to
        ``high``.
    tests_ : Table
        Wald's test of each term, by the errors that were chosen.
    strengths_ : ndarray of shape (n_items,)
        θ where numbers are average and categories are the reference.
    origin_ : list of str
        These averages and references.
    formula_ : rankcut.ranking_regression.formula.Formula
        The terms, and how their columns became numbers.
    effects_ : rankcut.strengths.regression.StrengthEffects
        All coefficients with their covariance.
    log_likelihood_ : float
        Of the rankings.
    n_rankings_, n_people_, n_effective_ : int and float
        Number of rankings, of people, and of those of equal weight who would say as much.
    items_ : tuple or None
        The items' labels, if they have any.
    n_items_ : int
        Number of items.
    n_features_in_ : int
        Number of covariates.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if a frame gives them.

    See Also
    --------
    RankingRegressor : Better predictions, without coefficients.
    compare_groups : Whether groups differ, without a model.

    References
    ----------
    S. Beggs, S. Cardell, J. Hausman. Assessing the potential demand for electric cars. Journal of
    Econometrics, 1981.

    Examples
    --------
    >>> import numpy as np
    >>> from rankcut import StrengthRegression
    >>> rng = np.random.default_rng(0)
    >>> age = rng.uniform(20, 80, (500, 1))
    >>> strengths = np.hstack([age / 20, np.full_like(age, 2.5), 4 - age / 20])
    >>> ranks = (-strengths - rng.gumbel(size=(500, 3))).argsort().argsort() + 1
    >>> model = StrengthRegression(units={"x0": 10}).fit(age, ranks)
    >>> row = model.odds_ratios(0, 2)[0]
    >>> row["column"], round(row["odds_ratio"], 1), round(row["low"], 1), round(row["high"], 1)
    ('x0 per 10', 2.6, 2.3, 3.0)
    >>> model.predict_pairs([[25.0], [75.0]], pairs=[(0, 2)]).round(2).ravel()
    array([0.23, 0.97])
    """

    def __init__(
        self,
        *,
        on: Sequence[str] | None = None,
        item_features: Any = None,
        units: Units = None,
        reference: Mapping[str, Any] | None = None,
        unranked: Unranked = "error",
        ties: Ties = "auto",
        prior: Literal["none", "evidence"] = "none",
        graph: Any = None,
        errors: Errors = "sandwich",
        confidence: float = 0.95,
        n_jobs: int | None = None,
    ) -> None:
        self.on = on
        self.item_features = item_features
        self.units = units
        self.reference = reference
        self.unranked = unranked
        self.ties = ties
        self.prior = prior
        self.graph = graph
        self.errors = errors
        self.confidence = confidence
        self.n_jobs = n_jobs

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        items = state["item_features"]
        if items is not None:
            names = column_names(items, "z")
            items = {own: read_column(items, own, "z", category=None).tolist() for own in names}
        return state | {"item_features": items, "graph": plain_graph(state["graph"])}

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        counts: ArrayLike | None = None,
        people: ArrayLike | None = None,
    ) -> Self:
        """Estimate the coefficients.

        Parameters
        ----------
        X : array or frame of shape (n_rankings, n_covariates)
            Covariates; a row with a missing value is an error.
        y : array, frame, CSR array or RankingSet of shape (n_rankings, n_items)
            Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
        sample_weight : array of shape (n_rankings,) or None
            Survey weights: how much each ranking counts; each is one person's. None: those of a
            RankingSet, or all alike.
        counts : array of shape (n_rankings,) or None
            How many people each row stands for: 3 is the same as the row three times. None: those
            of a RankingSet, or one each.
        people : array of shape (n_rankings,) or None
            Whose ranking each row is; errors then hold for people, not rankings.
        """
        check_choice(self.prior, ("none", "evidence"), "prior")
        check_choice(self.ties, ("auto", "davidson", "exact", "efron", "breslow"), "ties")
        check_choice(self.errors, ("sandwich", "information"), "errors")
        check_share(self.confidence, "confidence")
        if self.graph is not None and self.prior == "none":
            raise InputError(
                "is used by a prior only",
                parameter="graph",
                remedy=["use ", Setting("prior", "evidence")],
            )
        table, rankings = self._read_both(
            X, y, sample_weight=sample_weight, counts=counts, people=people
        )
        self.items_, self.n_items_ = rankings.items, rankings.shape[1]
        self.formula_ = fit_formula(
            self.on,
            table,
            rankings.counts,
            self.item_features,
            self.n_items_,
            units=self.units,
            reference=self.reference or {},
        )
        self.effects_ = fit_regression(
            rankings,
            [
                Column(own.name, values, own.basis, not own.features)
                for own, values in zip(
                    self.formula_.columns,
                    self.formula_.design(table, rankings.shape[0]).T,
                    strict=True,
                )
            ],
            graph=None if self.graph is None else fit_graph(self.graph, rankings),
            prior=self.prior,
            ties=self.ties,
            errors=self.errors,
            n_jobs=self.n_jobs,
        )
        self.log_likelihood_ = self.effects_.log_likelihood
        self.n_people_, self.n_effective_ = self.effects_.n_people, self.effects_.n_effective
        self.n_rankings_ = rankings.shape[0]
        constant = [not column.term.covariates for column in self.formula_.columns]
        self.strengths_ = self.effects_.coefficients[constant].sum(axis=0)
        self.origin_ = [
            coding.origin
            for name, coding in self.formula_.codings.items()
            if any(name in column.term.covariates for column in self.formula_.columns)
        ]
        self.coefficients_ = self._coefficients()
        names = dict.fromkeys(c.term.name for c in self.formula_.columns if c.term.name != STRENGTH)
        tests = [self.wald_test(name) for name in names]
        self.tests_ = Table(
            {
                "term": list(names),
                "wald": [test.statistic for test in tests],
                "n_coefficients": [test.n_coefficients for test in tests],
                "p_value": [test.p_value for test in tests],
            }
        )
        return self

    def _coefficients(self) -> Table:
        """The table of coefficients."""
        effects = self.effects_
        parts: list[dict[str, list[Any]]] = []
        labels: Sequence[Hashable] = range(self.n_items_) if self.items_ is None else self.items_
        for c, column in enumerate(self.formula_.columns):
            if column.features:
                place = effects.places[c]
                values, covariance = effects.parameters[place], effects.covariance[place, place]
                prefix = "" if column.name == STRENGTH else f"{column.name}:"
                names = [f"{prefix}{feature}" for feature in column.features]
                items: list[Hashable] = [""] * len(names)
            else:
                values, covariance = effects.coefficients[c], effects.item_covariance(c, c)
                names, items = [column.name] * self.n_items_, list(labels)
            errors = np.sqrt(np.maximum(np.diag(covariance), 0))
            own = estimates(values, errors, self.confidence, effects.n_telling[c])
            terms = [column.term.name] * len(names)
            parts.append({"term": terms, "column": names, "item": items, **own})
        found = {name: [v for part in parts for v in part[name]] for name in parts[0]}
        adjusted, p_values = np.empty(len(found["term"])), np.array(found["p_value"])
        for term in dict.fromkeys(found["term"]):
            own_rows = np.array(found["term"]) == term
            adjusted[own_rows] = holm(p_values[own_rows])
        return Table(found | {"p_adjusted": adjusted.tolist()})

    def wald_test(self, *terms: str) -> TestResult:
        """Test that all coefficients of some terms are 0, by the errors that were chosen.

        Terms are named as in ``on``; none: all with a covariate. With sandwich errors the statistic
        has Hotelling's distribution or, for several columns, that of a sum of such. If too few
        people inform a column, there is no test.
        """
        check_is_fitted(self)
        columns = self.formula_.columns
        known = {column.term.name: column.term for column in columns}
        for term in terms:
            check_choice(term, tuple(known), "terms")
        chosen = terms or [name for name, term in known.items() if term.covariates]
        own = [c for c, column in enumerate(columns) if column.term.name in chosen]
        every = np.arange(len(self.effects_.parameters))
        places = [every[self.effects_.places[c]] for c in own]
        rows, sizes = np.concatenate([every[:0], *places]), list(map(len, places))
        telling = [self.effects_.n_telling[c] for c in own]
        scales = np.repeat(np.sqrt([inflation(n) for n in telling]), sizes)
        covariance = self.effects_.covariance[np.ix_(rows, rows)] * np.outer(scales, scales)
        values = self.effects_.parameters[rows]
        if not np.isfinite(covariance).all():
            return TestResult(np.nan, len(rows), np.nan)
        statistic = float(values @ linalg.pinvh(covariance) @ values)
        # Columns may be told by different people, or all by the same ones: the larger p-value.
        everyone = np.inf if self.errors == "information" else self.n_effective_
        ways = [(sizes, telling), ([len(rows)], [everyone])]
        p_value = np.max([hotelling(statistic, *way) for way in ways])
        return TestResult(statistic, len(rows), float(p_value))

    def likelihood_ratio_test(self, smaller: "StrengthRegression") -> TestResult:
        """Test this model against a smaller one: the same rankings, with some of the terms.

        It holds only for maximum likelihood, if the model is true and no person ranks twice; prefer
        :meth:`wald_test` otherwise.
        """
        check_is_fitted(self)
        check_is_fitted(smaller)
        if (self.prior, smaller.prior) != ("none", "none"):
            raise InputError(
                "a likelihood-ratio test needs maximum likelihood",
                remedy=["use ", Setting("prior", "none")],
            )
        n_more = len(self.effects_.parameters) - len(smaller.effects_.parameters)
        statistic = 2 * (self.log_likelihood_ - smaller.log_likelihood_)
        if n_more <= 0 or self.n_people_ != smaller.n_people_:
            raise InputError("is not a part of this model", parameter="smaller")
        return TestResult(statistic, n_more, float(stats.chi2.sf(statistic, n_more)))

    def odds_ratios(self, item: Hashable, other: Hashable) -> Table:
        """By how much a unit of each column multiplies the odds that one item beats another."""
        check_is_fitted(self)
        i, j = pair_columns([(item, other)], self.items_, self.n_items_)[0]
        effects, rows = self.effects_, []
        for c, column in enumerate(self.formula_.columns):
            if column.term.covariates:
                covariance, values = effects.item_covariance(c, c), effects.coefficients[c]
                variance = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
                gap, error = np.array([values[i] - values[j]]), np.sqrt(np.maximum([variance], 0))
                found = estimates(gap, error, self.confidence, effects.n_telling[c])
                rows.append((column.name, found))
        names = rows[0][1] if rows else {}
        columns = {key: [found[key][0] for _, found in rows] for key in names}
        return Table({"column": [name for name, _ in rows], **columns})

    def _predicted(self, X: Any) -> Floats:
        """The design of new people."""
        check_is_fitted(self)
        table = self._check_covariates(X, reset=False)
        return self.formula_.design(table, len(table))

    def predict_strengths(self, X: Any, *, return_std: bool = False) -> Any:
        """The strength of each item for rows of covariates, of mean 0; also its standard error."""
        design = self._predicted(X)
        strengths = design @ self.effects_.coefficients
        if not return_std:
            return strengths
        variances = np.empty_like(strengths)
        for item in range(self.n_items_):
            slopes = np.hstack(
                [design[:, [c]] * basis[item] for c, basis in enumerate(self.effects_.bases)]
            )
            covariance = self.effects_.covariance[: slopes.shape[1], : slopes.shape[1]]
            variances[:, item] = ((slopes @ covariance) * slopes).sum(axis=1)
        return strengths, np.sqrt(np.maximum(variances, 0))

    def _pair_matrices(self, X: Any) -> Floats:
        """1 / (1 + exp(θ_j − θ_i)): the probability that i beats j."""
        strengths = self.predict_strengths(X)
        return np.asarray(special.expit(strengths[:, :, None] - strengths[:, None, :]))

    def predict_scores(self, X: Any) -> Floats:
        """The strengths, which items are ordered by; ``X`` holds covariates, as in :meth:`fit`."""
        return np.asarray(self.predict_strengths(X))

    def check_restored(self) -> None:
        """Raise ValueError if a model that was read from a file is damaged."""
        origin = {name: own.example() for name, own in self.formula_.codings.items()}
        design = self.formula_.design(origin, 1)
        n_parameters = self.effects_.places[-1].stop + len(self.effects_.log_ties)
        if design.shape[1] != len(self.effects_.bases) or n_parameters != len(
            self.effects_.parameters
        ):
            raise ValueError("the coefficients are not those of the formula")
        known = set(column_names(np.empty((0, self.n_features_in_)), "x"))
        known |= set(map(str, getattr(self, "feature_names_in_", ())))
        if not known.issuperset(n for c in self.formula_.columns for n in c.term.covariates):
            raise ValueError("the formula names covariates that the model does not have")

    def to_frame(self, table: str = "coefficients", backend: str | None = None) -> Any:
        """``coefficients_``, or ``tests_`` if ``table`` is "tests", as a frame.

        ``backend`` is "pandas", "polars" or "pyarrow"; None is one that is installed.
        """
        check_is_fitted(self)
        check_choice(table, ("coefficients", "tests"), "table")
        found: Table = getattr(self, f"{table}_")
        return found.to_frame(backend)

    def summary(self) -> str:
        """The tests and coefficients as a statistician prints them."""
        check_is_fitted(self)
        return "\n".join(summary_lines(self))

    def explain(self) -> list[str]:
        """Sentences about the pairs of items that each column moves most clearly.

        Their intervals hold for all pairs of a column at once (Bonferroni).
        """
        check_is_fitted(self)
        return odds_in_words(self)

    def plot(self, *, title: str = "What moves which item") -> Any:
        """A forest plot: odds ratios with their intervals, as a Matplotlib figure."""
        check_is_fitted(self)
        return draw_forest(self, title)
