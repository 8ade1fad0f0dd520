"""Plackett–Luce and Bradley–Terry models, and regressions of strengths, as estimators."""

from collections.abc import Hashable, Sequence
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.estimators import TakesRankings, of_pairs
from rankcut.files.columns import TableColumn, read_columns
from rankcut.label_ranking.scores import PredictsRankings
from rankcut.leaderboard.games import Games, looks_like_games
from rankcut.ranking_regression.beside import Beside
from rankcut.ranking_regression.formula import column_names
from rankcut.ranking_regression.model import StrengthModel
from rankcut.rankings import Rankings, as_frame, read_rankings
from rankcut.saved_arrays import Saved


class PlackettLuce(StrengthModel, TakesRankings):
    r"""Strengths of items by rankings of any kind, and by what stands beside them.

    From the items at choice, each is chosen next with probability exp η_i / Σ_j exp η_j. η is the
    strength of the item, plus whatever terms are asked for: features of what was shown, covariates
    of who ranks, and strengths that differ by context or change over time. For pairs this is the
    Bradley–Terry model.

    Parameters
    ----------
    adjust : str, sequence of str or None
        Features of what was shown, with one coefficient each. For votes: ``"length"`` for columns
        ``length_a`` and ``length_b``; ``"home"``, ``"slot"`` or ``"first"`` for being shown first.
        For rankings: names of ``shown`` in :meth:`fit`; None: all of them.
    on : sequence of str or None
        Covariates of the rankings: ``"age"`` gives each item a coefficient; ``"age:town"`` is a
        product; ``"C(region)"`` reads numbers as categories. ``"price"``, one of ``item_features``,
        has one coefficient, and strengths then follow features alone; ``"age:price"`` has one, too.
    by : str or None
        The column of contexts, such as a group or a category: strengths in each of them beside
        those of all, which borrow from each other as far as the rankings say.
    over : str or None
        The column of dates or numbers: strengths in each period
        (:func:`rankcut.strengths.fit_over_time`).
    period : {"day", "week", "month", "quarter", "year"}, float or None
        How long a period is; None: the shortest that leaves at most 60.
    item_features : frame, mapping or array of shape (n_items, n_features) or None
        Features of the items, in their order, for ``on``.
    units : "deviation", dict or None
        What numbers in ``on`` are counted in, such as ``{"age": 10}``, or their standard deviation.
        Coefficients are for one unit. None: as they are.
    reference : label, dict or None
        The item that others are compared with; None: the mean of all. Or by column the category
        that others are compared with, ``{"town": "york"}``, and the item, ``{"item": "toro"}``; of
        categories, None is the most frequent.
    prior : {"auto", "none", "evidence"}, default="auto"
        "none": maximum likelihood. "evidence": coefficients of items are pulled to each other as
        far as the rankings say; intervals then hold on average over items. "auto": maximum
        likelihood where it exists, else by the evidence; with ``graph``, by the evidence.
    graph : ItemGraph, recipe, matrix or None
        The item graph: similar items are alike, as far as the rankings say.
    ties : {"auto", "davidson", "exact", "efron", "breslow", "half"}, default="auto"
        What tied items mean: see :func:`rankcut.strengths.fit_strengths`.
    errors : {"sandwich", "information"}, default="sandwich"
        "sandwich": by how much people vary, each with all of their rankings. They are errors of
        what the fit tends to, which depends on what was shown to whom if the model is wrong.
        "information": only if the model is true.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means. Votes compare the two items that they list.
    confidence : float, default=0.95
        How often intervals hold.
    items : sequence of labels or None
        Labels for the columns of an array.
    n_jobs : int or None, default=None
        Number of threads; the result is the same for any number.

    Attributes
    ----------
    items_ : tuple or None
        The items' labels, if they have any.
    strengths_ : Strengths
        Strengths where covariates are average; over time, those of the last period.
    origin_ : list of str
        These averages, and the categories that others are compared with.
    coefficients_ : Table
        A row for each column and item, or for each feature: ``estimate`` in log odds, its standard
        error, z, p-value and interval, and ``odds_ratio``, exp of the estimate. ``p_adjusted``
        holds for all rows of a term at once (Holm).
    tests_ : Table
        Wald's test of each term.
    contexts_ : dict
        The strengths in each context of ``by``.
    over_time_ : StrengthsOverTime or None
        The strengths in each period of ``over``.
    fit_ : rankcut.strengths.terms.TermsFit
        All coefficients with their covariance.
    log_likelihood_, aic_, bic_ : float
        How likely the rankings are; criteria are NaN where a prior was used.
    evidence_ : float
        Log-probability of the rankings under the prior, up to a constant (Laplace): compares models
        that differ in ``by``, ``over`` or ``graph``.
    n_people_, n_effective_, n_rankings_ : int and float
        Number of people, of people of equal weight who would say as much, and of rankings.
    notes_ : list of str
        What a reader should know, such as how many rankings were left out.

    See Also
    --------
    Leaderboard : Places of items, and which of them are real.
    StrengthRegression : The same model, which predicts rankings from covariates.

    References
    ----------
    H. L. Turner, J. van Etten, D. Firth, I. Kosmidis. Modelling Rankings in R: the PlackettLuce
    Package. Computational Statistics, 2020.

    Examples
    --------
    >>> from rankcut import PlackettLuce
    >>> ranks = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2, 3], [3, 1, 2]]
    >>> model = PlackettLuce(items=["ada", "bob", "cyd"]).fit(ranks)
    >>> model.strengths_.theta.round(2)
    array([ 0.51,  0.22, -0.73])
    >>> model.predict_pairs([("ada", "cyd")]).round(2)
    array([0.77])
    """

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        about: Any = None,
        shown: Any = None,
        positions: ArrayLike | None = None,
        people: Any = None,
        counts: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : frame of votes, Games, array, frame, CSR array or RankingSet
            Votes: a row for each, with two columns of items (``model_a`` and ``model_b``), who won,
            and what else is known. Rankings: a rank matrix, 1 = best, equal = tied, NaN (or absent
            in a sparse matrix) = not ranked.
        y : None
            Ignored.
        about : frame, mapping or None
            Columns with a value for each ranking, which ``on``, ``by`` and ``over`` name. None:
            those of the votes, or of a RankingSet.
        shown : mapping, frame, array or None
            Features of what was shown: for each name an array (n_rankings, n_items) or
            (n_rankings, n_items, n_features), or a function of positions; or a table with the
            number of the ranking, the item, and a column for each feature.
        positions : array of shape (n_rankings, n_items) or None
            The place in which each item was shown; of votes, 0 and 1 are known.
        people : str, array of shape (n_rankings,) or None
            Whose ranking each row is, or the column that says so; errors then hold for people.
        counts : array of shape (n_rankings,) or None
            How many people each row stands for.
        sample_weight : array of shape (n_rankings,) or None
            Survey weights: how much each ranking counts.
        """
        self._check_parameters()
        self.notes_: list[str] = []
        games = self._games(X, people)
        weighing = {"sample_weight": sample_weight, "counts": counts}
        if games is None:
            if isinstance(people, str):
                people = Beside.of(X, about, None, X.shape[0]).column(people, "people").coded[0]
            rankings = self._read(X, reset=True, people=people, **weighing)
        else:
            self.notes_ += games.notes
            of_votes: dict[str, Any] = {
                name: None if each is None else games.values(np.asarray(each))
                for name, each in weighing.items()
            }
            rankings = read_rankings(games.rankings(merged=False), **of_votes)
            self._items, self._meaning = rankings.items, rankings.unranked
            self.n_features_in_ = rankings.shape[1]
        self._check_lists(rankings)
        beside = Beside.of(X, about, games, rankings.shape[0])
        beside.ask_covariates(self.on or (), self.item_features)
        if self.by is not None:
            beside.ask_contexts(self.by)
        if self.over is not None:
            beside.ask_time(self.over)
        beside.ask_shown(rankings, games, self.adjust, shown, positions)
        self._fit_design(rankings, beside, self.on or ())
        return self

    def _games(self, X: Any, people: Any) -> Games | None:
        """Votes, if X is a table of them."""
        if isinstance(X, Games):
            return X
        if as_frame(X) is None:
            return None
        columns = read_columns(X)
        if not looks_like_games(columns):
            return None
        if people is not None and not isinstance(people, str):
            columns = columns | {"judge": TableColumn(np.asarray(people))}
            people = "judge"
        return Games.of_columns(columns, people=people)

    def _check_lists(self, rankings: Rankings) -> None:
        """Any lists will do."""

    def predict_pairs(self, pairs: Sequence[tuple[Hashable, Hashable]] | None = None) -> Floats:
        """The probability that the first item of each pair is chosen; None: of all pairs.

        Features are alike for both, covariates average, and time is that of the last period.
        """
        check_is_fitted(self)
        return np.asarray(of_pairs(self.strengths_.beats()[None], pairs, self.items_)[0])


class BradleyTerry(PlackettLuce):
    r"""Strengths of items by votes or games between two of them, and by what stands beside them.

    i is chosen rather than j with the odds exp(η_i − η_j); a tie has its own probability
    (Davidson 1970) unless ``ties`` says otherwise. It is :class:`PlackettLuce` for pairs, with the
    same parameters and attributes.

    Examples
    --------
    >>> import pandas as pd
    >>> from rankcut import BradleyTerry
    >>> games = pd.DataFrame({
    ...     "home_team": ["Ajax", "Gent", "Lyon", "Ajax", "Gent", "Lyon"] * 4,
    ...     "away_team": ["Gent", "Lyon", "Ajax", "Lyon", "Ajax", "Gent"] * 4,
    ...     "winner": ["home", "home", "away", "away", "away", "home"] * 2
    ...     + ["home", "away", "home", "home", "home", "home"] * 2})
    >>> model = BradleyTerry(adjust="home").fit(games)
    >>> model.strengths_.theta.round(2)
    array([ 0.43, -0.86,  0.43])
    >>> row = model.coefficients_[3]
    >>> row["term"], round(row["estimate"], 2), round(row["std_error"], 2)
    ('home', 0.87, 0.51)
    """

    def _check_lists(self, rankings: Rankings) -> None:
        """Each ranking has two items at most."""
        for start, block in rankings.listed_blocks():
            longer = np.flatnonzero(block.n_ranked() > 2)
            if len(longer):
                raise InputError(
                    f"{int(block.n_ranked()[longer[0]])} items are ranked, and votes have two",
                    row=start + int(longer[0]),
                    remedy="use PlackettLuce",
                )


class StrengthRegression(StrengthModel, PredictsRankings):
    r"""How strengths of items depend on covariates: θ_i(x) = θ_i + Σ_c β_ic·x_c.

    It is :class:`PlackettLuce`, with the same parameters and attributes but ``adjust``, ``by`` and
    ``over``, for covariates ``X`` and rankings ``y``, as scikit-learn has them: it predicts
    rankings of new people, and is a Cox model in which each ranking is a stratum (rank-ordered
    logit). ``on`` None takes each column of X.

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

    feature_names_in_: Annotated[Any, Saved("*", dtype=None)]

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        people: ArrayLike | None = None,
    ) -> Self:
        """Estimate the coefficients.

        Parameters
        ----------
        X : array or frame of shape (n_rankings, n_covariates)
            Covariates. Rows of a frame with a missing value are left out, and ``notes_`` counts
            them; an array has none.
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
        self._check_parameters()
        self.notes_: list[str] = []
        for name in ("adjust", "by", "over"):
            if getattr(self, name) is not None:
                raise InputError(
                    "is for what is known of rankings that were made, not for predictions",
                    parameter=name,
                    remedy="use PlackettLuce",
                )
        weighing = {"sample_weight": sample_weight, "counts": counts, "people": people}
        table, rankings = self._read_both(X, y, items=self.items, **weighing)
        on = column_names(table, "x") if self.on is None else self.on
        beside = Beside.of_covariates(table, on, rankings.shape[0])
        self._fit_design(rankings, beside, on)
        return self

    def _predicted(self, X: Any) -> Floats:
        """The design of new people."""
        check_is_fitted(self)
        table = self._check_covariates(X, reset=False)
        return self.formula_.design(table, len(table))

    def predict_strengths(self, X: Any, *, return_std: bool = False) -> Any:
        """The strength of each item for rows of covariates, of mean 0; also its standard error."""
        design = self._predicted(X)
        each = np.array([self.contrasts(c) for c in range(design.shape[1])])
        strengths = design @ (each @ self.fit_.centre)
        if not return_std:
            return strengths
        slopes = (design @ each[:, item] for item in range(self.n_items_))
        variances = [self.fit_.errors.variances(of_item) for of_item in slopes]
        return strengths, np.sqrt(np.column_stack(variances))

    def predict_scores(self, X: Any) -> Floats:
        """The strengths, which items are ordered by; ``X`` holds covariates, as in :meth:`fit`."""
        return np.asarray(self.predict_strengths(X))

    def _pair_matrices(self, X: Any) -> Floats:
        """1 / (1 + exp(θ_j − θ_i)): the probability that i beats j."""
        strengths = self.predict_strengths(X)
        return np.asarray(special.expit(strengths[:, :, None] - strengths[:, None, :]))

    def check_restored(self) -> None:
        """Raise ValueError if a model that was read from a file is damaged."""
        origin = {name: coding.example() for name, coding in self.formula_.codings.items()}
        n_columns, n_terms = self.formula_.design(origin, 1).shape[1], len(self.numbers_)
        n_parameters = self.fit_.places[-1].stop + len(self.fit_.log_ties)
        if n_columns != n_terms or n_parameters != len(self.fit_.parameters):
            raise ValueError("the coefficients are not those of the formula")
        names = set(column_names(np.empty((0, self.n_features_in_)), "x"))
        names |= set(map(str, getattr(self, "feature_names_in_", ())))
        named = {name for column in self.formula_.columns for name in column.term.covariates}
        if not names.issuperset(named):
            raise ValueError("the formula names covariates that the model does not have")
