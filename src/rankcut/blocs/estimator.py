"""Blocs of people who rank alike, as a scikit-learn estimator."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats, Longs
from rankcut.blocs.descriptions import describe_blocs
from rankcut.blocs.mixtures import (
    Mixture,
    camps,
    component_values,
    expect,
    expected,
    fit_mixture,
)
from rankcut.blocs.selection import LEAST_PEOPLE, MOST_PEOPLE, Comparison, some_people, sort_columns
from rankcut.blocs.vectors import VectorBlocs, as_ranks, encode, find_centres, find_spread
from rankcut.errors import InputError
from rankcut.estimators import TakesRankings, check_items
from rankcut.kernels.chosen_features import choose_features
from rankcut.parameters import check_count, check_share, is_whole, seed_from
from rankcut.rankings import Rankings, Unranked, merge_rankings
from rankcut.rankings.reading import takes_collections
from rankcut.strengths import ChoiceLikelihood, Choices
from rankcut.strengths.fitting import MOST_DENSE

# "auto" looks at up to this many blocs.
MOST_BLOCS = 8


class RankingBlocs(ClusterMixin, TakesRankings):
    """Blocs: who ranks alike, whether people fall into camps, and what each bloc says.

    Rankings are a mixture of Plackett–Luce models, one for each bloc, fitted by EM. Before blocs
    are called camps, they are compared with one crowd, and with people who are spread along a
    line; see :mod:`rankcut.blocs.selection`.

    Parameters
    ----------
    n_blocs : int, "auto" or (int, int), default="auto"
        Number of blocs. "auto" finds camps, up to 8, and one bloc if there are none; two numbers
        are the least and the most. A number cuts people into that many blocs, camps or not.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means. "last" is for people who list their best items. With
        "anywhere" only the order of what is listed counts.
    features : None, estimator, kernel, "mallows" or "gaussian", default=None
        None: the mixture. A feature estimator gives vectors for k-means. So do graph cut,
        Spearman's and Kendall's kernels; any other kernel divides people around medoids, which are
        rankings of the data. The mixture still says how many blocs there are.
    normalize : bool, default=False
        With ``features``: scale vectors to unit length, so that short lists count as much as long
        ones.
    n_init : int, default=10
        With ``features``: number of random starts.
    confidence : float, default=0.95
        Confidence with which all intervals of a bloc hold at once.
    random_state : int, RandomState or None, default=0
        With ``features``: seed of the starts. The mixture needs no random numbers.

    Attributes
    ----------
    n_blocs_ : int
        Number of blocs.
    structure_ : {"crowd", "line", "camps"} or None
        What people are: one crowd, spread along a line, or in camps; None if the number of blocs
        was given, so that nothing was compared.
    labels_ : ndarray of shape (n_rankings,)
        The bloc of each ranking, 0 the largest. For a Dask collection, a Dask array.
    membership_ : ndarray of shape (n_rankings, n_blocs_)
        How probable each bloc is for each ranking; what is missing to 1 is the probability that it
        was made at random.
    sizes_ : ndarray of shape (n_blocs_,)
        How many people each bloc has: the sum of their weights.
    random_share_ : float
        The share of people who rank at random.
    strengths_, strength_errors_ : ndarray of shape (n_blocs_, n_items)
        The strength of each item in each bloc, with mean 0, and its standard error.
    rankings_ : ndarray of shape (n_blocs_, n_items)
        The order of each bloc by strength: 1 = best.
    rank_intervals_ : ndarray of shape (n_blocs_, n_items, 2)
        Best and worst possible place of each item, for all items of a bloc at once.
    distinctive_items_ : dict of lists
        What sets blocs apart: ``bloc``, ``item``, ``place``, ``elsewhere`` (mean places in the
        bloc and in the others), ``difference``, ``low`` and ``high``. Only items whose interval
        excludes 0.
    ends_ : ndarray of shape (2, n_items) or None
        Strengths at both ends of the line, two standard deviations from its middle, if people are
        spread along one.
    selection_ : dict or None
        ``n_blocs``, ``bic`` and ``icl``: the evidence for each number of camps; ``structure``: the
        BIC of each structure. None if the number was given.
    certainty_ : float
        Mean probability of the bloc that a person is assigned to.
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
    I. C. Gormley, T. B. Murphy. Exploring voting blocs within the Irish electorate: a mixture
    modeling approach. Journal of the American Statistical Association, 2008.

    C. Biernacki, G. Celeux, G. Govaert. Assessing a mixture model for clustering with the
    integrated completed likelihood. IEEE Transactions on Pattern Analysis and Machine
    Intelligence, 2000.

    Examples
    --------
    >>> from rankcut import RankingBlocs, make_mallows
    >>> centers = [[1, 2, 3, 4, 5, 6], [6, 5, 4, 1, 2, 3]]
    >>> votes = make_mallows(300, 6, phi=0.4, centers=centers, random_state=0)
    >>> blocs = RankingBlocs().fit(votes.ranks)
    >>> blocs.structure_, blocs.n_blocs_, blocs.sizes_.tolist()
    ('camps', 2, [152.0, 148.0])
    >>> blocs.rankings_.tolist()
    [[6, 5, 4, 1, 2, 3], [1, 2, 3, 4, 5, 6]]
    """

    def __init__(
        self,
        n_blocs: int | Literal["auto"] | tuple[int, int] = "auto",
        *,
        items: Sequence[Hashable] | None = None,
        unranked: Unranked = "error",
        features: Any = None,
        normalize: bool = False,
        n_init: int = 10,
        confidence: float = 0.95,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_blocs = n_blocs
        self.items = items
        self.unranked = unranked
        self.features = features
        self.normalize = normalize
        self.n_init = n_init
        self.confidence = confidence
        self.random_state = random_state

    @takes_collections
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        counts: ArrayLike | None = None,
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
            Survey weights: how much each ranking counts, which is one person's. None: those of a
            RankingSet, or all alike.
        counts : array of shape (n_rankings,) or None
            How many people each row stands for: 3 is the same as the row three times. None: those
            of a RankingSet, or one each.

        Returns
        -------
        self
        """
        rankings = self._read(X, reset=True, sample_weight=sample_weight, counts=counts)
        self._divide(rankings)
        self.membership_ = self._probable(rankings)
        self.labels_ = self._nearest(rankings)
        return self

    @takes_collections
    def predict(self, X: Any) -> NDArray[np.int64]:
        """The most probable bloc of each ranking; with ``features``, the nearest.

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

        What is missing to 1 is the probability that a ranking was made at random. With
        ``features``, blocs are taken as equally large normal clouds around their centres, with the
        variance that rankings have along the directions between centres.

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
        """A Matplotlib figure of the evidence for each number of blocs, and their rankings."""
        from rankcut.blocs.figure import draw_blocs
        from rankcut.blocs.words import BlocReport

        return draw_blocs(BlocReport.of(self))

    def _divide(self, rankings: Rankings) -> None:
        """Everything but what is said of single rows."""
        self._check_parameters()
        n_items = rankings.shape[1]
        if n_items > MOST_DENSE:
            raise InputError(
                f"blocs are found for up to {MOST_DENSE:,} items; there are {n_items:,}",
                remedy="keep the items that are listed most",
            )
        self._items = rankings.items
        self.notes_: list[str] = []
        self.selection_: dict[str, Any] | None = None
        self.structure_: Literal["crowd", "line", "camps"] | None = None
        self.ends_: Floats | None = None
        counts = rankings.counts
        self.n_people_ = int(counts.sum() if rankings.counted else (counts > 0).sum())
        effective = counts.sum() if rankings.counted else counts.sum() ** 2 / (counts**2).sum()
        columns = sort_columns(rankings)
        # What a list leaves out is part of what it says: lists are told apart as they were given.
        sorted_ = replace(
            rankings, stored=rankings.stored[:, columns], items=None, unranked="anywhere",
            known_listed=None,
        )  # fmt: skip
        merged = replace(merge_rankings(sorted_).rankings, unranked=rankings.unranked)
        scaled = replace(merged, weights=merged.counts * (effective / counts.sum()))
        choices = Choices.of(scaled)
        self._ties = choices.ties_meant("auto")
        likelihood = ChoiceLikelihood(choices, self._ties)
        mixture = self._find(scaled, choices.orders)
        self._vectors: VectorBlocs | None = None
        if self.features is not None:
            mixture = self._by_vectors(rankings, merged, columns, likelihood, mixture)
        else:
            start = expected(likelihood, mixture)
            mixture = fit_mixture(likelihood, mixture.family, start, mixture.offset)
        k = len(mixture.blocks)
        labels = mixture.chances[:, :k].argmax(axis=1)
        sizes = np.bincount(labels, merged.counts, minlength=k)
        mixture = _reordered(mixture, np.argsort(-sizes, kind="stable"))
        self.sizes_ = -np.sort(-sizes)
        self.n_blocs_ = k
        self.random_share_ = float(mixture.shares[k:].sum())
        top = mixture.chances[:, :k].max(axis=1)
        self.certainty_ = float(merged.counts @ top / counts.sum())
        silent = float(merged.counts[~choices.informative].sum())
        if silent and k > 1:
            self.notes_.append(
                f"{silent:,.6g} rankings compare no two items, so their bloc is arbitrary."
            )
        # Back from sorted columns to those of the rankings.
        back = np.argsort(columns, kind="stable")
        said = describe_blocs(likelihood, mixture, float(self.confidence))
        self.strengths_, self.strength_errors_ = said.strengths[:, back], said.errors[:, back]
        self.rankings_, self.rank_intervals_ = said.rankings[:, back], said.intervals[:, back]
        self.distinctive_items_ = said.columns([self._names()[i] for i in columns.tolist()])
        self.mean_places_ = said.inside[:, back]
        self._parameters = mixture.parameters
        self._parameters[:, :n_items] = self._parameters[:, back]
        self._shares = mixture.shares
        self._sizes_of_ties = likelihood.orders
        if self.ends_ is not None:
            self.ends_ = self.ends_[:, back]

    def _find(self, rankings: Rankings, sizes: Longs) -> Mixture:
        """The blocs of some of the people, their number as it was given or found."""
        least, most = self._range()
        some = some_people(rankings, MOST_PEOPLE)
        n_different = int(Choices.of(some).informative.sum())
        comparison = Comparison(some, sizes, self._ties)
        if least == most:
            if least > max(1, n_different):
                self.notes_.append(
                    f"There are {max(1, n_different)} blocs, not {least}: no more rankings differ."
                )
            return comparison.camps(min(least, max(1, n_different)))
        if comparison.n_people < LEAST_PEOPLE:
            self.structure_ = "crowd"
            self.notes_.append(f"Camps are not looked for among fewer than {LEAST_PEOPLE} people.")
            return comparison.camps(min(least, max(1, n_different)))
        k = comparison.grow(min(least, max(1, n_different)), max(1, min(most, n_different)))
        self.structure_, scores, best = comparison.structure(k)
        numbers = sorted(comparison.found)
        self.selection_ = {
            "n_blocs": np.array(numbers),
            "bic": np.array([comparison.bic(comparison.found[number]) for number in numbers]),
            "icl": np.array([comparison.icl(comparison.found[number]) for number in numbers]),
            "structure": scores,
        }
        if self.structure_ == "line":
            middle, slope = best.blocks[:2, : rankings.shape[1]]
            self.ends_ = np.array([middle - 2 * slope, middle + 2 * slope])
            return comparison.plain[k if least > 1 else 1]
        return comparison.found[k if self.structure_ == "camps" or least > 1 else 1]

    def _by_vectors(
        self,
        rankings: Rankings,
        merged: Rankings,
        columns: Longs,
        likelihood: ChoiceLikelihood,
        mixture: Mixture,
    ) -> Mixture:
        """Blocs by the user's vectors, as many as the mixture has, with their strengths."""
        seed = seed_from(self.random_state)
        plain = replace(merged, stored=merged.stored[:, np.argsort(columns)], items=rankings.items)
        chosen = choose_features(
            self.features, as_ranks(plain), self.unranked, rankings.items, seed
        )
        vectors = encode(plain, chosen, self.normalize)
        weights = plain.counts
        centres = find_centres(
            vectors, weights, len(mixture.blocks),
            by_means=chosen.is_small, n_init=self.n_init, seed=seed,
        )  # fmt: skip
        spread = find_spread(vectors, weights, centres)
        found = VectorBlocs(chosen, self.normalize, centres, spread)
        known = np.eye(len(centres))[found.labels(plain)]
        self._vectors = found
        return fit_mixture(likelihood, camps(len(centres)), known, mixture.offset, fixed=True)

    def check_restored(self) -> None:
        """Raise ValueError unless parameters fit the items and ties; a file may hold anything."""
        sizes = self._sizes_of_ties
        expected_ = self.n_features_in_ + len(sizes) - 1
        rising = len(sizes) and sizes[0] == 1 and (np.diff(sizes) > 0).all()
        if not rising or self._parameters.shape[1] != expected_ or sizes[-1] > expected_:
            raise ValueError(f"ties of sizes {sizes} in {self._parameters.shape[1]} parameters")

    def _of_rows(self, X: Any, function: Any) -> Any:
        check_is_fitted(self)
        rankings = self._read(X, reset=False)
        check_items(rankings, self._items)
        return function(rankings)

    def _nearest(self, rankings: Rankings) -> NDArray[np.int64]:
        if self._vectors is not None:
            return self._vectors.labels(rankings)
        return np.asarray(self._probable(rankings).argmax(axis=1))

    def _probable(self, rankings: Rankings) -> Floats:
        if self._vectors is not None:
            return self._vectors.membership(rankings)
        choices = Choices.of(rankings, self._sizes_of_ties)
        likelihood = ChoiceLikelihood(choices, self._ties)
        # Ties of a size that nobody had say nothing about blocs: their δ is next to nothing.
        unseen = np.log(np.finfo(np.float64).tiny)
        n_items = rankings.shape[1]
        parameters = np.full((len(self._shares), likelihood.n_parameters), unseen)
        known = np.searchsorted(likelihood.orders, self._sizes_of_ties)[1:] - 1
        parameters[:, :n_items] = self._parameters[:, :n_items]
        parameters[:, n_items + known] = self._parameters[:, n_items:]
        values = component_values(likelihood, parameters)
        return expect(values, self._shares)[1][:, : self.n_blocs_]

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
        check_count(self.n_init, "n_init")
        check_share(self.confidence, "confidence")

    def _names(self) -> tuple[Hashable, ...]:
        names: tuple[Hashable, ...] | None = self._items
        return tuple(range(self.n_features_in_)) if names is None else names


def _reordered(mixture: Mixture, order: Longs) -> Mixture:
    """Blocs in another order; those at random stay last."""
    components = np.append(order, np.arange(len(order), len(mixture.shares)))
    return replace(
        mixture,
        blocks=mixture.blocks[order],
        scales=mixture.scales[order],
        shares=mixture.shares[components],
        chances=mixture.chances[:, components],
    )
