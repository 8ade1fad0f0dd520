"""One model of strengths for any design: what its views share.

η = strengths of items + covariates of who ranks + features of what was shown + contexts, or the
strengths over time. :class:`~rankcut.PlackettLuce` reads rankings and votes, and
:class:`~rankcut.StrengthRegression` covariates first, as scikit-learn does.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats
from rankcut.comparison.statistics import holm
from rankcut.errors import InputError, Setting, amount
from rankcut.estimators import pair_columns
from rankcut.graphs.item_graph import fit_graph, plain_graph
from rankcut.parameters import check_choice, check_share
from rankcut.pictures.page import Html
from rankcut.pictures.scene import Picture
from rankcut.ranking_regression import figure, words
from rankcut.ranking_regression.beside import Beside
from rankcut.ranking_regression.formula import (
    STRENGTH,
    Units,
    column_names,
    fit_formula,
    read_column,
)
from rankcut.ranking_regression.independence import split_choices
from rankcut.rankings import Rankings, Unranked
from rankcut.results import EstimatorResult, Table
from rankcut.strengths.choices import Ties
from rankcut.strengths.designs import NoMaximumError, Term, covariate, over
from rankcut.strengths.errors import WaldTest
from rankcut.strengths.fitting import Strengths, strengths_of, strengths_of_items
from rankcut.strengths.over_time import StrengthsOverTime, over_periods
from rankcut.strengths.periods import Period, Periods
from rankcut.strengths.terms import ErrorKind, TermsFit, fit_terms

Prior: TypeAlias = Literal["auto", "none", "evidence"]


class RatioTest(NamedTuple):
    """A likelihood-ratio test: twice the difference, the number of coefficients, the p-value."""

    statistic: float
    n_coefficients: int
    p_value: float


class StrengthModel(EstimatorResult, BaseEstimator):
    """Parameters, results and tests of a model of strengths."""

    items_: tuple[Hashable, ...] | None
    fit_: TermsFit

    def __init__(
        self,
        *,
        adjust: str | Sequence[str] | None = None,
        on: Sequence[str] | None = None,
        by: str | None = None,
        over: str | None = None,
        period: Period = None,
        item_features: Any = None,
        units: Units = None,
        reference: Hashable | Mapping[str, Any] | None = None,
        prior: Prior = "auto",
        graph: Any = None,
        ties: Ties = "auto",
        errors: ErrorKind = "sandwich",
        unranked: Unranked = "error",
        confidence: float = 0.95,
        items: Sequence[Hashable] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.adjust = adjust
        self.on = on
        self.by = by
        self.over = over
        self.period = period
        self.item_features = item_features
        self.units = units
        self.reference = reference
        self.prior = prior
        self.graph = graph
        self.ties = ties
        self.errors = errors
        self.unranked = unranked
        self.confidence = confidence
        self.items = items
        self.n_jobs = n_jobs

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        # Terms are functions, and rankings may be many.
        state.pop("_fitted", None)
        features = state["item_features"]
        if features is not None:
            names = column_names(features, "z")
            columns = {name: read_column(features, name, "z", category=None) for name in names}
            state["item_features"] = {name: values.tolist() for name, values in columns.items()}
        return state | {"graph": plain_graph(state["graph"])}

    def _check_parameters(self) -> None:
        check_choice(self.prior, ("auto", "none", "evidence"), "prior")
        check_choice(self.ties, ("auto", "davidson", "exact", "efron", "breslow", "half"), "ties")
        check_choice(self.errors, ("sandwich", "information"), "errors")
        check_share(self.confidence, "confidence")
        if self.graph is not None and self.prior == "none":
            raise InputError(
                "is used by a prior only",
                parameter="graph",
                remedy=["use ", Setting("prior", "evidence")],
            )

    def _fit_design(self, rankings: Rankings, beside: Beside, on: Sequence[str]) -> None:
        """Fit the rankings of which all that is asked for is known."""
        rows = beside.rows
        if len(rows) < rankings.shape[0]:
            if not len(rows):
                raise InputError("no ranking has a value of all that the model asks for")
            missing = amount(rankings.shape[0] - len(rows), "ranking")
            self.notes_.append(f"{missing} without a value of what the model asks for left out.")
            rankings = rankings.rows(rows)
        self.items_, self.n_items_ = rankings.items, rankings.shape[1]
        self.n_rankings_ = int(rankings.counts.sum()) if rankings.counted else len(rows)
        reference = self.reference
        references = dict(reference) if isinstance(reference, Mapping) else {"item": reference}
        self.reference_item_ = references.pop("item", None)
        self.formula_ = fit_formula(
            on,
            beside.covariates,
            rankings.counts,
            self.item_features,
            self.n_items_,
            units=self.units,
            reference=references,
        )
        design = self.formula_.design(beside.covariates, len(rows))
        columns = zip(self.formula_.columns, design.T, strict=True)
        of_columns = [column.terms(values) for column, values in columns]
        periods = None
        if beside.when is not None:
            periods = Periods.of(beside.when, self.period)
            if not of_columns[0] or of_columns[0][0].kind != "items":
                raise InputError(
                    "strengths over time are those of items, not of their features alone",
                    parameter="over",
                    remedy="leave features of items out, or name them in products",
                )
            of_columns[0] = [over(STRENGTH, periods)]
        ends = np.cumsum([0, *map(len, of_columns)]).tolist()
        self.numbers_ = [list(range(a, b)) for a, b in pairwise(ends)]
        terms = [term for column in of_columns for term in column] + beside.terms()
        self._maximise(rankings, terms)
        self.over_time_: StrengthsOverTime | None = None
        if periods is not None:
            self.over_time_ = over_periods(self.fit_, periods)
        self._fitted = rankings, terms
        self.fit_ = replace(self.fit_, likelihood=None)
        self.log_likelihood_, self.evidence_ = self.fit_.log_likelihood, self.fit_.evidence
        self.n_people_, self.n_effective_ = self.fit_.n_people, self.fit_.n_effective
        unpulled = all(prior is None for prior in self.fit_.priors)
        self.n_free_ = self.fit_.n_free if unpulled else np.nan
        self.aic_ = 2 * self.n_free_ - 2 * self.log_likelihood_
        self.bic_ = float(np.log(max(self.n_people_, 1))) * self.n_free_ - 2 * self.log_likelihood_
        self.origin_ = [
            coding.origin
            for name, coding in self.formula_.codings.items()
            if any(name in column.term.covariates for column in self.formula_.columns)
        ]
        self.coefficients_ = self._coefficients()
        tests = {name: self.wald_test(name) for name in self.terms_ if name != STRENGTH}
        self.tests_ = Table(
            {
                "term": list(tests),
                "wald": [test.statistic for test in tests.values()],
                "n_coefficients": [test.n_contrasts for test in tests.values()],
                "freedom": [test.freedom for test in tests.values()],
                "p_value": [test.p_value for test in tests.values()],
            }
        )

    def _maximise(self, rankings: Rankings, terms: Sequence[Term]) -> None:
        """The fit, by maximum likelihood where it exists and no prior is asked for."""
        settings: dict[str, Any] = {
            "graph": None if self.graph is None else fit_graph(self.graph, rankings),
            "ties": self.ties,
            "errors": self.errors,
            "n_jobs": self.n_jobs,
        }
        likely: Literal["none", "evidence"] = "none" if self.graph is None else "evidence"
        self.prior_ = likely if self.prior == "auto" else self.prior
        try:
            self.fit_ = fit_terms(rankings, terms, prior=self.prior_, **settings)
        except NoMaximumError as mistake:
            if self.prior != "auto":
                raise
            problem = str(mistake.problem)
            self.notes_.append(f"{problem[:1].upper()}{problem[1:]}: a prior decides.")
            self.prior_ = "evidence"
            self.fit_ = fit_terms(rankings, terms, prior="evidence", **settings)

    @property
    def labels_(self) -> list[Any]:
        """The items' labels, or their numbers."""
        return list(range(self.n_items_) if self.items_ is None else self.items_)

    @property
    def terms_(self) -> dict[str, list[int]]:
        """The coefficients of each term that can be tested, as numbers of terms of the fit."""
        terms: dict[str, list[int]] = {}
        for column, numbers in zip(self.formula_.columns, self.numbers_, strict=True):
            terms.setdefault(column.term.name, []).extend(numbers)
        for number, (name, kind) in enumerate(zip(self.fit_.names, self.fit_.kinds, strict=True)):
            if kind == "feature" and number >= sum(map(len, self.numbers_)):
                terms[name] = [number]
        return terms

    def contrasts(self, c: int) -> Floats:
        """What a column of the formula adds to each item, as contrasts of all coefficients."""
        column, numbers = self.formula_.columns[c], self.numbers_[c]
        if not column.features:
            return self.fit_.of_items(numbers, [1.0])
        contrasts = np.zeros((self.n_items_, len(self.fit_.parameters)))
        for number, feature in zip(numbers, column.basis.T, strict=True):
            contrasts[:, self.fit_.places[number]] = feature[:, None]
        return contrasts

    @property
    def _constant(self) -> Floats:
        """Contrasts of strengths where covariates are average."""
        columns = enumerate(self.formula_.columns)
        each = [self.contrasts(c) for c, column in columns if not column.term.covariates]
        return np.asarray(np.sum(each, axis=0))

    @property
    def strengths_(self) -> Strengths:
        """Strengths of items where covariates are average; over time, of the last period."""
        check_is_fitted(self)
        if self.over_time_ is not None:
            strengths = self.over_time_.at(-1)
        else:
            strengths = strengths_of(self.fit_, self._constant)
            if self.fit_.kinds[0] == "items":
                strengths = strengths_of_items(self.fit_)
        return replace(strengths, items=self.items_)

    @property
    def contexts_(self) -> dict[Any, Strengths]:
        """Strengths in each context of ``by``; over time, in the last period."""
        check_is_fitted(self)
        fits: dict[Any, Strengths] = {}
        unseen = np.zeros((self.n_items_, self.n_items_))
        if "contexts" not in self.fit_.kinds:
            return fits
        if self.over_time_ is None:
            constant = self._constant
        else:
            constant, unseen = self.fit_.of_period(len(self.over_time_.periods) - 1)
        for number, kind in enumerate(self.fit_.kinds):
            for code, label in enumerate(self.fit_.labels[number] if kind == "contexts" else ()):
                strengths = strengths_of(self.fit_, constant + self.fit_.of_context(number, code))
                assert strengths.covariance is not None
                covariance = strengths.covariance + unseen
                errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
                fits[label] = replace(
                    strengths, items=self.items_, covariance=covariance, standard_errors=errors
                )
        return fits

    def _coefficients(self) -> Table:
        """The table of coefficients, items beside the reference."""
        fit, labels, level = self.fit_, self.labels_, np.eye(self.n_items_)
        if self.reference_item_ is not None:
            if self.reference_item_ not in labels:
                raise InputError("is not among the items", item=self.reference_item_)
            level = level - level[labels.index(self.reference_item_)]
        parts: list[dict[str, list[Any]]] = []

        def add(term: str, names: list[str], of: Sequence[Any], values: Any) -> None:
            estimates = words.estimates(*values, confidence=self.confidence)
            parts.append({"term": [term] * len(names), "column": names, "item": [*of], **estimates})

        for c, column in enumerate(self.formula_.columns):
            term, numbers = column.term.name, self.numbers_[c]
            if column.features:
                rows = [fit.places[number].start for number in numbers]
                contrasts = np.eye(len(fit.parameters))[rows]
                blank = [""] * len(rows)
                add(
                    term, [fit.names[number] for number in numbers], blank, fit.estimates(contrasts)
                )
                continue
            if fit.kinds[numbers[0]] == "over":
                assert self.over_time_ is not None
                now = self.over_time_.at(-1)
                assert now.covariance is not None
                errors = np.sqrt(np.diag(level @ now.covariance @ level.T))
                values = level @ now.theta, errors, np.full(len(level), now.n_effective - 1)
            else:
                values = fit.estimates(level @ self.contrasts(c))
            add(term, [column.name] * self.n_items_, labels, values)
            if column.name == STRENGTH and fit.broad is not None:
                self._take_limits(parts[-1], level, values[2])
        for number in range(sum(map(len, self.numbers_)), len(fit.kinds)):
            if fit.kinds[number] == "feature":
                contrast = np.zeros((1, len(fit.parameters)))
                contrast[0, fit.places[number]] = 1.0
                add(fit.names[number], [fit.names[number]], [""], fit.estimates(contrast))
        table = {name: [v for part in parts for v in part[name]] for name in parts[0]}
        adjusted, p_values = np.empty(len(table["term"])), np.array(table["p_value"])
        for term in dict.fromkeys(table["term"]):
            rows_of_term = np.array(table["term"]) == term
            adjusted[rows_of_term] = holm(p_values[rows_of_term])
        return Table(table | {"p_adjusted": adjusted.tolist()})

    def _take_limits(self, columns: dict[str, list[Any]], level: Floats, freedoms: Floats) -> None:
        """Take intervals of strengths from the broad prior, and limits of unbeaten items."""
        fit = self.fit_
        assert fit.broad is not None
        assert fit.broad_covariance is not None
        if self.prior_ == "evidence":
            errors = np.sqrt(np.diag(level @ fit.broad_covariance @ level.T))
            ends = words.estimates(level @ fit.broad, errors, freedoms, confidence=self.confidence)
            columns |= {"low": ends["low"], "high": ends["high"]}
        beside = float((fit.broad - level @ fit.broad)[0])
        for limit in fit.limits:
            low, high = sorted((limit.at(self.confidence) - beside, np.inf * limit.sign))
            columns["low"][limit.item], columns["high"][limit.item] = low, high
            if self.reference_item_ == self.labels_[limit.item]:
                end = "low" if limit.sign > 0 else "high"
                columns[end] = [-np.inf * limit.sign] * self.n_items_
                columns["low"][limit.item] = columns["high"][limit.item] = 0.0

    def wald_test(self, *terms: str) -> WaldTest:
        """Test that all coefficients of some terms are 0; none: all but the strengths.

        Terms are named as in ``on`` and ``adjust``. With sandwich errors the statistic is F's, with
        degrees of freedom for few people (Tipton and Pustejovsky 2015). Where there are too few
        for all coefficients together it is the largest t², and p is adjusted for all of them
        (Bonferroni).
        """
        check_is_fitted(self)
        for term in terms:
            check_choice(term, tuple(self.terms_), "terms")
        tested = terms or tuple(name for name in self.terms_ if name != STRENGTH)
        return self.fit_.test([number for name in tested for number in self.terms_[name]])

    def likelihood_ratio_test(self, smaller: "StrengthModel") -> RatioTest:
        """Test this model against a smaller one: the same rankings, with some of the terms.

        It holds for maximum likelihood, if the model is true and no person ranks twice; prefer
        :meth:`wald_test` otherwise.
        """
        check_is_fitted(self)
        check_is_fitted(smaller)
        if np.isnan(self.aic_) or np.isnan(smaller.aic_):
            raise InputError(
                "a likelihood-ratio test needs maximum likelihood",
                remedy=["use ", Setting("prior", "none")],
            )
        n_more = self.fit_.n_free - smaller.fit_.n_free
        statistic = 2 * (self.log_likelihood_ - smaller.log_likelihood_)
        if n_more <= 0 or self.n_rankings_ != smaller.n_rankings_:
            raise InputError("is not a part of this model", parameter="smaller")
        return RatioTest(statistic, n_more, float(stats.chi2.sf(statistic, n_more)))

    def iia_test(self) -> WaldTest:
        """Test that first choices and later ones, from fewer items, come from the same strengths.

        If strengths depend on what else is at choice (no independence from irrelevant
        alternatives), those of first choices differ from those of choices among the rest. The test
        is Wald's, of a covariate that says which choice it was; its errors hold for people.
        """
        check_is_fitted(self)
        if not hasattr(self, "_fitted"):
            raise InputError("a model that was saved has no rankings: fit it again")
        rankings, terms = self._fitted
        stages, rows, later = split_choices(rankings)
        stage = covariate("later", later.astype(np.float64))
        both = [*(term.of_rows(rows) for term in terms), stage]
        fit = fit_terms(stages, both, prior="none", ties="exact", n_jobs=self.n_jobs)
        return fit.test([len(terms)])

    def odds_ratios(self, item: Hashable, other: Hashable) -> Table:
        """By how much one more of each covariate multiplies the odds that one item beats another.

        ``low`` and ``high`` are limits of the odds ratio.
        """
        check_is_fitted(self)
        i, j = pair_columns([(item, other)], self.items_, self.n_items_)[0]
        rows = []
        for c, column in enumerate(self.formula_.columns):
            if column.term.covariates:
                contrasts = self.contrasts(c)
                gap = self.fit_.estimates(contrasts[[i]] - contrasts[[j]])
                row = {
                    name: of[0]
                    for name, of in words.estimates(*gap, confidence=self.confidence).items()
                }
                limits = {name: float(np.exp(row[name])) for name in ("low", "high")}
                rows.append({"column": column.name, **row, **limits})
        return Table.from_rows(rows)

    def sentences(self) -> list[str]:
        """What matters, how the model was fitted, and what one more of each column changes.

        Intervals of pairs hold for all pairs of a column at once (Bonferroni).
        """
        check_is_fitted(self)
        return [
            words.verdict(self),
            *words.opening(self),
            *words.features_in_words(self),
            *words.odds_in_words(self),
            *self.notes_,
        ]

    def tables(self) -> dict[str, Table]:
        """The coefficients and tests; strengths in each context, and in each period."""
        check_is_fitted(self)
        tables = {"coefficients": self.coefficients_, "tests": self.tests_}
        if self.contexts_:
            tables["contexts"] = words.context_table(self)
        if self.over_time_ is not None:
            tables["over_time"] = self.over_time_.table(self.labels_, self.confidence)
        return tables

    def lines(self, most: int = 20) -> list[str]:
        """The model as a statistician prints it."""
        check_is_fitted(self)
        return words.summary_lines(self, most)

    def summary(self) -> str:
        """Estimates, errors, z, p and intervals, tests of terms, and criteria of the fit."""
        return "\n".join(self.lines(most=len(self.coefficients_)))

    def picture(self) -> Picture:
        """Strengths in each context, or as lines over time; what covariates move; or strengths."""
        check_is_fitted(self)
        return figure.model_picture(self)

    def body(self) -> Iterator[Html]:
        """What the page shows: sentences, tests of terms, and the coefficients of each column."""
        check_is_fitted(self)
        return figure.model_body(self)
