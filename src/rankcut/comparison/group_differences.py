"""Compare groups of rankings: whether they differ, by how much, and where."""

import itertools
from collections.abc import Hashable
from typing import Any

import numpy as np

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Longs
from rankcut.comparison.columns import Codes, check_options, read_codes
from rankcut.comparison.design import Rows, Scores, Vectors, make_design
from rankcut.comparison.permutations import GroupLabels
from rankcut.comparison.results import (
    GroupComparison,
    Part,
    describe_method,
    permutations_needed,
)
from rankcut.comparison.rows import kinds_of_lists, make_rows, read_orders, read_people
from rankcut.comparison.statistics import (
    Draws,
    Family,
    Probability,
    holm,
    overall_family,
    run_tests,
    share_explained,
)
from rankcut.comparison.tables import Table, difference_table
from rankcut.comparison.vectors import (
    PAIR_ITEMS,
    features_of,
    listings,
    orders_of_listed,
    pairs,
    places,
    places_given_length,
    side_by_side,
)
from rankcut.errors import InputError, amount
from rankcut.rankings import Unranked, weights_of

# More groups than this are probably numbers that should have been binned.
MOST_GROUPS = 200


def compare_groups(
    ranks: Any,
    groups: Any,
    *,
    unranked: Unranked = "error",
    features: Any = None,
    n_permutations: int = 9999,
    strata: Any = None,
    people: Any = None,
    sample_weight: Any = None,
    random_state: int | np.random.RandomState | None = 0,
) -> GroupComparison:
    """Test whether groups rank differently, say by how much, and which items and pairs differ.

    Group labels are exchanged among the rankings at random. If groups did not matter, the observed
    labels would be just one of many equally likely arrangements; p is the share of arrangements in
    which groups differ at least as much.

    Parameters
    ----------
    ranks : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent) = not ranked.
    groups : sequence of length n_rankings
        The group of each ranking. Rankings with a missing label (None, NaN, blank) are left out.
    unranked : {"error", "last", "anywhere"}
        What an unranked item means; see :mod:`rankcut.rankings`.
    features : None, estimator, kernel, "mallows" or "gaussian"
        What the overall test looks at. None looks at differences of mean places and of shares of
        pairs in several ways at once. A feature estimator or a kernel compares the mean vectors
        of the groups. "mallows" and "gaussian" see any difference between populations, such as
        more spread, with less power against differences of means. Items and pairs are always
        compared by mean places and shares.
    n_permutations : int
        Number of random permutations. If there are few, all are enumerated; from 200,000 rankings
        on, this is the number of draws from the limit distribution.
    strata : sequence or None
        Labels are exchanged only among rankings of the same stratum, so that what the strata
        explain does not count.
    people : sequence or None
        Whose ranking it is. All rankings of a person get the same label, because they are not
        independent. If people are in several groups, labels are exchanged among the rankings
        of each person instead.
    sample_weight : sequence or None
        Whole numbers are counts: c stands for c rankings. Other numbers are weights of single
        rankings, which stay with them when labels are exchanged.
    random_state : int, RandomState or None
        Seed of the permutations.

    Returns
    -------
    GroupComparison

    See Also
    --------
    independence_test : Against numbers, or several covariates.

    References
    ----------
    P. H. Westfall, S. S. Young. Resampling-Based Multiple Testing. Wiley, 1993.

    A. Gretton, K. M. Borgwardt, M. J. Rasch, B. Schölkopf, A. Smola. A kernel two-sample test.
    Journal of Machine Learning Research, 2012.

    Examples
    --------
    >>> from rankcut import compare_groups
    >>> ranks = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1]]
    >>> counts = [40, 30, 20, 10, 30, 20, 30, 20]
    >>> town = ["Ayr"] * 4 + ["Bude"] * 4
    >>> result = compare_groups(ranks * 2, town, sample_weight=counts)
    >>> print(result.summary())
    Groups differ (p = 0.02); the group explains 0.6 % of the variation [0.0, 6.2].
    Items that differ:
      0: 0.20 places higher in Ayr than in Bude (p = 0.0099)
    Rankings: Ayr (100), Bude (100). 9,999 random permutations.
    """
    seed = check_options(n_permutations, random_state)
    orders, items = read_orders(ranks, unranked)
    found = read_codes(groups, len(orders), "groups")
    kept = np.flatnonzero(found.codes >= 0)
    notes = []
    if len(kept) < len(orders):
        notes.append(f"{amount(len(orders) - len(kept), 'ranking')} without a group left out.")
    codes, values = _used(found, kept)
    sample_weight = weights_of(ranks, sample_weight)
    who = read_people(strata, people, sample_weight, codes, kept, len(orders))
    rows = make_rows(orders[kept], codes, who)
    notes += who.notes
    if strata is not None or who.notes:
        rows, note = _with_several_groups(rows, values)
        notes += note
    _check_groups(rows, values)
    names = tuple(range(orders.shape[1])) if items is None else items
    return _compare(rows, values, names, items, unranked, features, n_permutations, seed, notes)


def _compare(
    rows: Rows,
    values: tuple[Hashable, ...],
    names: tuple[Hashable, ...],
    items: tuple[Hashable, ...] | None,
    unranked: Unranked,
    features: Any,
    n_permutations: int,
    seed: int,
    notes: list[str],
) -> GroupComparison:
    parts = [places(rows.rankings, unranked)]
    n_items = parts[0].width
    if n_items <= PAIR_ITEMS:
        parts.append(pairs(rows.rankings, unranked))
    else:
        notes.append(f"Pairs are not compared: there are more than {PAIR_ITEMS} items.")
    partial = unranked != "error" and bool((rows.rankings == NOWHERE).any())
    if partial:
        parts.append(listings(rows.rankings))
    whole = parts[0]
    if features is None and partial:
        parts.append(places_given_length(rows.rankings, rows.ranking_weights(), unranked))
    if features is not None:
        whole = features_of(features, rows.rankings, unranked, items, seed)
        notes += whole.notes()
        parts.append(whole)
    vectors, slices = side_by_side(parts)
    design = make_design(rows)
    labels = GroupLabels(design)
    if labels.width == 0:
        raise InputError(
            "leaves nothing to exchange: no stratum or person has two groups",
            parameter="strata",
            remedy="use coarser strata",
        )
    scores = Scores(design, vectors, slices[-1].stop)
    draws = Draws(labels, n_permutations, seed)
    of_pairs = slices[1] if n_items <= PAIR_ITEMS else None
    if features is None:
        columns = slices[0]
        items_apart = slices[-1] if partial else slices[0]
        test = overall_family(columns, items_apart, of_pairs, partial=partial)
        each_two = vectors, slices[-1].stop, test
    else:
        columns = slices[-1]
        test = Family(columns, "whole")
        each_two = whole.vectors, whole.width, Family(slice(0, whole.width), "whole")
    families = [test, Family(slices[0], "each")]
    if of_pairs is not None:
        families.append(Family(of_pairs, "each"))
    of_lists = slices[1 if of_pairs is None else 2] if partial else None
    if of_lists is not None:
        families += [Family(of_lists, "combined", (of_lists,)), Family(of_lists, "each")]
    answers = run_tests(labels, scores, families, draws)
    overall = answers[0]
    assert isinstance(overall, Probability)
    if not scores.total[slices[0]].sum() > 0:
        notes.append("All rankings are equal: there is nothing to compare.")
    share = share_explained(labels, scores, columns)
    listing = order = None
    if of_lists is not None:
        of_listing = answers[-2]
        assert isinstance(of_listing, Probability)
        lists = difference_table(
            {"item": names},
            scores.means[:, of_lists],
            answers[-1],
            values,
            ("less_in", "more_in", "listed"),
        )
        listing = Part.of(of_listing, share_explained(labels, scores, of_lists), lists)
        order, note = _order(rows, n_permutations, seed)
        notes.append(note)
    between = _between(rows, values, *each_two, n_permutations, seed)
    if needed := permutations_needed(len(between), n_permutations):
        notes.append(f"P-values of pairs of groups can only reach 0.05 with {needed}.")
    return GroupComparison(
        p_value=overall.value,
        p_interval=overall.interval,
        effect_size=share.value,
        effect_interval=share.interval,
        groups=dict(zip(values, _sizes(rows, len(values)), strict=True)),
        n_units=design.n_units,
        people=rows.person is not None,
        items=difference_table(
            {"item": names},
            scores.means[:, slices[0]],
            answers[1],
            values,
            ("higher_in", "lower_in", "place"),
        ),
        pairs=Table({})
        if of_pairs is None
        else _pair_table(scores.means[:, of_pairs], answers[2], names, values),
        between=between,
        listing=listing,
        order=order,
        method=describe_method(draws.method, draws.number),
        features="places and pairs" if features is None else whole.name,
        n_permutations=draws.number,
        notes=tuple(notes),
    )


def _used(found: Codes, kept: Longs) -> tuple[Longs, tuple[Hashable, ...]]:
    """Codes of the rankings that are kept."""
    if not kept.size:
        raise InputError("has no value for any ranking", parameter="groups")
    used, codes = np.unique(found.codes[kept], return_inverse=True)
    return codes.astype(np.int64), tuple(found.values[code] for code in used)


def _with_several_groups(rows: Rows, values: tuple[Hashable, ...]) -> tuple[Rows, list[str]]:
    """Leave out strata with one group: there is nothing to exchange in them."""
    n_strata, n_groups = int(rows.stratum.max()) + 1, len(values)
    table = np.zeros((n_strata, n_groups), dtype=bool)
    table[rows.stratum, rows.group] = True
    kept = np.flatnonzero((table.sum(axis=1) > 1)[rows.stratum])
    if len(kept) == len(rows.index):
        return rows, []
    if not kept.size or len(np.unique(rows.group[kept])) < n_groups:
        raise InputError(
            "has groups that share no stratum (or person) with another group",
            parameter="groups",
            remedy="use coarser strata, or leave these groups out",
        )
    left_out = float(rows.weight.sum() - rows.weight[kept].sum())
    number = "1 ranking" if left_out == 1 else f"{left_out:,.6g} rankings"
    note = f"Left out {number} in strata with a single group, which say nothing."
    return rows.take(kept), [note]


def _check_groups(rows: Rows, values: tuple[Hashable, ...]) -> None:
    if len(values) == 1:
        raise InputError(
            f"has a single value, {values[0]!r}",
            parameter="groups",
            remedy="compare two groups or more",
        )
    if len(values) > MOST_GROUPS:
        raise InputError(
            f"has {len(values):,} different values",
            parameter="groups",
            remedy="cut numbers into classes, or use independence_test",
        )
    unit = rows.person
    for code, value in enumerate(values):
        members = rows.group == code
        number = (
            len(np.unique(unit[members]))
            if unit is not None
            else rows.weight[members].sum()
            if rows.counted
            else members.sum()
        )
        if number < 2:
            what = "ranking" if unit is None else "person"
            raise InputError(
                f"has {'one' if number else 'no'} {what} in group {value!r}",
                parameter="groups",
                remedy="leave that group out, or merge it with another",
            )


def _sizes(rows: Rows, n_groups: int) -> list[int]:
    """Number of rankings in each group."""
    weight = rows.weight if rows.counted else np.ones(len(rows.group))
    return [int(n) for n in np.rint(np.bincount(rows.group, weight, minlength=n_groups))]


def _pair_table(
    shares: Floats, p_values: Any, names: tuple[Hashable, ...], values: tuple[Hashable, ...]
) -> Table:
    of = list(itertools.combinations(names, 2))
    sides = {"first": [a for a, _ in of], "second": [b for _, b in of]}
    return difference_table(sides, shares, p_values, values, ("less_in", "more_in", "share"))


def _order(rows: Rows, n_permutations: int, seed: int) -> tuple[Part, str]:
    """Do groups order the listed items differently? Labels are exchanged among similar lists."""
    weight = rows.ranking_weights()
    kinds, words = kinds_of_lists(rows.rankings, weight)
    if rows.person is not None:
        words = "all lists, as people have several"
    columns = orders_of_listed(rows.rankings, weight, kinds)
    design = make_design(rows, kinds[rows.index])
    labels = GroupLabels(design)
    note = f"Orders of listed items are compared among {words}."
    if labels.width == 0:
        return Part(1.0, (1.0, 1.0), 0.0, (0.0, 0.0)), note
    scores = Scores(design, columns.vectors, columns.width)
    draws = Draws(labels, n_permutations, seed)
    everything = slice(0, columns.width)
    (found,) = run_tests(labels, scores, [Family(everything, "combined", (everything,))], draws)
    assert isinstance(found, Probability)
    return Part.of(found, share_explained(labels, scores, everything)), note


def _between(
    rows: Rows,
    values: tuple[Hashable, ...],
    vectors: Vectors,
    width: int,
    test: Family,
    n_permutations: int,
    seed: int,
) -> Table:
    """All pairs of groups by the same test, with p-values adjusted by Holm's method."""
    first: list[Hashable] = []
    second: list[Hashable] = []
    p_values: list[float] = []
    shares: list[float] = []
    for a, b in itertools.combinations(range(len(values)), 2) if len(values) > 2 else ():
        some = rows.take(np.flatnonzero((rows.group == a) | (rows.group == b)))
        labels = GroupLabels(make_design(some))
        first.append(values[a])
        second.append(values[b])
        if labels.width == 0:
            p_values.append(1.0)
            shares.append(0.0)
            continue
        scores = Scores(labels.design, vectors, width)
        draws = Draws(labels, n_permutations, seed)
        (found,) = run_tests(labels, scores, [test], draws)
        assert isinstance(found, Probability)
        p_values.append(found.value)
        shares.append(share_explained(labels, scores, test.columns).value)
    return Table(
        {
            "first": first,
            "second": second,
            "effect_size": shares,
            "p_unadjusted": p_values,
            "p_value": holm(np.array(p_values)).tolist(),
        }
    )
