"""Blocs of people who rank alike, as a scikit-learn estimator."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Indices
from rankcut.blocs.centres import (
    Blocs,
    assign,
    by_means,
    by_medoids,
    fit_spread,
    membership,
)
from rankcut.blocs.descriptions import (
    measure_differences,
    no_differences,
    rank_blocs,
    share_of_length,
)
from rankcut.blocs.order_vectors import Encoder, closed, fit_order_vectors, ranks_of
from rankcut.blocs.selection import sample_people, weigh_numbers
from rankcut.consensus import Resampling, Units
from rankcut.consensus.means import borda_vectors
from rankcut.errors import InputError
from rankcut.estimators import TakesRankings, check_items
from rankcut.kernels.chosen_features import choose_features
from rankcut.parameters import MOST_HELD, check_count, check_share, is_whole, seed_from
from rankcut.rankings import Rankings, Unranked
from rankcut.rankings.reading import takes_collections
from rankcut.rankings.value import block_rows

# "auto" looks at up to this many blocs.
MOST_BLOCS = 8

# The number of blocs is found for up to this many items.
MOST_ITEMS = 256


class RankingBlocs(ClusterMixin, TakesRankings):
    """Blocs: who ranks alike, how many such groups there are, and what each says.

    Parameters
    ----------
    n_blocs : int, "auto" or (int, int), default="auto"
        Number of blocs. "auto" finds it, from 1 to 8; two numbers are the least and the most.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means. "last" is for people who list their best items: which ones
        they list is their taste, and lists of different lengths differ. With "anywhere" only the
        order of what is listed counts.
    features : None, estimator, kernel, "mallows" or "gaussian", default=None
        What blocs are found by. None compares the order of listed items, pair by pair. A feature
        estimator gives vectors for k-means. So do graph cut, Spearman's and Kendall's kernels;
        any other kernel divides people around medoids, which are rankings of the data.
    normalize : bool or "auto", default="auto"
        Scale vectors to unit length, so that short lists count as much as long ones. "auto" does so
        with ``unranked="anywhere"`` if lists differ in length: there a short list has a short
        vector.
    n_init : int, default=10
        Number of random starts.
    confidence : float, default=0.95
        Confidence with which all intervals of a bloc hold at once.
    n_bootstraps : int, default=1000
        Bootstrap samples for the rank intervals; 0 leaves them out.
    random_state : int, RandomState or None, default=0
        Seed.

    Attributes
    ----------
    n_blocs_ : int
        Number of blocs. One is a possible answer: no blocs.
    labels_ : ndarray of shape (n_rankings,)
        The bloc of each ranking, 0 the largest. For a Dask collection, a Dask array.
    membership_ : ndarray of shape (n_rankings, n_blocs_)
        How probable each bloc is for each ranking.
    sizes_ : ndarray of shape (n_blocs_,)
        How many people each bloc has: the sum of their weights.
    rankings_ : ndarray of shape (n_blocs_, n_items)
        The consensus of each bloc by Borda's method: 1 = best.
    rank_intervals_ : ndarray of shape (n_blocs_, n_items, 2) or None
        Best and worst possible place of each item, for all items of a bloc at once.
    distinctive_items_ : dict of lists
        What sets blocs apart: ``bloc``, ``item``, ``place``, ``elsewhere`` (mean places in the
        bloc and in the others), ``difference``, ``low`` and ``high``. Half of the people find the
        blocs, and these numbers are of the other half. Only items whose interval excludes 0.
    selection_ : dict of arrays or None
        The evidence for each number: ``n_blocs``, ``inertia``, ``null_inertia``, ``gap``,
        ``error``, ``stability``; None if the number was given.
    centers_ : ndarray of shape (n_blocs_, n_coordinates)
        Mean vectors, or the vectors of the medoids.
    inertia_ : float
        Weighted sum of squared distances to the nearest centre.
    certainty_ : float
        Mean probability of the bloc that a person is assigned to.
    length_share_ : float or None
        The share of the variance of list lengths that the blocs explain, corrected for chance;
        None if all lists have the same length.
    n_people_ : int
        Number of people.
    notes_ : list of str
        What a reader of the result should know.
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    See Also
    --------
    Consensus : One ranking from many.
    compare_groups : Do known groups rank differently?

    References
    ----------
    R. Tibshirani, G. Walther, T. Hastie. Estimating the number of clusters in a data set via the
    gap statistic. Journal of the Royal Statistical Society B, 2001.

    Examples
    --------
    >>> from rankcut import RankingBlocs, make_mallows
    >>> centers = [[1, 2, 3, 4, 5, 6], [6, 5, 4, 1, 2, 3]]
    >>> votes = make_mallows(300, 6, phi=0.4, centers=centers, random_state=0)
    >>> blocs = RankingBlocs().fit(votes.ranks)
    >>> blocs.n_blocs_, blocs.sizes_.tolist()
    (2, [152.0, 148.0])
    >>> blocs.rankings_.tolist()
    [[1, 2, 3, 4, 5, 6], [6, 5, 4, 1, 2, 3]]
    """

    def __init__(
        self,
        n_blocs: int | Literal["auto"] | tuple[int, int] = "auto",
        *,
        items: Sequence[Hashable] | None = None,
        unranked: Unranked = "error",
        features: Any = None,
        normalize: bool | Literal["auto"] = "auto",
        n_init: int = 10,
        confidence: float = 0.95,
        n_bootstraps: int = 1000,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_blocs = n_blocs
        self.items = items
        self.unranked = unranked
        self.features = features
        self.normalize = normalize
        self.n_init = n_init
        self.confidence = confidence
        self.n_bootstraps = n_bootstraps
        self.random_state = random_state

    @takes_collections
    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Find the blocs.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
            In a Dask array or DataFrame, each different ranking is counted, block by block.
        y : None
            Ignored.
        sample_weight : array of shape (n_rankings,) or None
            Whole numbers count people: 3 is the same as the row three times. Other numbers weigh
            people, each row one person. None: the counts of a RankingSet, or one each.

        Returns
        -------
        self
        """
        rankings = self._read(X, reset=True, sample_weight=sample_weight)
        # What a list leaves out is part of what it says: lists are told apart as they were given.
        self._divide(rankings, Units.of(replace(rankings, unranked="anywhere")))
        self.labels_ = self._by_blocks(rankings, self._nearest)
        self.membership_ = self._by_blocks(rankings, self._probable)
        return self

    @takes_collections
    def predict(self, X: Any) -> NDArray[np.int64]:
        """The bloc whose centre is nearest to each ranking.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        labels: NDArray[np.int64] = self._of_rows(X, self._nearest)
        return labels

    @takes_collections
    def predict_membership(self, X: Any) -> Floats:
        """How probable each bloc is for each ranking.

        Blocs are taken as equally large normal clouds around their centres, with the variance
        that rankings have along the directions between centres.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        chance: Floats = self._of_rows(X, self._probable)
        return chance

    def summary(self, most: int = 5) -> str:
        """The blocs in words.

        Parameters
        ----------
        most : int
            How many items to name in each place.
        """
        from rankcut.blocs.words import BlocReport

        return "\n".join(BlocReport.of(self).lines(most))

    def plot(self) -> Any:
        """A Matplotlib figure of the evidence for each number of blocs, and of their rankings."""
        from rankcut.blocs.figure import draw_blocs
        from rankcut.blocs.words import BlocReport

        return draw_blocs(BlocReport.of(self))

    def _divide(self, rankings: Rankings, people: Units) -> None:
        """Everything but what is said of single rows; lists of people are left open."""
        self._check_parameters()
        seed = seed_from(self.random_state)
        self._items = rankings.items
        self.n_people_ = people.n_people
        self.notes_: list[str] = []
        groups = _all_groups(people)
        weights = people.counts.astype(np.float64)
        if people.weights is not None:
            weights *= people.weights
        listed = groups != NOWHERE
        lengths = listed.sum(axis=1)
        self._encoder = self._fit_encoder(groups, weights, seed)
        vectors = self._encoder.vectors(groups)
        number = self._find_number(groups, people, seed)
        blocs = self._search(vectors, weights, number, seed)
        self.n_blocs_ = len(blocs.centres)
        self.centers_ = blocs.centres
        self.inertia_ = blocs.inertia
        self._spread = fit_spread(vectors, weights, blocs.centres)
        chance = membership(vectors, blocs.centres, self._spread)
        self.certainty_ = float(weights @ chance.max(axis=1) / weights.sum())
        self.sizes_ = np.bincount(blocs.labels, weights, minlength=self.n_blocs_)
        self.length_share_ = share_of_length(lengths, blocs.labels, weights)
        if self.n_blocs_ < number:
            self.notes_.append(
                f"There are {self.n_blocs_} blocs, not {number}: no more rankings differ."
            )
        silent = float(weights[lengths < 2].sum())
        if silent and self.unranked == "anywhere" and self.n_blocs_ > 1:
            self.notes_.append(
                f"{silent:,.6g} rankings list fewer than two items, so their bloc is arbitrary."
            )
        resampling = Resampling(float(self.confidence), int(self.n_bootstraps), seed)
        self.rankings_, self.rank_intervals_ = rank_blocs(
            people, blocs.labels, self.n_blocs_, listed, self.unranked, resampling
        )
        self._differences = no_differences(groups.shape[1])
        if self.n_blocs_ > 1:
            self._differences = measure_differences(
                vectors,
                (groups.shape[1] + 1.0 - borda_vectors(closed(groups, self.unranked))) / 2,
                people.counts,
                people.weights,
                blocs.centres,
                lambda some, mass: self._search(some, mass, self.n_blocs_, seed),
                float(self.confidence),
                seed,
            )
        self.distinctive_items_ = self._differences.columns(self._names())

    def _fit_encoder(self, groups: Indices, weights: Floats, seed: int) -> Encoder:
        """From the groups of a ranking to its vector."""
        unit = bool(self.normalize)
        if self.normalize == "auto":
            lengths = (groups != NOWHERE).sum(axis=1)
            unit = self.unranked == "anywhere" and bool((lengths != lengths[0]).any())
        if self.features is None:
            return Encoder(fit_order_vectors(groups, weights, self.unranked), unit)
        ranks = ranks_of(groups)
        chosen = choose_features(self.features, ranks, self.unranked, self._items, seed)
        return Encoder(chosen, unit)

    def _find_number(self, groups: Indices, people: Units, seed: int) -> int:
        """The number of blocs: as it was given, or by the evidence for each."""
        least, most = self._range()
        self.selection_: dict[str, NDArray[Any]] | None = None
        if least == most:
            return least
        if groups.shape[1] > MOST_ITEMS:
            raise InputError(
                f"can be found for up to {MOST_ITEMS} items; there are {groups.shape[1]:,}",
                parameter="n_blocs",
                remedy="give a number, or keep the items that are listed most",
            )
        rows = sample_people(people.counts, seed)
        some = closed(groups[rows], self.unranked)
        weights = np.ones(len(rows)) if people.weights is None else people.weights[rows]
        evidence = weigh_numbers(some, weights, self._encoder.vectors, min(most, len(rows)), seed)
        self.selection_ = evidence.columns()
        return evidence.choose(least, most)

    def _search(self, vectors: Floats, weights: Floats, k: int, seed: int) -> Blocs:
        find = by_means if self._encoder.has_means else by_medoids
        return find(vectors, weights, min(k, len(vectors)), self.n_init, seed)

    def _of_rows(self, X: Any, function: Any) -> Any:
        check_is_fitted(self)
        rankings = self._read(X, reset=False)
        check_items(rankings, self._items)
        return self._by_blocks(rankings, function)

    def _by_blocks(self, rankings: Rankings, function: Any) -> Any:
        """The result of a function for each ranking, some rows at a time."""
        n_rows = rankings.shape[0]
        step = max(1, block_rows(max(rankings.shape[1], self.centers_.shape[1])))
        found = []
        for start in range(0, n_rows, step):
            groups = rankings.groups(start, min(start + step, n_rows), close=False)
            found.append(function(self._encoder.vectors(groups)))
        return np.concatenate(found)

    def _nearest(self, vectors: Floats) -> NDArray[np.int64]:
        return assign(vectors, self.centers_)[0]

    def _probable(self, vectors: Floats) -> Floats:
        return membership(vectors, self.centers_, self._spread)

    def _range(self) -> tuple[int, int]:
        wanted: Any = self.n_blocs
        if isinstance(wanted, str) and wanted == "auto":
            return 1, MOST_BLOCS
        if is_whole(wanted, 1):
            wanted = (wanted, wanted)
        if isinstance(wanted, tuple | list) and len(wanted) == 2:
            least, most = wanted
            if is_whole(least, 1) and is_whole(most, int(least)):
                return int(least), int(most)
        raise InputError(
            f'must be a whole number from 1, "auto", or the least and the most; got {wanted!r}',
            parameter="n_blocs",
        )

    def _check_parameters(self) -> None:
        self._range()
        if self.normalize not in (True, False, "auto"):
            raise InputError(
                f'must be True, False or "auto"; got {self.normalize!r}', parameter="normalize"
            )
        check_count(self.n_init, "n_init")
        check_share(self.confidence, "confidence")
        check_count(self.n_bootstraps, "n_bootstraps", least=0)

    def _names(self) -> tuple[Hashable, ...]:
        names: tuple[Hashable, ...] | None = self._items
        return tuple(range(self.n_features_in_)) if names is None else names


def _all_groups(people: Units) -> Indices:
    """The groups of all rows at once."""
    if len(people.counts) * people.n_items > MOST_HELD:
        raise InputError(
            f"{len(people.counts):,} different rankings of {people.n_items:,} items are too many",
            remedy="keep the items that are listed most, or a sample of the rankings",
        )
    groups = people.rankings.groups()
    return groups if people.members is None else groups[people.members]
