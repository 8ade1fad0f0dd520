"""Blocs of people who rank alike, as a scikit-learn estimator."""

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Longs
from rankcut.blocs.descriptions import describe_blocs
from rankcut.blocs.mixtures import Family, Mixture, MixtureLikelihood
from rankcut.blocs.selection import (
    LEAST_PEOPLE,
    MOST_BLOCS,
    Comparison,
    Structure,
    by_person,
    merge_people,
    some_people,
    sort_columns,
)
from rankcut.errors import InputError
from rankcut.estimators import TakesRankings, check_items
from rankcut.kernels.chosen_features import ChosenFeatures, choose_features
from rankcut.parameters import check_share, is_whole, seed_from
from rankcut.rankings import Rankings, Unranked
from rankcut.rankings.value import block_rows

# Random starts of k-means.
_STARTS = 10


class RankingBlocs(ClusterMixin, TakesRankings):
    """Blocs: who ranks alike, whether people fall into camps, and what each bloc says.

    Rankings are a mixture of Plackett–Luce models, one for each bloc. Camps are announced if they
    explain rankings better than one crowd, or people along a line; see
    :mod:`rankcut.blocs.selection`.

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
        None: the mixture. A feature estimator gives vectors for k-means, and a kernel is for
        kernel k-means. The mixture still says how many blocs there are.
    confidence : float, default=0.95
        Confidence with which all intervals of a bloc hold at once.
    random_state : int, RandomState or None, default=0
        With ``features``: seed of the starts. The mixture needs no random numbers.

    Attributes
    ----------
    n_blocs_ : int
        Number of blocs.
    structure_ : {"crowd", "line", "camps"} or None
        What people are; None if the number of blocs was given, so that nothing was compared.
    labels_ : ndarray of shape (n_rankings,)
        The bloc of each ranking, 0 the largest.
    membership_ : ndarray of shape (n_rankings, n_blocs_)
        How probable each bloc is for each ranking; the rest, up to 1, is that it is random.
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
        What sets blocs apart: ``bloc``, ``item``, its mean ``place`` there and ``elsewhere``, the
        ``difference`` with its interval ``low`` to ``high``, which excludes 0.
    ends_ : ndarray of shape (2, n_items) or None
        Strengths at the ends of the line, two standard deviations from its middle, if there is one.
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
    ('camps', 2, [153.0, 147.0])
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
        confidence: float = 0.95,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_blocs = n_blocs
        self.items = items
        self.unranked = unranked
        self.features = features
        self.confidence = confidence
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        counts: ArrayLike | None = None,
        people: ArrayLike | None = None,
    ) -> Self:
        """Find the blocs.

        Parameters
        ----------
        X : array, frame, CSR array of shape (n_rankings, n_items), or RankingSet
            Ranks: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
        y : None
            Ignored.
        sample_weight : array of shape (n_rankings,) or None
            Survey weights: how much each ranking counts; each is one person's.
        counts : array of shape (n_rankings,) or None
            How many people each row stands for: 3 is the same as the row three times.
        people : array of shape (n_rankings,) or None
            Whose ranking each row is: all rankings of a person are in the same bloc. With
            ``features``, rankings are taken one by one.

        Returns
        -------
        self
        """
        rankings = self._read(
            X, reset=True, sample_weight=sample_weight, counts=counts, people=people
        )
        if self.features is not None:
            rankings = replace(rankings, people=None)
        self._divide(rankings)
        self.membership_ = self._probable(rankings)
        self.labels_ = self.membership_.argmax(axis=1)
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        """The most probable bloc of each ranking; with ``features``, the nearest.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        return np.asarray(self.predict_membership(X).argmax(axis=1))

    def predict_membership(self, X: Any) -> Floats:
        """How probable each bloc is for each ranking, as ``membership_``.

        With ``features``, it is 1 for the nearest.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        check_is_fitted(self)
        rankings = self._read(X, reset=False)
        check_items(rankings, self._items)
        return self._probable(rankings)

    def summary(self, most: int = 5) -> str:
        """The blocs in words.

        Parameters
        ----------
        most : int
            How many items to name in each place.
        """
        from rankcut.blocs.report import BlocReport

        return "\n".join(BlocReport(self).lines(most))

    def plot(self) -> Any:
        """A Matplotlib figure of the places of items in each bloc."""
        from rankcut.blocs.report import BlocReport, draw_blocs

        return draw_blocs(BlocReport(self))

    def _divide(self, rankings: Rankings) -> None:
        """Everything but what is said of single rows."""
        least, most = self._range()
        check_share(self.confidence, "confidence")
        self._items = rankings.items
        self.notes_: list[str] = []
        self.selection_: dict[str, Any] | None = None
        self.structure_: Structure | None = None
        self.ends_: Floats | None = None
        columns = sort_columns(rankings)
        back = np.argsort(columns, kind="stable")
        # What a list leaves out is part of what it says: lists are told apart as they were given.
        sorted_ = replace(
            rankings, stored=rankings.stored[:, columns], items=None, unranked="anywhere",
            known_listed=None,
        )  # fmt: skip
        merged, weights = merge_people(sorted_)
        merged = replace(merged, unranked=rankings.unranked)
        total, counted = float(weights.sum()), rankings.counted and rankings.people is None
        self.n_people_ = int(total if counted else (weights > 0).sum())
        effective = total if counted else total**2 / float((weights**2).sum())
        scaled = replace(merged, weights=merged.counts * (effective / total))
        comparison = Comparison(some_people(scaled))
        mixture = self._find(comparison, least, most)
        likelihood = MixtureLikelihood.of(scaled)
        self._vectors: VectorBlocs | None = None
        self._power = 1.0
        if self.features is None:
            mixture = likelihood.fit(mixture)
            self._power = comparison.likelihood.power(mixture)
            chances = likelihood.expect(replace(mixture, power=self._power)).chances
        else:
            plain = replace(merged, stored=merged.stored[:, back], items=rankings.items)
            seed = seed_from(self.random_state)
            self._vectors = VectorBlocs.find(plain, self.features, len(mixture.blocks), seed)
            mixture = likelihood.fit_known(self._vectors.labels(plain))
            chances = mixture.chances
        k = mixture.family.n_camps
        chances = chances[:, :k]
        sizes = np.bincount(chances.argmax(axis=1), merged.counts, minlength=k)
        if rankings.people is not None:
            sizes = sizes.round(9)  # they were added up by parts of people
        order = np.append(np.argsort(-sizes, kind="stable"), k)
        mixture = replace(
            mixture,
            blocks=mixture.blocks[order[:k]],
            shares=mixture.shares[order],
            chances=mixture.chances[:, order],
        )
        self.sizes_ = -np.sort(-sizes)
        self.n_blocs_ = k
        self.random_share_ = float(mixture.shares[k])
        self.certainty_ = float(merged.counts @ chances.max(axis=1) / total)
        # Of a person, one ranking that compares two items is enough.
        firsts = likelihood.people[:-1]
        silent = ~np.logical_or.reduceat(likelihood.choices.informative, firsts)
        n_silent = float(np.add.reduceat(merged.counts, firsts)[silent].sum())
        if n_silent and k > 1:
            compare = "ranking compares" if n_silent == 1 else "rankings compare"
            self.notes_.append(f"{n_silent:,.6g} {compare} no two items: the bloc is arbitrary.")
        said = describe_blocs(likelihood, mixture, float(self.confidence))
        self.strengths_, self.strength_errors_ = said.strengths[:, back], said.errors[:, back]
        self.rankings_, self.rank_intervals_ = said.rankings[:, back], said.intervals[:, back]
        self.distinctive_items_ = said.columns([self._names()[i] for i in columns.tolist()])
        self._shares = mixture.shares
        if self.ends_ is not None:
            self.ends_ = self.ends_[:, back]

    def _find(self, comparison: Comparison, least: int, most: int) -> Mixture:
        """The blocs of some of the people, their number as it was given or found."""
        different = max(1, comparison.n_different)
        if least > different:
            blocs = "is 1 bloc" if different == 1 else f"are {different} blocs"
            self.notes_.append(f"There {blocs}, not {least}: no more rankings differ.")
        few = comparison.n_people < LEAST_PEOPLE
        if few and least < most:
            self.structure_ = "crowd"
            self.notes_.append(f"Camps are not looked for among fewer than {LEAST_PEOPLE} people.")
        if few or least == most:
            return comparison.settled(min(least, different))
        k = comparison.grow(min(least, different), min(most, different))
        self.structure_, n_camps, scores, best = comparison.structure(k)
        numbers = sorted(comparison.found)
        self.selection_ = {
            "n_blocs": np.array(numbers),
            "bic": np.array([comparison.bic(comparison.found[number]) for number in numbers]),
            "icl": np.array([comparison.icl(comparison.found[number]) for number in numbers]),
            "structure": scores,
        }
        if self.structure_ == "line":
            middle, slope = best.blocks[:2]
            self.ends_ = np.array([middle - 2 * slope, middle + 2 * slope])
            if least == 1:
                # Who is far from the middle of a line does not rank at random.
                return comparison.settled(1, plain=True)
        return comparison.settled(n_camps if n_camps >= least else k)

    def check_restored(self) -> None:
        """Raise ValueError unless parameters fit the items; a file may hold anything."""
        if self.strengths_.shape != (len(self._shares) - 1, self.n_features_in_):
            raise ValueError(f"strengths of shape {self.strengths_.shape}")
        if not 0 < self._power <= 1:
            raise ValueError(f"a power of {self._power}")

    def _probable(self, rankings: Rankings) -> Floats:
        if self._vectors is not None:
            return np.eye(self.n_blocs_)[self._vectors.labels(rankings)]
        family = Family(self.n_blocs_, noise=bool(self._shares[-1] > 0))
        mixture = Mixture(family, self.strengths_, self._shares, power=self._power)
        if rankings.people is None:
            return MixtureLikelihood.of(rankings).expect(mixture).chances[:, :-1]
        once = np.maximum(rankings.counts, 1.0) if rankings.counted else None
        sorted_, rows, _ = by_person(replace(rankings, weights=once), rankings.people)
        chances = np.empty((rankings.shape[0], self.n_blocs_))
        chances[rows] = MixtureLikelihood.of(sorted_).expect(mixture).chances[:, :-1]
        return chances

    def _range(self) -> tuple[int, int]:
        wanted: Any = self.n_blocs
        if isinstance(wanted, str) and wanted == "auto":
            return 1, MOST_BLOCS
        both = isinstance(wanted, tuple | list) and len(wanted) == 2
        least, most = wanted if both else (wanted, wanted)
        if is_whole(least, 1) and is_whole(most, int(least)):
            return int(least), int(most)
        raise InputError(
            f'must be a whole number from 1, "auto", or the least and the most; got {wanted!r}',
            parameter="n_blocs",
        )

    def _names(self) -> tuple[Hashable, ...]:
        names: tuple[Hashable, ...] | None = self._items
        return tuple(range(self.n_features_in_)) if names is None else names


@dataclass(frozen=True, eq=False)
class VectorBlocs:
    """K-means for ``features=``: centres of blocs, and the vectors that are compared with them."""

    features: ChosenFeatures  #: from ranks to vectors; those of a kernel make it kernel k-means
    centres: Floats  #: mean vectors, that of the largest bloc first

    @classmethod
    def find(cls, rankings: Rankings, features: Any, k: int, seed: int) -> "VectorBlocs":
        """Up to k blocs, the largest first; none is without people."""
        from sklearn.cluster import KMeans
        from threadpoolctl import threadpool_limits

        ranks, weights = _ranks(rankings), rankings.counts
        chosen = choose_features(features, ranks, rankings.unranked, rankings.items, seed)
        vectors = chosen.vectors(ranks)
        # With one thread, sums have the same order on every machine.
        # Fewer distinct vectors than blocs are reported by the caller.
        quiet = warnings.catch_warnings(action="ignore", category=ConvergenceWarning)
        with threadpool_limits(1), quiet:
            model = KMeans(min(k, len(vectors)), n_init=_STARTS, random_state=seed)
            found = cls(chosen, model.fit(vectors, sample_weight=weights).cluster_centers_)
        sizes = np.bincount(found.labels(rankings), weights, minlength=len(found.centres))
        order = np.argsort(-sizes, kind="stable")
        return cls(chosen, np.ascontiguousarray(found.centres[order[sizes[order] > 0]]))

    def labels(self, rankings: Rankings) -> Longs:
        """The bloc of each ranking: the nearest centre, the same bits in any block of rows."""
        step, found = block_rows(max(rankings.shape[1], self.centres.size)), []
        for start in range(0, max(rankings.shape[0], 1), step):
            vectors = self.features.vectors(_ranks(rankings, start, start + step))
            away = [((vectors - centre) ** 2).sum(axis=1) for centre in self.centres]
            found.append(np.argmin(away, axis=0))
        return np.concatenate(found)


def _ranks(rankings: Rankings, start: int = 0, stop: int | None = None) -> Floats:
    """Ranks of some rankings: 1 = best, NaN = unranked."""
    groups = rankings.groups(start, stop, close=False)
    return np.where(groups == NOWHERE, np.nan, groups.astype(np.float64) + 1.0)
