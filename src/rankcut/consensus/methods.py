"""The consensus by each method, with rank intervals and the stability of the winner.

First, vectors of rankings whose means order the items: by places, by an item graph, by shares.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.closed_form import spread_rows
from rankcut._loops.partitions import NOWHERE, centred_positions, close_rows
from rankcut._loops.types import Floats, Indices
from rankcut.consensus.intervals import (
    outweighs_missed,
    places_by_pairs,
    places_by_ranges,
    sure_coordinates,
    sure_differences,
)
from rankcut.consensus.kemeny import KemenyOrder, kemeny_order, possible_firsts
from rankcut.consensus.pairs import (
    MOST_TABULATED,
    Comparisons,
    beats,
    components,
    copeland_scores,
    pair_matrix,
)
from rankcut.parameters import AT_ONCE
from rankcut.rankings import Rankings, Unranked
from rankcut.rankings.orders import to_ranking
from rankcut.rankings.partitions import FEW_ENTRIES
from rankcut.sample import ListEntries, Mean, Sample, Vectors
from rankcut.vocabulary import ConsensusMethod

if TYPE_CHECKING:
    from rankcut.graphs import ItemGraph
    from rankcut.strengths import Strengths


def borda_vectors(groups: Indices) -> Floats:
    """Worse minus better items, for each item: the vectors of the complete graph.

    >>> borda_vectors(np.array([[0, 1, 1, 2]], dtype=np.uint32))
    array([[ 3.,  0.,  0., -3.]])
    """
    if groups.size * groups.shape[1] <= FEW_ENTRIES and not (groups == NOWHERE).any():
        places = groups.astype(np.int64)
        signs = np.sign(places[:, None, :] - places[:, :, None])
        return np.asarray(signs.sum(axis=2), dtype=np.float64)
    vectors = np.empty(groups.shape)
    centred_positions(groups, vectors)
    return vectors


def graph_vectors(graph: "ItemGraph") -> Vectors:
    """Σ_j W_ij·e_ij with e_ij the expected sign, for each item i: positive where i is better.

    Tied items do not count for or against each other, and each keeps its own sum. In the vectors of
    the kernel they share the mean of their group: an item with strong edges would gain more where
    it is listed than it loses where it is not, and come first although nobody prefers it.

    >>> from rankcut.graphs import as_item_graph
    >>> chain = as_item_graph([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    >>> graph_vectors(chain)(np.array([[0, 1, 1], [1, 1, 0]], dtype=np.uint32))
    array([[ 1., -1.,  0.],
           [ 0., -2.,  2.]])
    """
    # Imported here, because item graphs import scikit-learn, which other vectors do not need.
    from rankcut.cuts.cut_functions import ExpectedSlopes

    slopes = ExpectedSlopes(graph)

    def vectors(groups: Indices) -> Floats:
        ranks = np.where(groups == NOWHERE, np.nan, groups)
        rows = np.empty(groups.shape)
        for first, block in slopes.read(Rankings(ranks, unranked="anywhere"), 0, len(groups)):
            entries = slopes.entries(block, np.ones(len(block)), shared=False)
            spread_rows(entries, rows[first : first + len(block)])
        return rows

    return vectors


def ratio_vectors(sample: Sample) -> Vectors:
    """Vectors whose mean is n − 1 times what share of comparisons an item wins, minus loses.

    For incomplete rankings of more items than pairs can be looked at.
    """
    n_items = sample.n_items
    won, compared = listed_sums(sample)
    share = np.divide(won, compared, out=np.zeros(n_items), where=compared > 0)
    each = np.divide(sample.total, compared, out=np.zeros(n_items), where=compared > 0)

    def vectors(groups: Indices) -> Floats:
        wins, meetings = listed_wins(groups)
        return np.asarray((n_items - 1) * (share + each * (wins - share * meetings)))

    return vectors


def listed_sums(sample: Sample) -> tuple[Floats, Floats]:
    """How many comparisons with listed items each item wins minus loses, and how many it has."""
    if sample.rankings.sparse is not None:
        entries = ListEntries.of(sample.rankings)
        each = sample.ranking_weights[entries.row]
        others = each * (entries.lengths[entries.row] - 1)
        won = np.bincount(entries.item, each * entries.wins(), sample.n_items).astype(np.float64)
        return won, np.bincount(entries.item, others, sample.n_items).astype(np.float64)
    won, compared = np.zeros(sample.n_items), np.zeros(sample.n_items)
    for block in sample.blocks(sample.n_items):
        wins, meetings = listed_wins(block.groups)
        won += block.counts @ block.totals(wins)
        compared += block.counts @ block.totals(meetings)
    return won, compared


def listed_wins(groups: Indices) -> tuple[Floats, Floats]:
    """How many listed items each listed one beats minus how many beat it, and how many it meets.

    >>> nowhere = np.uint32(NOWHERE)
    >>> wins, meetings = listed_wins(np.array([[0, 0, 1, nowhere]], dtype=np.uint32))
    >>> wins.tolist(), meetings.tolist()
    ([[1.0, 1.0, -2.0, 0.0]], [[2.0, 2.0, 2.0, 0.0]])
    """
    unlisted = groups == NOWHERE
    n_unlisted = unlisted.sum(axis=1, keepdims=True)
    closed = groups.copy()
    # Tied after all others, unlisted items are beaten by each listed one.
    close_rows(closed)
    wins = np.where(unlisted, 0.0, borda_vectors(closed) - n_unlisted)
    return wins, np.where(unlisted, 0.0, groups.shape[1] - n_unlisted - 1.0)


@dataclass(frozen=True, eq=False)
class Resampling:
    """How rank intervals are found: confidence, number of bootstrap samples, seed.

    Without samples there are no intervals.
    """

    confidence: float = 0.95
    n_bootstraps: int = 1000
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Outcome:
    """A consensus."""

    scores: Floats  #: the score of each item
    ranking: NDArray[np.int64]  #: the rank of each item; items nobody ranks are tied last
    intervals: NDArray[np.int64] | None  #: best and worst possible place of each item
    #: The share of bootstrap samples in which each item is first; a tie is shared
    first: Floats | None
    kemeny: KemenyOrder | None = None  #: the order and its bound, by Kemeny's method
    sure: NDArray[np.bool_] | None = None  #: whether i is surely better than j


def mean_scores(sample: Sample) -> Floats:
    """Borda's scores: how many items each beats, minus how many beat it, on average.

    If unranked items may be anywhere, n − 1 times the share of its comparisons that an item wins,
    minus the share that it loses.
    """
    n_items = sample.n_items
    if sample.unranked == "anywhere":
        won, compared = listed_sums(sample)
        return (n_items - 1) * np.divide(won, compared, out=np.zeros(n_items), where=compared > 0)
    return sample.sums(borda_vectors, n_items) / sample.total


def rank_listed(scores: Floats, listed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The order of the scores, with items that nobody ranks tied last.

    >>> rank_listed(np.array([0.5, 0.0, -0.5]), np.array([True, False, True]))
    array([1, 3, 2])
    """
    ranking = np.full(len(scores), int(listed.sum()) + 1)
    ranking[listed] = to_ranking(scores[listed])
    return ranking


def by_vectors(
    sample: Sample,
    vectors: Vectors,
    resampling: Resampling,
    extremes: Floats | None = None,
    n_asked: Floats | None = None,
) -> Outcome:
    """Items in the order of the mean vector.

    ``extremes`` and ``n_asked`` are as for :func:`rankcut.consensus.intervals.sure_differences`.
    """
    n_items = sample.n_items
    mean = sample.mean(vectors, n_items, covariance=n_items <= MOST_TABULATED)
    if not resampling.n_bootstraps:
        return Outcome(mean.vector, rank_listed(mean.vector, sample.listed), None, None)
    samples = sample.bootstrap(vectors, n_items, resampling.n_bootstraps, resampling.seed)
    return _by_means(
        mean, samples, sample.listed, sample.unranked, resampling.confidence, extremes, n_asked
    )


def by_strengths(sample: Sample, fit: "Strengths", resampling: Resampling) -> Outcome:
    """Items in the order of their strengths.

    Items that nobody lists have a place of their own only if an item graph says something of them.
    """
    placed = sample.listed
    if fit.prior is not None and fit.prior.share > 0:
        placed = np.ones(sample.n_items, dtype=bool)
    if not resampling.n_bootstraps:
        return Outcome(fit.theta, rank_listed(fit.theta, placed), None, None)
    mean = Mean(fit.centre, fit.standard_errors**2, fit.covariance, fit.n_effective)
    samples = iter([fit.draws(resampling.n_bootstraps, resampling.seed)])
    outcome = _by_means(mean, samples, placed, sample.unranked, resampling.confidence, normal=True)
    # Strengths that are pulled together may have another order than their centre.
    ranking = rank_listed(fit.theta, placed)
    assert outcome.intervals is not None
    low, high = outcome.intervals.T
    intervals = np.stack([np.minimum(low, ranking), np.maximum(high, ranking)], axis=1)
    return replace(outcome, scores=fit.theta, ranking=ranking, intervals=intervals)


def _by_means(
    mean: Mean,
    samples: Iterator[Floats],
    listed: NDArray[np.bool_],
    unranked: Unranked,
    confidence: float,
    extremes: Floats | None = None,
    n_asked: Floats | None = None,
    *,
    normal: bool = False,
) -> Outcome:
    """The order of means, the places that are possible, and how often each item is first."""
    n_items = len(mean.vector)
    sure = None
    if mean.covariance is not None:
        certain, means = sure_differences(
            mean, samples, listed, confidence, extremes, n_asked, normal=normal
        )
        places = places_by_pairs(certain)
        sure = np.zeros((n_items, n_items), dtype=bool)
        sure[np.ix_(listed, listed)] = certain
    else:
        means_of_all: list[Floats] = []
        margins = sure_coordinates(mean, samples, confidence, means_of_all.append)[1]
        means = np.concatenate(means_of_all)
        places = places_by_ranges(
            mean.vector[listed] - margins[listed], mean.vector[listed] + margins[listed]
        )
    shares = np.zeros(n_items)
    shares[listed] = _first_shares(means[:, listed])
    ranking = rank_listed(mean.vector, listed)
    return Outcome(mean.vector, ranking, _all_places(places, listed, unranked), shares, sure=sure)


def by_majorities(
    sample: Sample,
    pairs: Comparisons,
    method: ConsensusMethod,
    resampling: Resampling,
    time_limit: float = 60.0,
) -> Outcome:
    """Items by the majorities for each pair: Copeland's or Kemeny's method.

    A majority is *open* unless the bootstrap is sure of its direction. An item may have any place
    that is possible whichever way the open majorities go: by Kemeny's method the span of the items
    that can then beat each other in cycles; by Copeland's, what the scores can be.
    """
    listed = np.flatnonzero(sample.listed)
    n_listed = len(listed)
    margins = pairs.margins()[np.ix_(listed, listed)]
    kemeny = None
    if method == "kemeny":
        step = 0.0
        if not pairs.ratios and sample.alike:
            # Margins are whole numbers over the number of people, and flipping one counts twice.
            step = 2 / sample.n_people
        kemeny = kemeny_order(margins, step=step, time_limit=time_limit)
        scores, ranks = pairs.margins().sum(axis=1), kemeny.ranks
    else:
        scores = copeland_scores(pairs.margins())
        ranks = to_ranking(copeland_scores(margins))
    ranking = np.full(sample.n_items, n_listed + 1)
    ranking[listed] = ranks
    if not resampling.n_bootstraps:
        return Outcome(scores, ranking, None, None, kemeny)
    one, other = np.triu_indices(sample.n_items, 1)
    both_listed = sample.listed[one] & sample.listed[other]

    def vectors(groups: NDArray[np.uint32]) -> Floats:
        signs = pairs.vectors(groups)
        return signs if both_listed.all() else np.compress(both_listed, signs, axis=1)

    width = int(both_listed.sum())
    mean = sample.mean(vectors, width)
    first = np.zeros(n_listed)

    def note(means: Floats) -> None:
        first[:] += _first_by_majorities(means, n_listed, method)

    samples = sample.bootstrap(vectors, width, resampling.n_bootstraps, resampling.seed)
    confidence = resampling.confidence
    sure = sure_coordinates(mean, samples, confidence, note)[0]
    shares = np.zeros(sample.n_items)
    shares[listed] = first / resampling.n_bootstraps
    # Each person says 1, 0 or −1 about a pair; any of the pairs may be the one that was missed.
    each = 1 - (1 - confidence) / max(1, width)
    n_asked = pairs.base * (sample.n_people / pairs.mass)
    sure &= outweighs_missed(mean.vector, 1.0, n_asked[both_listed], each)
    certain = pair_matrix(np.where(sure, np.sign(mean.vector), 0.0), n_listed) > 0
    places = _open_places(certain, margins, method)
    all_sure = np.zeros((sample.n_items, sample.n_items), dtype=bool)
    all_sure[np.ix_(listed, listed)] = certain
    return Outcome(
        scores,
        ranking,
        _all_places(places, sample.listed, sample.unranked),
        shares,
        kemeny,
        all_sure,
    )


def _open_places(
    certain: NDArray[np.bool_], margins: Floats, method: ConsensusMethod
) -> NDArray[np.int64]:
    """The places that items can have if only ``certain`` majorities are known."""
    n_items = len(certain)
    if method == "copeland":
        low = certain.sum(axis=1)
        high = n_items - 1 - certain.sum(axis=0)
        return places_by_ranges(low.astype(np.float64), high.astype(np.float64))
    possible = ~certain.T
    np.fill_diagonal(possible, False)
    places = np.empty((n_items, 2), dtype=np.int64)
    before = 0
    for items in components(possible, margins.sum(axis=1)):
        places[items] = before + 1, before + len(items)
        before += len(items)
    return places


def _all_places(
    places: NDArray[np.int64], listed: NDArray[np.bool_], unranked: Unranked
) -> NDArray[np.int64]:
    """Places among all items: one that nobody ranks may have any.

    If unranked items may be anywhere, it may come before the others too.
    """
    if listed.all():
        return places
    everything = np.empty((len(listed), 2), dtype=np.int64)
    everything[:] = 1, len(listed)
    everything[listed] = places
    if unranked == "anywhere":
        everything[listed, 1] += int((~listed).sum())
    return everything


def _first_shares(means: Floats) -> Floats:
    """The share of samples in which each item has the largest mean; ties are shared."""
    most = means.max(axis=1, keepdims=True)
    slack = 1e-9 * np.abs(means).max(axis=1, keepdims=True)
    first = means >= most - slack
    share: Floats = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    return share


def _first_by_majorities(means: Floats, n_items: int, method: ConsensusMethod) -> Floats:
    """In how many samples each item is first; ``means`` has the margin of each pair i < j."""
    total = np.zeros(n_items)
    step = max(1, AT_ONCE // n_items**2)
    for start in range(0, len(means), step):
        margins = pair_matrix(means[start : start + step], n_items)
        if method == "copeland":
            scores = copeland_scores(margins)
            best = scores == scores.max(axis=1, keepdims=True)
            total += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
            continue
        beats_all = beats(margins).sum(axis=2) == n_items - 1
        total += beats_all.sum(axis=0)
        for matrix in margins[~beats_all.any(axis=1)]:
            firsts = possible_firsts(matrix)
            total[firsts] += 1 / len(firsts)
    return total
