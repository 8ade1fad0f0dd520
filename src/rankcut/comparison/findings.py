"""What the data say of groups: their means or strengths, and how clear each difference is."""

from typing import Any, NamedTuple

import numpy as np

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.comparison.effects import Variation
from rankcut.comparison.people import (
    GroupedPeople,
    GroupVectors,
    listed_items,
    pair_shares,
    places,
)
from rankcut.comparison.results import Measure
from rankcut.comparison.statistics import (
    Differences,
    Judged,
    Moments,
    Options,
    judge,
    number_of_draws,
    step_down,
    two_groups,
)
from rankcut.comparison.strengths import GroupStrengths, preferred
from rankcut.graphs.item_graph import ItemGraph
from rankcut.parameters import AT_ONCE, KEPT
from rankcut.sample.grouped import GroupedRankings
from rankcut.threads import in_order

# Pairs are compared up to this many items: 4,950 pairs.
PAIR_ITEMS = 100


class Rows(NamedTuple):
    """Means of groups, their differences, and what is said about these."""

    means: Floats
    differences: Differences
    judged: Judged
    shrunk: Floats | None = None


class Findings(NamedTuple):
    """What the tests of a measure say."""

    overall: float
    between: Floats
    items: Rows
    pairs: Rows | None
    variation: Variation
    method: str
    number: int  #: of draws
    n_effective: Floats  #: people of each group, or as many of equal weight
    alike: Flags  #: whether each two groups say as much
    features: str = "means"
    notes: tuple[str, ...] = ()


def compare_means(
    grouped: GroupedRankings, measure: Measure, features: Any, options: Options
) -> Findings:
    """Mean places, or how often items are listed: each person counts once."""
    people = GroupedPeople.of(grouped)
    rankings = people.sample.rankings
    rows = listed_items(rankings) if measure == "listing" else places(rankings)
    vectors = GroupVectors(people, rows)
    items, number, drawn = _judged(vectors, options)
    overall, between = items.judged.overall, items.judged.between
    looked, name, notes = vectors, "means", []
    if features is not None:
        # Here, because means and strengths need no estimator, and start sooner without any.
        from rankcut.kernels.chosen_features import choose_features

        ranks = rankings.read(0, rankings.shape[0])
        kernel = choose_features(features, ranks, rankings.unranked, rankings.items, options.seed)
        values = kernel.vectors(ranks)
        looked = GroupVectors(people, values)
        name, drawn = kernel.name, "permutations"
        overall, between = _by_distance(looked, number, options)
        if missed := kernel.missed(ranks, values):
            notes.append(
                f"The kernel is approximated: its vectors miss {100 * missed:.2g} % of it."
            )
    pairs, n_items = None, rankings.shape[1]
    n_pairs = n_items * (n_items - 1) // 2
    small = rankings.shape[0] * n_pairs <= KEPT // 4
    if measure == "places" and 1 < n_items <= PAIR_ITEMS and small:
        pairs, _, _ = _judged(GroupVectors(people, pair_shares(rankings)), options)
    return Findings(
        overall,
        between,
        items,
        pairs,
        looked.variation,
        f"{number:,} random {drawn}.",
        number,
        people.n_effective,
        vectors.alike,
        name,
        tuple(notes),
    )


def _judged(vectors: GroupVectors, options: Options) -> tuple[Rows, int, str]:
    """Means of groups and what is said of them; the number of draws, and which they are."""
    moments, (judged, number, drawn) = vectors.moments(), vectors.judged(options)
    rows = Rows(vectors.adjusted(moments.means), moments.differences, judged)
    return rows, number, drawn


def _by_distance(vectors: GroupVectors, number: int, options: Options) -> tuple[float, Floats]:
    """P-values by distances of mean vectors, of all groups and of each two: whatever differs."""
    weights = vectors.people.weights
    some_groups = [np.arange(len(weights)), *np.stack(two_groups(len(weights)), axis=1)]

    def look(moments: Moments) -> Floats:
        ratios = []
        for some in some_groups:
            weight = weights[some][:, None]
            means = moments.means[..., some, :]
            gaps = means - (weight * means).sum(axis=-2, keepdims=True) / weight.sum()
            square = (weight * gaps**2).sum(axis=(-2, -1))
            variance = weight * (1.0 - weight / weight.sum()) * moments.variances[..., some, :]
            expected, ratio = variance.sum(axis=(-2, -1)), np.zeros_like(square)
            ratios.append(np.divide(square, expected, out=ratio, where=expected > 0))
        return np.stack(ratios, axis=-1)

    def block(first: int) -> Floats:
        return look(vectors.permuted(options.seed, first, min(step, number - first)))

    room = len(vectors.varies) * len(weights) + int(vectors.people.counts.sum())
    step = max(1, min(number, AT_ONCE // (4 * room)))
    draws = np.concatenate(list(in_order(block, range(0, number, step), options.n_jobs)))
    data = look(vectors.moments())
    return float(step_down(data[:1], draws[:, :1])[0]), step_down(data[1:], draws[:, 1:])


def compare_strengths(
    grouped: GroupedRankings, graph: ItemGraph | None, options: Options
) -> Findings:
    """Strengths: each ranking counts, and errors are those of people."""
    strengths = GroupStrengths(grouped)
    n_items, n_pairs = grouped.rankings.shape[1], len(two_groups(grouped.n_groups)[0])

    def tested(sides: tuple[Longs, Longs] | None) -> tuple[Moments, Judged, int]:
        width = n_items if sides is None else len(sides[0])
        number = number_of_draws(options.n_permutations, 32 * width * n_pairs, width * n_pairs)
        moments, draws = strengths.moments(sides), strengths.draws(sides, options.seed)
        return moments, judge(moments, draws, number, options, few=moments.few), number

    moments, judged, number = tested(None)
    shrunk = None if graph is None else strengths.shrunk(graph)
    pairs = None
    if 1 < n_items <= PAIR_ITEMS:
        first, second = np.triu_indices(n_items, 1)
        of_pairs, judged_pairs, _ = tested((first, second))
        shares = preferred(strengths.theta, (first, second))
        pairs = Rows(shares, of_pairs.differences, judged_pairs)
    return Findings(
        judged.overall,
        judged.between,
        Rows(strengths.theta, moments.differences, judged, shrunk),
        pairs,
        strengths.variation,
        f"Wald tests with errors of people, by {number:,} random normal draws.",
        number,
        strengths.n_effective,
        np.zeros(n_pairs, dtype=bool),
    )
