"""A leaderboard: ratings of items with intervals, and which places are real."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import asdict
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.types import Floats, Longs
from rankcut.errors import InputError, Setting
from rankcut.files import from_frame
from rankcut.files.columns import Labels, TableColumn, read_columns
from rankcut.graphs.item_graph import as_item_graph
from rankcut.leaderboard.figure import board_body, ratings_picture, wins_picture
from rankcut.leaderboard.games import Games, looks_like_games
from rankcut.leaderboard.judges import JudgeAgreement, judge_agreement
from rankcut.leaderboard.next_votes import Aim, NextVotes, check_aim, choose_pairs
from rankcut.leaderboard.places import Places
from rankcut.leaderboard.rating import Rating, rate
from rankcut.leaderboard.scale import Scale, ScaleName
from rankcut.leaderboard.scores import ScoreTable, looks_like_scores, student_quantile
from rankcut.leaderboard.words import board_lines, board_sentences, board_tables, items_table
from rankcut.parameters import (
    ROWS_AT_ONCE,
    check_bootstraps,
    check_choice,
    check_count,
    check_share,
    seed_from,
)
from rankcut.pictures.page import Html, items_page, tag
from rankcut.pictures.scene import Picture
from rankcut.plain_estimators import PlainEstimator
from rankcut.rankings import Rankings, Unranked, as_frame, read_rankings
from rankcut.results import EstimatorResult, Table
from rankcut.results.result import plain
from rankcut.strengths import Strengths, Ties, fit_strengths
from rankcut.strengths.designs import NoMaximumError
from rankcut.strengths.limits import UnbeatenLimit

Method: TypeAlias = Literal["auto", "strengths", "mean"]
Prior: TypeAlias = Literal["evidence", "none"]
Drawing: TypeAlias = Literal["ratings", "wins"]


class Leaderboard(EstimatorResult, PlainEstimator):
    r"""Rate items by votes, games, scores or rankings, and say which places are real.

    Ratings are strengths of the Bradley–Terry model (Plackett–Luce for longer lists), on Elo's
    scale or as log-odds; or mean scores. Each has an interval, a place, and two intervals of
    places: this item's alone (marginal), and the whole table's at once (simultaneous).

    Parameters
    ----------
    method : {"auto", "strengths", "mean"}, default="auto"
        "strengths": of the Bradley–Terry or Plackett–Luce model. "mean": mean scores over data
        sets. "auto": means for a frame of scores, strengths for all else.
    scale : {"elo", "log-odds"}, default="elo"
        Of strengths: 400 points of Elo's scale are odds of 10 to 1.
    anchor : str, mapping or None
        Which item has which rating: ``"GPT 4=1000"`` or ``{"GPT 4": 1000}``. None: the mean is
        1000, or 0 for log-odds.
    ties : {"auto", "davidson", "exact", "efron", "breslow", "half"}, default="auto"
        What a tie means: "davidson", that people find items equal; "half", half a win for each, as
        on public boards; for the others see :func:`~rankcut.strengths.fit_strengths`. "auto" is
        "davidson" for votes.
    prior : {"evidence", "none"}, default="evidence"
        "evidence": ratings of items with few votes are pulled to the middle, as far as the votes
        say. "none": maximum likelihood.
    adjust : str, sequence of str or None
        Features of what was shown, for which ratings are adjusted (style control): ``"length"``
        for columns ``length_a`` and ``length_b``; ``"slot"`` or ``"home"`` for being shown first.
        ``effects_`` has what each adds.
    by : str or None
        The column of categories: ``boards_`` has a board for each, which borrows from the others
        as far as the votes say (partial pooling).
    over : str or None
        The column of dates, or of numbers: ratings change over time, as far as the votes say, and
        the board is that of the last period. ``history_`` has the others.
    graph : ItemGraph, recipe, matrix or None
        The item graph: similar items have similar ratings, as far as the votes say.
    best : int or None
        How many to call the best: say who is among them, and how probably.
    n_bootstrap : int, default=0
        Intervals of ratings from this many bootstrap samples of judges, or of votes without
        judges, as public boards publish them; 0: by the sandwich, which holds with few judges, too.
    simultaneous : bool, default=False
        Whether the table shows the simultaneous intervals of places.
    confidence : float, default=0.95
        How often intervals hold.
    unranked : {"error", "last", "anywhere"}, default="error"
        What items mean that a ranking leaves out. Votes compare the two items they list.
    items : sequence of labels or None
        Labels for the columns of an array of rankings.
    random_state : int, RandomState or None, default=0
        Of the draws behind places.

    Attributes
    ----------
    items_ : tuple
        The items, in the order of the arrays below.
    ratings_ : ndarray of shape (n_items,)
        The rating of each item.
    standard_errors_ : ndarray of shape (n_items,)
        Of the ratings.
    intervals_ : ndarray of shape (n_items, 2)
        Confidence limits of the ratings.
    places_ : Places
        Places, their two kinds of intervals, place probabilities, clear pairs and tiers.
    games_ : Games or None
        The votes, if there are any.
    scores_ : ScoreTable or None
        The scores, if there are any.
    strengths_ : Strengths or None
        The fitted model.
    effects_ : tuple of Effect
        What a unit of each feature of ``adjust`` adds to the log-odds of being preferred.
    boards_ : dict
        The board of each category of ``by``.
    history_ : StrengthsOverTime or None
        Strengths in each period of ``over``.
    judges_ : JudgeAgreement or None
        How each judge agrees with the others.
    limits_ : sequence of UnbeatenLimit
        Of items that won, or lost, all of their votes: their intervals have one end.

    References
    ----------
    M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm. Inference for Ranks with Applications to
    Mobility across Neighbourhoods and Academic Achievement across Countries. Review of Economic
    Studies, 2024.

    Examples
    --------
    >>> import pandas as pd
    >>> from rankcut import Leaderboard
    >>> votes = pd.DataFrame(
    ...     [("ada", "bob", "a"), ("ada", "cyd", "a"), ("bob", "cyd", "tie"), ("cyd", "ada", "b"),
    ...      ("bob", "ada", "b"), ("cyd", "bob", "b"), ("ada", "bob", "b"), ("cyd", "ada", "a")],
    ...     columns=["model_a", "model_b", "winner"])
    >>> board = Leaderboard(scale="log-odds").fit(votes)
    >>> board.items_, board.ratings_.round(2).tolist()
    (('ada', 'bob', 'cyd'), [0.34, 0.03, -0.37])
    >>> board.places_.ranks.tolist(), board.places_.marginal.tolist()
    ([1, 2, 3], [[1, 3], [1, 3], [1, 3]])
    """

    def __init__(
        self,
        method: Method = "auto",
        *,
        scale: ScaleName = "elo",
        anchor: Any = None,
        ties: Ties = "auto",
        prior: Prior = "evidence",
        adjust: str | Sequence[str] | None = None,
        by: str | None = None,
        over: str | None = None,
        graph: Any = None,
        best: int | None = None,
        n_bootstrap: int = 0,
        simultaneous: bool = False,
        confidence: float = 0.95,
        unranked: Unranked = "error",
        items: Sequence[Hashable] | None = None,
        random_state: Any = 0,
    ) -> None:
        self.method = method
        self.scale = scale
        self.anchor = anchor
        self.ties = ties
        self.prior = prior
        self.adjust = adjust
        self.by = by
        self.over = over
        self.graph = graph
        self.best = best
        self.n_bootstrap = n_bootstrap
        self.simultaneous = simultaneous
        self.confidence = confidence
        self.unranked = unranked
        self.items = items
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        counts: ArrayLike | None = None,
        people: Any = None,
    ) -> Self:
        """Rate the items.

        Parameters
        ----------
        X : frame, Games, ScoreTable, array, CSR array or RankingSet
            A frame of votes has a row for each: two columns of items (``model_a`` and ``model_b``,
            ``home_team`` and ``away_team``, ``winner`` and ``loser``), who won, and who judged. A
            frame of scores has a row for each (``model``, ``dataset``, ``accuracy``), or is a table
            of data sets by models; other frames with text, such as best–worst tasks, are read as
            files are. Anything else is a rank matrix.
        y : None
            Ignored.
        counts : array of shape (n_rankings,) or None
            How many people each ranking of a rank matrix stands for.
        people : str, array of shape (n_rankings,) or None
            Who judged: a column of the frame, or a value for each ranking. None: the column called
            judge, annotator, user and the like; or each vote is someone else's.

        Returns
        -------
        self
        """
        check_choice(self.method, ("auto", "strengths", "mean"), "method")
        check_choice(self.prior, ("evidence", "none"), "prior")
        check_share(self.confidence, "confidence")
        check_bootstraps(self.n_bootstrap, "n_bootstrap", self.confidence)
        self.seed_ = seed_from(self.random_state)
        self._forget()
        self.boards_: dict[Any, Leaderboard] = {}
        # Votes or rankings with strengths, or else scores.
        self.games_: Any
        self.scores_: Any
        self.rankings_: Any
        self.games_, self.scores_, self.rankings_ = self._read(X, counts, people)
        rating = Rating(None, self.games_)
        if self.scores_ is not None:
            self.items_: Labels = self.scores_.items
            self.method_, higher = "mean", self.scores_.higher_is_better
            self.scale_ = Scale.of("score", self.anchor, self.items_, higher_is_better=higher)
        else:
            self.items_ = tuple(map(self.rankings_.item, range(self.rankings_.shape[1])))
            self.method_ = "strengths"
            self.scale_ = Scale.of(self.scale, self.anchor, self.items_)
        self.n_features_in_ = len(self.items_)
        self._check()
        if self.scores_ is None:
            rating = self._rate()
        self.strengths_: Any = rating.strengths
        self.games_, self.effects_, self.history_ = rating.games, rating.effects, rating.history
        self.boards_ = {label: self._part(*each) for label, each in rating.boards.items()}
        return self

    def _forget(self) -> None:
        """Leave out what was derived from another fit."""
        for name in ("places_", "n_votes_", "judges_", "unshrunk_"):
            self.__dict__.pop(name, None)

    @property
    def _adjusted(self) -> list[str]:
        """The names of features that are adjusted for."""
        return [self.adjust] if isinstance(self.adjust, str) else list(self.adjust or ())

    def _check(self) -> None:
        """Refuse what does not go together, or not with the data."""
        if self.best is not None and check_count(self.best, "best") >= len(self.items_):
            raise InputError(
                f"must be fewer than the {len(self.items_)} items; got {self.best}",
                parameter="best",
            )
        settings: dict[str, Any] = {"adjust": self._adjusted, "by": self.by, "over": self.over}
        if self.scores_ is not None:
            settings |= {"graph": self.graph, "n_bootstrap": self.n_bootstrap}
        for name, value in settings.items():
            if self.games_ is None and value:
                raise InputError(
                    "needs votes between two items, in a table with a row for each",
                    parameter=name,
                    remedy="pass the frame of votes itself, not rankings that were read from it",
                )
        others = (self.by, "by", self.by), (self.prior == "none", "prior", "none")
        for is_set, name, value in (*others, (self.n_bootstrap, "n_bootstrap", self.n_bootstrap)):
            if self.over is not None and is_set:
                raise InputError(
                    [Setting("over"), " and ", Setting(name, value), " do not go together"],
                    remedy="leave one out",
                )

    def _rate(self, **changes: Any) -> Rating:
        """The strengths of votes or rankings."""
        settings: dict[str, Any] = {
            "prior": self.prior,
            "ties": self.ties,
            "n_bootstrap": self.n_bootstrap,
            "seed": self.seed_,
        }
        terms = {"adjust": self._adjusted, "by": self.by, "over": self.over}
        if terms == {"adjust": [], "by": None, "over": None}:
            settings |= changes
            return Rating(fit_strengths(self.rankings_, graph=self.graph, **settings), self.games_)
        graph = self.graph
        if graph is not None:
            graph = as_item_graph(graph).aligned(len(self.items_), self.items_)
        settings |= {**terms, "graph": graph, "confidence": self.confidence, **changes}
        return rate(self.games_, **settings)

    def _part(self, strengths: Strengths, games: Games) -> "Leaderboard":
        """The board of a category."""
        board = copy(self)
        board._forget()
        board.by, board.games_, board.strengths_, board.boards_ = None, games, strengths, {}
        board.rankings_ = games.rankings()
        board.__dict__.update(judges_=None, unshrunk_=None)
        return board

    def _read(
        self, X: Any, counts: ArrayLike | None, people: Any
    ) -> tuple[Games | None, ScoreTable | None, Rankings | None]:
        """The votes or scores, if X has them, and rankings but for means."""
        if isinstance(X, ScoreTable):
            return None, X, None
        if isinstance(X, Games):
            return X, None, X.rankings()
        if as_frame(X) is not None:
            columns = read_columns(X)
            named = people if isinstance(people, str) else None
            data = games_or_scores(columns, self.method, named)
            if isinstance(data, Games):
                return data, None, data.rankings()
            if data is not None:
                return None, data, None
            if not all(column.is_numeric for column in columns.values()):
                X = from_frame(X)
        if self.method == "mean":
            raise InputError(
                "means need scores: a frame with columns of models, of data sets and of scores",
                remedy=["pass one, or use ", Setting("method", "strengths")],
            )
        rankings = read_rankings(
            X, self.items, unranked=self.unranked, counts=counts, people=people
        )
        return None, None, rankings

    @property
    def ratings_(self) -> Floats:
        """The rating of each item."""
        fit = self.strengths_
        return self.scale_.ratings(self.scores_.means.values if fit is None else fit.theta)

    @property
    def unit(self) -> str:
        """What items are rated by."""
        if self.strengths_ is None:
            return "data sets"
        return "rankings" if self.games_ is None else "votes"

    @cached_property
    def places_(self) -> Places:
        """Places and how sure they are."""
        shared = self.confidence, self.seed_
        fit = self.strengths_
        if fit is None:
            means = self.scores_.means
            return Places(means.values, means.covariance, means.freedom, *shared)
        if fit.covariance is None:
            raise InputError(
                f"{len(self.items_):,} items are too many for intervals of places",
                remedy="leave out those with few votes",
            )
        least = None if fit.pulls is None else np.sqrt(fit.pulls.of_differences())
        return Places(fit.theta, fit.covariance, fit.freedom, *shared, fit.centre, least)

    @property
    def standard_errors_(self) -> Floats:
        """The standard error of each rating."""
        if self._bootstraps is not None:
            return np.asarray(self._bootstraps.std(axis=0))
        errors = self.scale_.errors(self.places_.covariance)
        if self.strengths_ is None or self.strengths_.pulls is None:
            return errors
        return np.maximum(errors, self.scale_.errors(self.strengths_.pulls.covariance))

    @property
    def intervals_(self) -> Floats:
        """Confidence limits of each rating."""
        centre, ratings = self.scale_.ratings(self.places_.estimates), self.ratings_
        if self.strengths_ is None:
            freedom = np.diag(self.scores_.means.freedom)
        else:
            freedom = self.strengths_.freedom
        half = student_quantile(np.maximum(freedom, 1.0), self.confidence) * self.standard_errors_
        low, high = centre - half, centre + half
        if self._bootstraps is not None:
            tail = (1 - self.confidence) / 2
            low, high = np.quantile(self._bootstraps, [tail, 1 - tail], axis=0)
        for limit in self.limits_:
            # How far an item that always won is beyond its limit, nobody knows.
            low[limit.item], high[limit.item] = -np.inf, np.inf
            (low if limit.sign > 0 else high)[limit.item] = self._rating_of(limit)
        return np.stack([np.minimum(low, ratings), np.maximum(high, ratings)], axis=1)

    @property
    def _bootstraps(self) -> Floats | None:
        """Ratings in bootstrap samples, a row for each."""
        fit = self.strengths_
        if fit is None or fit.bootstraps is None:
            return None
        return self.scale_.ratings(fit.bootstraps)

    @property
    def limits_(self) -> Sequence[UnbeatenLimit]:
        """The limits of items that won, or lost, all of their votes."""
        return () if self.strengths_ is None else self.strengths_.limits

    def _rating_of(self, limit: UnbeatenLimit) -> float:
        """The rating of a limit, beside those of the other items."""
        others = np.arange(len(self.items_)) != limit.item
        # Strengths are about the mean of all items, of which the unbeaten one is one.
        gap = limit.at(self.confidence) + limit.strength / others.sum()
        return float(self.ratings_[others].mean() + self.scale_.factor * gap)

    @cached_property
    def n_votes_(self) -> Longs:
        """The number of votes, rankings or data sets of each item."""
        if self.games_ is not None:
            return np.asarray(self.games_.n_votes)
        if self.scores_ is not None:
            return np.asarray(self.scores_.n_votes)
        return times_listed(self.rankings_)

    @cached_property
    def judges_(self) -> JudgeAgreement | None:
        """How each judge agrees with the others."""
        if self.games_ is None or self.games_.judge is None or len(self.games_.judges) < 2:
            return None
        fit = self.strengths_
        return judge_agreement(self.games_, fit.theta, self._model_covariance, self.confidence)

    @cached_property
    def unshrunk_(self) -> Strengths | None:
        """The strengths by maximum likelihood; None if there are none."""
        if self.strengths_ is None or not self.strengths_.connected.all() or self.over:
            return None
        try:
            return self._rate(
                prior="none", n_bootstrap=0, **({"by": None} if self.by else {})
            ).strengths
        except NoMaximumError:
            return None

    @property
    def _model_covariance(self) -> Floats:
        """The covariance of strengths if the model is true."""
        fit = self.strengths_
        return np.asarray(fit.covariance if fit.model_covariance is None else fit.model_covariance)

    def next_comparisons(self, n: int = 20, *, aim: Aim = "order", k: int = 1) -> NextVotes:
        """The votes that are expected to tell the most: see :func:`next_comparisons`."""
        check_aim(aim, n, k)
        if self.strengths_ is None:
            raise InputError(
                "what to ask next is known of votes, not of mean scores",
                remedy=["use ", Setting("method", "strengths")],
            )
        pairs = choose_pairs(
            self.strengths_.theta,
            self._model_covariance,
            n,
            aim,
            self.places_.best(k) if aim == "best" else None,
        )
        return NextVotes(self.items_, pairs, None if self.games_ is None else self.games_.meetings)

    def sentences(self) -> list[str]:
        """What the board says, and what it does not."""
        return board_sentences(self)

    def tables(self) -> dict[str, Table]:
        """The items; then pairs, tiers and judges."""
        return board_tables(self)

    def lines(self, most: int = 20) -> list[str]:
        """Text for a terminal."""
        return board_lines(self, most)

    def picture(self, kind: Drawing = "ratings") -> Picture | None:
        """Ratings with their intervals, or the matrix of wins.

        Parameters
        ----------
        kind : {"ratings", "wins"}, default="ratings"
            Of wins there is a picture where there are votes.
        """
        check_choice(kind, ("ratings", "wins"), "kind")
        return ratings_picture(self) if kind == "ratings" else wins_picture(self)

    def body(self) -> Iterator[Html]:
        """What the page shows: sentences, the table, pictures, tiers and judges."""
        return board_body(self)

    def page(self, title: str | None = None) -> str:
        """One HTML page, on which items can be found, chosen and sorted."""
        heading = title or "Leaderboard"
        return items_page(heading, tag("h1", heading), *self.body())

    def to_dict(self) -> dict[str, Any]:
        """The board as plain numbers, text, lists and dictionaries, ready for JSON."""
        columns = items_table(self).columns
        items = Table({name: values for name, values in columns.items() if name != "wins"})
        boards = {str(label): board.to_dict() for label, board in self.boards_.items()}
        tiers = [[self.items_[i] for i in tier] for tier in self.places_.tiers]
        data = {
            "scale": self.scale_.name,
            "anchor": self.scale_.anchor,
            "items": items,
            "adjust": [asdict(effect) for effect in self.effects_],
            "tiers": [[str(item) for item in tier] for tier in tiers],
            **({"boards": boards} if boards else {}),
        }
        return {name: plain(value) for name, value in data.items()}


def games_or_scores(
    columns: Mapping[str, TableColumn], method: Method, people: str | None, **about_scores: Any
) -> Games | ScoreTable | None:
    """The votes or scores of a table; None if it has neither."""
    if looks_like_games(columns):
        if method == "mean":
            return None
        return Games.of_columns(columns, people=people)
    if method != "strengths" and looks_like_scores(columns):
        return ScoreTable.of_frame(columns, **about_scores)
    return None


def times_listed(rankings: Rankings) -> Longs:
    """How many rankings list each item."""
    matrix = rankings.dense()
    times = np.zeros(rankings.shape[1])
    for start in range(0, rankings.shape[0], ROWS_AT_ONCE):
        some = slice(start, start + ROWS_AT_ONCE)
        rows = matrix.read(start, min(start + ROWS_AT_ONCE, rankings.shape[0]))
        times += rankings.counts[some] @ ~np.isnan(rows)
    return times.astype(np.int64)


def next_comparisons(
    board: Leaderboard, n: int = 20, *, aim: Aim = "order", k: int = 1
) -> NextVotes:
    """The next n votes that are expected to tell the most.

    Each is chosen as if those before had been answered.

    Parameters
    ----------
    board : Leaderboard
        Fitted to votes or rankings.
    n : int, default=20
        How many votes; a pair may come more than once.
    aim : {"order", "strengths", "best"}, default="order"
        What is to be known: who is ahead of whom, how far items are apart, or which are the best.
    k : int, default=1
        With ``aim="best"``, how many.

    Returns
    -------
    NextVotes
        A :class:`~rankcut.results.Result` with a row for each vote.

    Examples
    --------
    >>> import pandas as pd
    >>> from rankcut.leaderboard import Leaderboard, next_comparisons
    >>> votes = pd.DataFrame([("ada", "bob"), ("bob", "ada"), ("ada", "cyd")] * 5,
    ...                      columns=["winner", "loser"])
    >>> next_comparisons(Leaderboard().fit(votes), 1).summary()
    'Ask bob against cyd first.'
    """
    return board.next_comparisons(n, aim=aim, k=k)
