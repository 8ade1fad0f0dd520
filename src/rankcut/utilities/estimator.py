"""Utilities of each person: what each would choose, and how sure that is."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin

from rankcut._loops.types import Floats, Longs
from rankcut.errors import InputError, Setting
from rankcut.estimators import NamesItems, TakesRankings
from rankcut.graphs.item_graph import ItemGraph, fit_graph
from rankcut.graphs.recipes import joining_like_items
from rankcut.parameters import check_choice, check_share, seed_from
from rankcut.pictures.scene import Picture
from rankcut.rankings import Rankings, Unranked, object_array
from rankcut.results import Table
from rankcut.strengths.respondents import Respondents
from rankcut.utilities.attributes import Attributes
from rankcut.utilities.figure import AXES, distributions_picture
from rankcut.utilities.people import PeopleResult, shares_of
from rankcut.utilities.shares import PeopleShares
from rankcut.utilities.words import utilities_sentences, utilities_tables

Scale: TypeAlias = Literal["raw", "zero-centred", "probability"]


class Utilities(NamesItems, PeopleResult, TransformerMixin, TakesRankings):
    r"""Utilities of items for each person, with errors.

    Each person p has a utility for each item, u_p ~ N(μ, Σ), and makes choices by them: from the
    items shown, i is the best with probability exp(u_i) / Σ exp(u_j). Tasks may be of any kind:
    best–worst (MaxDiff), best only, choices from sets with "none" as an item, rankings, pairs; any
    number for each person. μ and Σ are learned from all, so that who said little is taken to be
    like the others.

    Parameters
    ----------
    graph : graph or recipe, default=None
        The item graph: similar items are liked by the same people, as far as the choices say.
    attributes : frame, mapping, array or None
        A row for each item, a column for each attribute, such as brand and price: utilities are
        then sums of part-worths, which differ from person to person (conjoint analysis).
    scale : {"raw", "zero-centred", "probability"}, default="raw"
        Of ``utilities_``. "raw": log-odds, with mean 0 for each person. "zero-centred": the same
        times a number for each person, so that the best and the worst item are 100 apart.
        "probability": from 0 to 100, which add up to 100 for each person; or with an anchor, the
        chance in 100 to choose the item rather than the anchor.
    anchor : label or None
        The item whose utility is 0, such as "none of these".
    confidence : float, default=0.95
        How often intervals hold.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means: it was not shown ("anywhere"), or it was and comes after all
        ranked ones ("last").
    items : sequence of labels or None
        Labels for the columns of an array.
    random_state : int, RandomState or None, default=0
        Of the draws behind means and errors.
    n_jobs : int or None
        Number of threads. The results are the same for any number.

    Attributes
    ----------
    utilities_ : ndarray of shape (n_people, n_items)
        Expected utilities on the scale.
    errors_ : ndarray of shape (n_people, n_items)
        Their standard errors.
    people_ : ndarray of shape (n_people,)
        The person of each row.
    n_tasks_ : ndarray of shape (n_people,)
        How many tasks of each person say something.
    n_effective_ : ndarray of shape (n_people,)
        Effective draws behind each person's means and errors, of 256; or of 2,048, where those
        were few.
    root_likelihood_ : ndarray of shape (n_people,)
        The geometric mean of the probabilities of what each person chose.
    at_random_ : ndarray of shape (n_people,)
        How probably each person answered at random: 0 if no class of such people makes the answers
        likelier.
    part_worths_ : ndarray of shape (n_people, n_coefficients) or None
        With attributes, expected coefficients of each person, by level or by unit.
    mean_, covariance_ : ndarrays
        μ and Σ of raw utilities, or of coefficients if there are attributes.
    n_features_in_ : int
        Number of items.

    References
    ----------
    K. Train. Discrete Choice Methods with Simulation. Cambridge University Press, 2009.
    J. Louviere, T. Flynn, A. Marley. Best–Worst Scaling. Cambridge University Press, 2015.

    Examples
    --------
    Two people and three dishes, ranked twice by each:

    >>> from rankcut import Utilities
    >>> ranks = [[1, 2, 3], [1, 3, 2], [3, 2, 1], [2, 3, 1]]
    >>> model = Utilities(items=("toro", "ika", "uni")).fit(
    ...     ranks, people=["Ann", "Ann", "Bob", "Bob"]
    ... )
    >>> model.people_.tolist(), model.choose().tolist()
    (['Ann', 'Bob'], ['toro', 'uni'])
    >>> model.utilities_.argmax(axis=1).tolist()
    [0, 2]
    """

    def __init__(
        self,
        graph: Any = None,
        *,
        attributes: Any = None,
        scale: Scale = "raw",
        anchor: Hashable = None,
        confidence: float = 0.95,
        unranked: Unranked = "error",
        items: Sequence[Hashable] | None = None,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.graph = graph
        self.attributes = attributes
        self.scale = scale
        self.anchor = anchor
        self.confidence = confidence
        self.unranked = unranked
        self.items = items
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        people: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> Self:
        """Learn the utilities of all people.

        Parameters
        ----------
        X : array, frame, CSR array or RankingSet of shape (n_tasks, n_items)
            A row for each task: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not
            ranked. Of a RankingSet with ``asked_ties=False``, as best–worst files are read, items
            between the best and the worst are not said to be equal.
        y : None
            Ignored.
        people : array of shape (n_tasks,) or None
            Whose task each row is; None: as a RankingSet says, or each is someone else's.
        sample_weight : array of shape (n_tasks,) or None
            Survey weights: a person counts as the mean of theirs.
        counts : array of shape (n_tasks,) or None
            How often each row is there.
        progress : callable or None
            Called with a few words about each step, such as ``print``.
        """
        check_choice(self.scale, get_args(Scale), "scale")
        check_share(self.confidence, "confidence")
        rankings = self._read(
            X, reset=True, people=people, sample_weight=sample_weight, counts=counts
        )
        self._anchor_column = None if self.anchor is None else self._column(self.anchor)
        self._seed = seed_from(self.random_state)
        self.people_ = _names_of_people(X, people, rankings)
        respondents = Respondents.of(rankings, self._seed)
        order, n_items = respondents.order, rankings.shape[1]
        self._attributes = None
        design = constants = graph = None
        if self.attributes is not None:
            self._attributes = Attributes.of_items(self.attributes, rankings.items, n_items)
            design, constants = self._attributes.design[order], self._attributes.constants
        if self.graph is not None:
            if design is not None:
                raise InputError(
                    "is not used beside attributes, which say how items are alike",
                    parameter="graph",
                    remedy=["leave ", Setting("graph"), " out, or ", Setting("attributes")],
                )
            graph = fit_graph(joining_like_items(self.graph), rankings)
            graph = ItemGraph.trusted(graph.weights.permuted(order), None)
        self._about = self._rows(order, design)
        described = self._learn(
            respondents, self._about, design, constants, graph, progress, self._scaled
        )
        tastes = self._fit.tastes
        back = np.argsort(order) if design is None else np.arange(len(tastes.mean))
        self.mean_: Floats = tastes.mean[back]
        centred = tastes.covariance - tastes.constants @ tastes.constants.T
        self.covariance_: Floats = centred[np.ix_(back, back)]
        self.utilities_: Floats = described.values
        self.errors_: Floats = described.errors
        self._raw: Floats = described.raw
        self.part_worths_: Floats | None = None
        if self._attributes is not None:
            self.part_worths_ = described.coefficients / self._attributes.sizes
        return self

    def transform(self, X: Any, people: ArrayLike | None = None) -> Floats:
        """Utilities of new people from their tasks, without fitting again: a row for each person.

        Rows are in the order of the sorted values of ``people``; without them, as those of X.
        """
        rankings = self._read(X, reset=False, people=people)
        respondents = Respondents.of(rankings, self._seed, self._respondents.order)
        return self._describe(respondents, self._about, self._scaled).values

    def fit_transform(self, X: Any, y: ArrayLike | None = None, **fit_params: Any) -> Floats:
        """Fit, and return ``utilities_``."""
        return self.fit(X, y, **fit_params).utilities_

    def shares(self, items: Sequence[Hashable] | None = None) -> PeopleShares:
        """Shares of preference: how often each of some items would be chosen, if all were offered.

        ``items`` are labels or columns; None is all.
        """
        columns = self._columns(items)
        places = np.argsort(self._respondents.order)[columns]

        def chances(coefficients: Floats) -> Floats:
            return shares_of(self._fit.tastes.utilities(coefficients.T)[places].T)

        names = [self._label(column) for column in columns.tolist()]
        return self._people_shares("share of preference", names, chances)

    def importance(self) -> PeopleShares:
        """How much each attribute matters: its range of part-worths, as a share of all ranges."""
        attributes = self._attributes
        if attributes is None:
            raise InputError(
                "there are no attributes, whose importance could be told",
                remedy=["fit with ", Setting("attributes")],
            )
        return self._people_shares("importance", attributes.names, attributes.importance)

    def choose(self, items: Sequence[Hashable] | None = None) -> NDArray[Any]:
        """What each person would choose from a set of items: the one with the highest utility."""
        columns = self._columns(items)
        utilities = self._raw[:, columns]
        labels = object_array([self._label(column) for column in columns.tolist()])
        return np.asarray(labels[utilities.argmax(axis=1)])

    @property
    def item_names(self) -> tuple[Hashable, ...]:
        """The labels of items, or their columns."""
        return tuple(self._label(column) for column in range(self.n_features_in_))

    def sentences(self) -> list[str]:
        """The answer in plain words."""
        return utilities_sentences(self)

    def tables(self) -> dict[str, Table]:
        """Utilities with a row for each person; items; errors; part-worths."""
        return utilities_tables(self)

    def lines(self, most: int = 20) -> list[str]:
        """The items for a terminal, then the sentences."""
        return [*self.tables()["items"].lines(most), "", *self.sentences()]

    def picture(self) -> Picture:
        """The distribution of each item's utilities, the best first."""
        means = self._weights @ self.utilities_
        return distributions_picture(
            "Utilities of people",
            [str(name) for name in self.item_names],
            self.utilities_,
            AXES[self.scale],
            np.argsort(-means, kind="stable"),
        )

    def _label(self, column: int) -> Hashable:
        return column if self._items is None else self._items[column]

    def _column(self, item: Hashable) -> int:
        labels = list(self.item_names)
        if item not in labels:
            raise InputError(
                f"is not among the {len(labels)} items that were fitted, such as {labels[0]!r}",
                item=item,
            )
        return labels.index(item)

    def _columns(self, items: Sequence[Hashable] | None) -> Longs:
        if items is None:
            return np.arange(self.n_features_in_)
        columns = np.array([self._column(item) for item in items], dtype=np.int64)
        if len(np.unique(columns)) < max(len(columns), 2):
            raise InputError("must name two different items or more", parameter="items")
        return columns

    def _rows(self, order: Longs, design: Floats | None) -> Floats:
        """Utilities about their mean, or that of the anchor, by coefficients."""
        back = np.argsort(order)
        rows = np.eye(len(order))[back] if design is None else design[back]
        centre = rows.mean(axis=0) if self._anchor_column is None else rows[self._anchor_column]
        return np.asarray(rows - centre)

    def _scaled(self, raw: Floats, spread: Floats) -> tuple[Floats, Floats]:
        """Utilities on the scale, and their errors (by the delta method), from raw ones."""
        errors = np.sqrt(np.maximum(np.diag(spread), 0.0))
        if self.scale == "raw":
            return raw, errors
        if self.scale == "zero-centred":
            factor = 100.0 / max(float(np.ptp(raw)), np.finfo(float).tiny)
            return factor * raw, factor * errors
        if self._anchor_column is not None:
            chances = 1.0 / (1.0 + np.exp(-raw))
            return 100.0 * chances, 100.0 * chances * (1.0 - chances) * errors
        # The chance against the other items of a task of average items.
        others = max(self._shown - 1.0, 1.0)
        worths = np.exp(raw)
        chances = worths / (worths + others)
        total = chances.sum()
        shares = chances / total
        slopes = chances * (1.0 - chances) / total
        derivative = np.diag(slopes) - np.outer(shares, slopes)
        variances = np.einsum("ij,jk,ik->i", derivative, spread, derivative)
        return 100.0 * shares, 100.0 * np.sqrt(np.maximum(variances, 0.0))

    @property
    def _shown(self) -> float:
        """The mean number of items of a task."""
        return float(np.diff(self._respondents.tasks.starts).mean())


def _names_of_people(X: Any, people: ArrayLike | None, rankings: Rankings) -> NDArray[Any]:
    """The person of each row of what is learned."""
    is_set = hasattr(X, "__rankings__")
    if people is None:
        people = X.people if is_set else rankings.people
    if people is not None and rankings.people is not None:
        names = np.asarray(people)
        try:
            return np.unique(names)
        except TypeError:
            return np.unique(names.astype(str))
    ids = X.ids if is_set else None
    return np.arange(rankings.shape[0]) if ids is None else object_array(ids)
