"""Compare groups of rankings: whether they differ, by how much, and where."""

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from rankcut._loops.types import Flags, Longs
from rankcut.comparison.findings import PAIR_ITEMS, Findings, compare_means, compare_strengths
from rankcut.comparison.results import UNITS, GroupComparison, Measure
from rankcut.comparison.statistics import FEW_IN_GROUP, Options, two_groups
from rankcut.comparison.tables import between_table, difference_table
from rankcut.errors import InputError, Setting
from rankcut.graphs.item_graph import ItemGraph, as_item_graph
from rankcut.parameters import EQUAL_WITHIN, check_choice, check_count, check_share, seed_from
from rankcut.rankings import Unranked
from rankcut.rankings.labels import some_of
from rankcut.results.result import Table
from rankcut.sample.grouped import GroupedRankings, read_grouped
from rankcut.strengths import Choices
from rankcut.strengths.terms import MOST_DENSE


def compare_groups(
    X: Any,
    groups: Any,
    *,
    items: Sequence[Hashable] | None = None,
    unranked: Unranked = "error",
    measure: Measure | None = None,
    graph: Any = None,
    features: Any = None,
    n_permutations: int = 9999,
    confidence: float = 0.95,
    strata: Any = None,
    people: Any = None,
    sample_weight: Any = None,
    counts: Any = None,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
) -> GroupComparison:
    """Test whether groups rank differently, say by how much, and which items and pairs differ.

    Rankings that are nearly all full are compared by mean places, where each person counts once,
    however many rankings they made: by Welch's statistics and permutations of people
    (:mod:`rankcut.comparison.people`).
    Partial lists are compared by strengths, by Wald's statistics with errors of people and a
    parametric bootstrap (:mod:`rankcut.comparison.strengths`). Groups may differ in spread, in size
    and in how many rankings people made. P-values of items and pairs are adjusted for all of them
    and for all pairs of groups; so are their intervals. No p-value is below one in the number of
    draws, or below what a group's people can show: three people agree by chance in one of four
    cases.

    p assumes that people are independent. Places are relative: if one item moves up, others move
    down. Groups that differ by blanks or case alone are one; groups of one person are left out,
    those of fewer than five beside two larger ones, and whoever refuses to say a group.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent) = not ranked.
    groups : sequence of length n_rankings
        The group of each ranking. Rankings with a missing label (None, NaN, blank) are left out.
    items : sequence or None
        Labels of the columns of an array; frames have their own.
    unranked : {"error", "last", "anywhere"}
        What an unranked item means; see :mod:`rankcut.rankings`.
    measure : {"places", "strengths", "order", "listing"} or None
        What is compared: mean places; strengths in the Plackett–Luce model, whatever items people
        are shown and however many they list; strengths among the items that each list has; or how
        often each item is listed. None: places if nine in ten rankings are full, otherwise
        strengths, or listing if no two groups put the same items in order. Where a few rankings
        leave out items, these have the mean of the places that are possible.
    graph : ItemGraph, recipe or None
        Compares strengths, and also shows differences that are drawn to each other along the item
        graph as far as the evidence goes (``shrunk``). P-values do not depend on it.
    features : None, estimator, kernel, "mallows" or "gaussian"
        What the overall test of mean places looks at. None looks at the means of all items. A
        feature estimator or a kernel compares the mean vectors of the groups. "mallows" and
        "gaussian" see any difference between populations, such as more spread, with less power
        against differences of means. Items and pairs are always compared by means.
    n_permutations : int
        Number of draws without a difference: permutations of people, or, for strengths and for
        groups of 500 people or more, draws from normal distributions.
    confidence : float
        Of all intervals: those of items hold for all items at once, those of pairs for all pairs.
    strata : sequence or None
        Groups are compared within strata, so that what the strata explain does not count.
    people : sequence or None
        Whose ranking it is. If people are in several groups, each is compared with themselves.
        None: those of a RankingSet.
    sample_weight : sequence or None
        Survey weights, which stay where they are when people are exchanged. Variances
        are linearised, and the result has the design effect. None: those of a RankingSet.
    counts : sequence or None
        How many rankings each row stands for: the same as repeating it. None: those of a
        RankingSet.
    random_state : int, RandomState or None
        Seed of the draws.
    n_jobs : int or None
        Number of threads. The results are the same for any number.

    Returns
    -------
    GroupComparison

    See Also
    --------
    StrengthRegression : Numbers and several covariates; ``wald_test`` tests any of them.

    References
    ----------
    - B. L. Welch (1947). The generalization of 'Student's' problem. Biometrika.
    - S. Friedrich, M. Pauly (2018). MATS: inference for potentially singular and heteroscedastic
      MANOVA. Journal of Multivariate Analysis.
    - P. H. Westfall, S. S. Young (1993). Resampling-Based Multiple Testing. Wiley.
    - K. Krishnamoorthy, F. Lu (2010). A parametric bootstrap solution to the MANOVA under
      heteroscedasticity. Journal of Statistical Computation and Simulation.
    - E. Tipton, J. E. Pustejovsky (2015). Small-sample adjustments for tests of moderators and
      model fit using robust variance estimation. Journal of Educational and Behavioral Statistics.

    Examples
    --------
    >>> from rankcut import RankingSet, compare_groups
    >>> ranks = np.array([[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1]] * 2)
    >>> votes = RankingSet(ranks, ("ika", "uni", "ebi"), counts=[40, 30, 20, 10, 30, 20, 30, 20])
    >>> result = compare_groups(votes, ["Ayr"] * 4 + ["Bude"] * 4)
    >>> print(result.summary())
    Groups differ (p = 0.016); the group explains 0.6 % of the variation (0.0 to 6.1).
    Items that differ:
      ika: 0.20 places higher in Ayr than in Bude (0.04 to 0.36; p = 0.013)
    Intervals are 95 % confidence intervals of the differences of all items at once.
    Compared: mean places; each person counts once. They are relative: one item up, the rest down.
    Rankings: Ayr (100), Bude (100). 9,999 random permutations.
    """
    check_count(n_permutations, "n_permutations")
    check_share(confidence, "confidence")
    if measure is not None:
        check_choice(measure, get_args(Measure), "measure")
    grouped, notes = read_grouped(
        X,
        groups,
        items=items,
        unranked=unranked,
        strata=strata,
        people=people,
        sample_weight=sample_weight,
        counts=counts,
    )
    rankings = grouped.rankings
    if graph is not None:
        measure = "strengths" if measure is None else measure
        graph = as_item_graph(graph).aligned(rankings.shape[1], rankings.items)
    if graph is not None and measure not in ("strengths", "order"):
        raise InputError(f"draws strengths together, not {measure}", parameter="graph")
    lists = grouped.listed()
    varied = grouped.partial and bool((lists != lists[0]).any())
    if measure == "listing" and not varied:
        raise InputError(
            "has nothing to compare: all rankings list the same items", parameter="measure"
        )
    shared = np.arange(rankings.shape[1])
    if measure == "order" or (rankings.unranked == "anywhere" and not lists.all()):
        shared = grouped.shared()
    full = measure is None and rankings.nearly_full()
    if measure is None:
        measure = "places"
        few = rankings.shape[1] <= MOST_DENSE
        if grouped.partial and not full and few and Choices.of(rankings).informative.any():
            measure = "strengths" if len(shared) > 1 else "listing"
    if measure == "listing" and features is not None:
        raise InputError(
            "looks at how items are ordered, and here only what is listed can be compared",
            parameter="features",
            remedy="leave it out",
        )
    options = Options(n_permutations, confidence, seed_from(random_state), n_jobs)
    compared = grouped
    if measure in ("strengths", "order"):
        compared, graph, more_notes = _of_items(grouped, shared, graph)
        notes += more_notes
    result = _compare(compared, measure, graph, features, options, notes)
    if full or not varied or measure == "listing":
        return result
    return replace(result, listing=_compare(grouped, "listing", None, None, options, []))


def _compare(
    grouped: GroupedRankings,
    measure: Measure,
    graph: ItemGraph | None,
    features: Any,
    options: Options,
    notes: list[str],
) -> GroupComparison:
    """Compare what one measure says."""
    rankings, names = grouped.rankings, grouped.names
    odds = measure in ("strengths", "order")
    if odds:
        meaning = rankings.unranked if measure == "strengths" else "anywhere"
        tested = compare_strengths(
            replace(grouped, rankings=rankings.meaning(meaning)), graph, options
        )
    else:
        tested = compare_means(grouped, measure, features, options)
    variation, least = tested.variation, grouped.least_p(tested.alike)
    # Whatever people say, p is above the level of intervals.
    blind = least > 1.0 - options.confidence + EQUAL_WITHIN
    share = variation.explained(options.confidence)
    if blind.all():
        share = share._replace(interval=(0.0, 1.0))
    design_effects: dict[Any, float] = {}
    if rankings.people is not None or not rankings.counted:
        effects = variation.design_effects(np.array(grouped.sizes)).tolist()
        design_effects = dict(zip(names, effects, strict=True))
    labels = [rankings.item(column) for column in range(rankings.shape[1])]
    sides = zip(*itertools.combinations(labels, 2), strict=True)
    both = dict(zip(("first", "second"), sides, strict=False))
    tables = [
        Table({})
        if rows is None
        else difference_table(of, rows, names, unit, odds=odds, least=least, blind=blind)
        for of, rows, unit in (
            ({"item": labels}, tested.items, UNITS[measure]),
            (both, tested.pairs, "share"),
        )
    ]
    compared = [
        not asks_shown(measure, rankings.unranked) or len(grouped.shared(np.array(two))) > 1
        for two in itertools.combinations(range(len(names)), 2)
    ]
    return GroupComparison(
        measure=measure,
        p_value=max(tested.overall, float(least.min())),
        effect_size=share.value,
        effect_interval=share.interval,
        groups=dict(zip(names, grouped.sizes, strict=True)),
        n_units=grouped.n_units,
        design_effect=design_effects,
        items=tables[0],
        pairs=tables[1],
        between=between_table(tested, names, least, compared, options.confidence),
        listing=None,
        method=tested.method,
        features=tested.features,
        n_permutations=tested.number,
        confidence=options.confidence,
        notes=(*notes, *_notes(grouped, measure, tested, options, blind)),
    )


def asks_shown(measure: Measure, unranked: Unranked) -> bool:
    """Whether only the items of each list were at choice."""
    return measure == "order" or (measure == "strengths" and unranked == "anywhere")


def _notes(
    grouped: GroupedRankings, measure: Measure, tested: Findings, options: Options, blind: Flags
) -> list[str]:
    """What a reader should know."""
    if measure == "listing":
        return []
    notes, rankings = list(tested.notes), grouped.rankings
    if rankings.shape[1] > PAIR_ITEMS:
        notes.append(f"Pairs are not compared: there are more than {PAIR_ITEMS} items.")
    elif tested.pairs is None and rankings.shape[1] > 1:
        notes.append("Pairs are not compared: there are too many of them and of rankings.")
    if not tested.variation.total > 0:
        notes.append("All rankings are equal: there is nothing to compare.")
    few = [str(grouped.names[k]) for k in np.flatnonzero(tested.n_effective < FEW_IN_GROUP)]
    if few:
        what = "people" if rankings.people is not None else "rankings"
        have = "has" if len(few) == 1 else "have"
        have += " the weight of" if not rankings.counted else ""
        names = ", ".join(few[:FEW_IN_GROUP])
        notes.append(
            f"{names} {have} fewer than {FEW_IN_GROUP} {what}, who say little about their own "
            "spread: p-values hold if groups have the same spread, and may not otherwise."
        )
    if blind.any():
        n_people, two = grouped.n_people(), np.stack(two_groups(grouped.n_groups))[:, blind]
        smaller = two[n_people[two] == n_people[two].min(axis=0)]
        few = [str(grouped.names[k]) for k in np.unique(smaller)]
        notes.append(
            f"Intervals of differences from {', '.join(few[:FEW_IN_GROUP])} hold all that is "
            f"possible: whatever so few people say, p is above {1.0 - options.confidence:.2g}."
        )
    if asks_shown(measure, rankings.unranked):
        table = grouped.seen()
        least = table[:, table.any(axis=0)].min(axis=1)
        few = [str(grouped.names[k]) for k in np.flatnonzero(least < FEW_IN_GROUP)]
        if few:
            those = ", ".join(few[:FEW_IN_GROUP])
            notes.append(
                f"Some items are in fewer than {FEW_IN_GROUP} lists of {those}: p-values of "
                "strengths may be too small."
            )
    if tested.number < options.n_permutations:
        wanted = options.n_permutations
        notes.append(f"Fewer than {wanted:,} draws, as there are many rankings.")
    return notes


def _of_items(
    grouped: GroupedRankings, shared: Longs, graph: ItemGraph | None
) -> tuple[GroupedRankings, ItemGraph | None, list[str]]:
    """Leave out items that a single group compares with others."""
    rankings = grouped.rankings
    if len(shared) == rankings.shape[1]:
        return grouped, graph, []
    if len(shared) < 2:
        raise InputError(
            "has no two groups that put the same items in order",
            parameter="groups",
            remedy=["compare what they list: ", Setting("measure", "listing")],
        )
    listed = grouped.listed()
    gone = np.setdiff1d(np.flatnonzero(listed.any(axis=0)), shared)
    names = some_of([rankings.item(column) for column in gone.tolist()])
    notes = [f"Left out what only one group puts in order: {names}."] if gone.size else []
    some = replace(grouped, rankings=rankings.among(shared)).take(listed[:, shared].any(axis=1))
    if graph is not None:
        graph = ItemGraph.trusted(graph.weights.permuted(shared), some.rankings.items)
    return some, graph, notes
