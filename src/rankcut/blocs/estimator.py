"""Blocs of people who rank alike, as a scikit-learn estimator."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut._loops.types import Floats, Longs
from rankcut.blocs.descriptions import describe_blocs
from rankcut.blocs.mixtures import Family, Mixture, MixtureLikelihood
from rankcut.blocs.selection import (
    LEAST_PEOPLE,
    Comparison,
    Structure,
    numbers_of_blocs,
)
from rankcut.blocs.starts import some_people, sort_columns
from rankcut.parameters import check_share, seed_from
from rankcut.pictures.page import Html
from rankcut.pictures.scene import Picture
from rankcut.plain_estimators import PlainEstimator, ReadsRankings, check_fitted
from rankcut.rankings import Rankings, Unranked
from rankcut.results import EstimatorResult, Table
from rankcut.sample.counted import CountedPeople, by_person
from rankcut.saved_arrays import Saved

if TYPE_CHECKING:
    from rankcut.blocs.report import BlocReport
    from rankcut.blocs.vectors import VectorBlocs


class RankingBlocs(EstimatorResult, ReadsRankings, PlainEstimator):
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

    _shares: Annotated[Floats, Saved("components")]
    ends_: Annotated[Any, Saved("*", "items", dtype=None)]
    labels_: Annotated[Any, Saved("people", dtype=None)]
    _vectors: "VectorBlocs | None"
    membership_: Annotated[Any, Saved("people", "blocs", dtype=None)]
    rankings_: Annotated[Any, Saved("blocs", "items", dtype=None)]
    rank_intervals_: Annotated[Any, Saved("blocs", "items", "*", dtype=None)]
    selection_: Annotated[Any, Saved("*", dtype=None)]
    sizes_: Annotated[Any, Saved("blocs", dtype=None)]
    strengths_: Annotated[Floats, Saved("blocs", "items")]
    strength_errors_: Annotated[Any, Saved("blocs", "items", dtype=None)]

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
        *,
        sample_weight: ArrayLike | None = None,
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
            rankings = rankings.with_people(None)
        self._divide(rankings)
        self.membership_ = self._probable(rankings)
        self.labels_ = self.membership_.argmax(axis=1)
        return self

    def fit_predict(self, X: Any, y: ArrayLike | None = None, **options: Any) -> Longs:
        """The blocs of the rankings that are fitted, as :attr:`labels_`; options of :meth:`fit`."""
        labels: Longs = self.fit(X, y, **options).labels_
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "clusterer"
        return tags

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
        return self._probable(self._read(X, reset=False))

    @property
    def _report(self) -> "BlocReport":
        from rankcut.blocs.report import BlocReport

        check_fitted(self, "labels_")
        return BlocReport(self)

    def sentences(self) -> list[str]:
        """What people are, and each bloc with what sets it apart."""
        return self._report.sentences()

    def tables(self) -> dict[str, Table]:
        """The blocs, a row for each bloc and item; and what sets them apart."""
        return self._report.tables()

    def facts(self) -> dict[str, Any]:
        """Sizes, the evidence for each number of camps, and other numbers."""
        return self._report.facts()

    def picture(self) -> Picture:
        """The places of the items in each bloc."""
        return self._report.picture()

    def lines(self, most: int = 20) -> list[str]:
        """Text for a terminal, with up to ``most`` items of each bloc."""
        return self._report.lines(most)

    def body(self) -> Iterator[Html]:
        """What the page shows: sentences, the picture, and a section for each bloc."""
        return self._report.body()

    def _divide(self, rankings: Rankings) -> None:
        """Find how many blocs there are among some of the people, then divide all of them."""
        least, most = numbers_of_blocs(self.n_blocs)
        check_share(self.confidence, "confidence")
        self.notes_: list[str] = []
        self.selection_: dict[str, Any] | None = None
        self.structure_: Structure | None = None
        self.ends_: Floats | None = None
        columns = sort_columns(rankings)
        people = CountedPeople.of(rankings.among(columns))
        self.n_people_ = people.n_people
        comparison = Comparison(some_people(people.trimmed))
        start = self._choose(comparison, least, most)
        likelihood = MixtureLikelihood.of(people.by_evidence)
        back = np.argsort(columns, kind="stable")
        self._vectors = None
        self._power = 1.0
        if self.features is None:
            mixture = likelihood.fit(start)
            self._power = comparison.likelihood.power(mixture)
            chances = likelihood.expect(replace(mixture, power=self._power)).chances
        else:
            plain = people.merged.among(back)
            self._vectors = self._find_vectors(plain, len(start.blocks))
            mixture = likelihood.fit_known(self._vectors.labels(plain))
            chances = mixture.chances
        order = self._count(people, chances[:, :-1])
        mixture = mixture.rearranged(order)
        self.random_share_ = float(mixture.shares[-1])
        self._note_silent(people.merged, likelihood)
        self._describe(likelihood, mixture, columns, back)

    def _choose(self, comparison: Comparison, least: int, most: int) -> Mixture:
        """The blocs of some of the people, as many as asked for or as there are."""
        different = max(1, comparison.n_different)
        if least > different:
            blocs = "is 1 bloc" if different == 1 else f"are {different} blocs"
            self.notes_.append(f"There {blocs}, not {least}: no more rankings differ.")
        few = comparison.n_people < LEAST_PEOPLE
        if few and least < most:
            self.structure_ = "crowd"
            alike = " of equal weight" if comparison.n_people < self.n_people_ else ""
            self.notes_.append(
                f"Camps are not looked for among fewer than {LEAST_PEOPLE} people{alike}."
            )
        if few or least == most:
            return comparison.settled(min(least, different))
        k = comparison.grow(min(least, different), min(most, different))
        self.structure_, n_camps, scores, best = comparison.structure(k)
        mixtures = dict(sorted(comparison.by_number.items()))
        self.selection_ = {
            "n_blocs": np.array(list(mixtures)),
            "bic": np.array([comparison.bic(mixture) for mixture in mixtures.values()]),
            "icl": np.array([comparison.icl(mixture) for mixture in mixtures.values()]),
            "structure": scores,
        }
        if self.structure_ == "line":
            middle, slope = best.blocks[:2]
            self.ends_ = np.array([middle - 2 * slope, middle + 2 * slope])
            if least == 1:
                # Who is far from the middle of a line does not rank at random.
                return comparison.settled(1, plain=True)
        return comparison.settled(n_camps if n_camps >= least else k)

    def _find_vectors(self, people: Rankings, k: int) -> "VectorBlocs":
        from rankcut.blocs.vectors import VectorBlocs

        return VectorBlocs.find(people, self.features, k, seed_from(self.random_state))

    def _count(self, people: CountedPeople, chances: Floats) -> Longs:
        """Count the people of each bloc; returns the blocs, the largest first."""
        counts = people.merged.counts
        sizes = np.bincount(chances.argmax(axis=1), counts, minlength=chances.shape[1])
        if people.merged.people is not None:
            sizes = sizes.round(9)  # they were added up by parts of people
        order = np.argsort(-sizes, kind="stable")
        self.sizes_, self.n_blocs_ = sizes[order], len(order)
        self.certainty_ = float(counts @ chances.max(axis=1) / counts.sum())
        return order

    def _note_silent(self, merged: Rankings, likelihood: MixtureLikelihood) -> None:
        """Say how many people compare no two items in any of their rankings."""
        firsts = likelihood.people[:-1]
        silent = ~np.logical_or.reduceat(likelihood.choices.informative, firsts)
        n_silent = float(np.add.reduceat(merged.counts, firsts)[silent].sum())
        if n_silent and self.n_blocs_ > 1:
            compare = "ranking compares" if n_silent == 1 else "rankings compare"
            self.notes_.append(f"{n_silent:,.6g} {compare} no two items: the bloc is arbitrary.")

    def _describe(
        self, likelihood: MixtureLikelihood, mixture: Mixture, columns: Longs, back: Longs
    ) -> None:
        """What each bloc says; ``columns`` sorts the items, and ``back`` undoes that."""
        blocs = describe_blocs(likelihood, mixture, float(self.confidence))
        self.strengths_, self.strength_errors_ = blocs.strengths[:, back], blocs.errors[:, back]
        self.rankings_, self.rank_intervals_ = blocs.rankings[:, back], blocs.intervals[:, back]
        names = self._names()
        self.distinctive_items_ = blocs.columns([names[column] for column in columns.tolist()])
        self._shares = mixture.shares
        if self.ends_ is not None:
            self.ends_ = self.ends_[:, back]

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
        ordered, rows, _ = by_person(rankings.with_weights(once), rankings.people)
        chances = np.empty((rankings.shape[0], self.n_blocs_))
        chances[rows] = MixtureLikelihood.of(ordered).expect(mixture).chances[:, :-1]
        return chances

    def _names(self) -> tuple[Hashable, ...]:
        names: tuple[Hashable, ...] | None = self._items
        return tuple(range(self.n_features_in_)) if names is None else names
