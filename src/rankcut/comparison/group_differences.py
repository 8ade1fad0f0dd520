"""Compare groups of rankings: whether they differ, by how much, and where."""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankcut._loops.types import Floats, Longs
from rankcut.comparison.permutations import GroupLabels
from rankcut.comparison.results import Aspect, GroupComparison, Table, permutations_needed
from rankcut.comparison.rows import (
    Codes,
    ComparedRows,
    kinds_of_lists,
    make_design,
    read_codes,
    read_rows,
)
from rankcut.comparison.statistics import (
    Draws,
    Family,
    Options,
    holm,
    one_test,
    overall_family,
    run_tests,
    share_explained,
)
from rankcut.comparison.vectors import (
    PAIR_ITEMS,
    Coordinates,
    Scores,
    features_of,
    listings,
    orders_of_listed,
    pairs,
    places,
    places_given_length,
    side_by_side,
)
from rankcut.errors import InputError, amount
from rankcut.parameters import check_count, seed_from
from rankcut.rankings import Unranked, read_rankings

# More groups than this are probably numbers that should have been binned.
MOST_GROUPS = 200


def compare_groups(
    X: Any,
    groups: Any,
    *,
    items: Sequence[Hashable] | None = None,
    unranked: Unranked = "error",
    features: Any = None,
    n_permutations: int = 9999,
    strata: Any = None,
    people: Any = None,
    sample_weight: Any = None,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
) -> GroupComparison:
    """Test whether groups rank differently, say by how much, and which items and pairs differ.

    Group labels are exchanged among the rankings at random. If groups did not matter, the observed
    labels would be just one of many equally likely arrangements; p is the share of arrangements in
    which groups differ at least as much.

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
    n_jobs : int or None
        Number of threads. The results are the same for any number.

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
    check_count(n_permutations, "n_permutations")
    options = Options(n_permutations, seed_from(random_state), n_jobs)
    rankings = read_rankings(X, items, unranked=unranked, sample_weight=sample_weight)
    n_rows = rankings.shape[0]
    found = read_codes(groups, n_rows, "groups")
    known = np.flatnonzero(found.codes >= 0)
    notes = []
    if len(known) < n_rows:
        notes.append(f"{amount(n_rows - len(known), 'ranking')} without a group left out.")
    codes, values = _used(found, known)
    heavy = rankings.counts[known] > 0
    rows, told = read_rows(rankings, known[heavy], codes[heavy], strata, people)
    notes += told
    if strata is not None or told:
        rows, note = _with_several_groups(rows, values)
        notes += note
    _check_groups(rows, values)
    return _compare(_Question(rows, values, features, options), notes)


@dataclass(frozen=True)
class _Question:
    """What is compared, and how."""

    rows: ComparedRows
    values: tuple[Hashable, ...]
    features: Any
    options: Options


def _compare(asked: _Question, notes: list[str]) -> GroupComparison:
    rows, values, options = asked.rows, asked.values, asked.options
    parts = _parts(asked)
    if "pairs" not in parts:
        notes.append(f"Pairs are not compared: there are more than {PAIR_ITEMS} items.")
    if "features" in parts:
        notes += parts["features"].notes()
    vectors, columns = side_by_side(parts)
    design = make_design(rows)
    labels = GroupLabels(design)
    if labels.width == 0:
        raise InputError(
            "leaves nothing to exchange: no stratum or person has two groups",
            parameter="strata",
            remedy="use coarser strata",
        )
    scores = Scores(design, vectors, sum(part.width for part in parts.values()))
    draws = Draws(labels, options)
    test = overall_family(columns)
    each = [name for name in ("places", "pairs", "listing") if name in parts]
    families = [test, *(Family(columns[name], "each") for name in each)]
    if "listing" in parts:
        families.append(Family(columns["listing"], "combined", (columns["listing"],)))
    overall, *answers = run_tests(labels, scores, families, draws)
    p_values = dict(zip(each, answers, strict=False))
    if not scores.total[columns["places"]].sum() > 0:
        notes.append("All rankings are equal: there is nothing to compare.")
    share = share_explained(labels, scores, test.columns)
    item = rows.rankings.item
    names = [item(column) for column in range(rows.rankings.shape[1])]

    def table(name: str, compared: dict[str, Any], words: tuple[str, str, str]) -> Table:
        means = scores.means[:, columns[name]]
        return difference_table(compared, means, p_values[name], values, words)

    listing = order = None
    if "listing" in parts:
        lists = table("listing", {"item": names}, ("less_in", "more_in", "listed"))
        explained = share_explained(labels, scores, columns["listing"])
        listing = Aspect.of(answers[-1], explained, lists)
        order, note = _order(asked)
        notes.append(note)
    between = _between(asked, parts)
    if needed := permutations_needed(len(between), options.n_permutations):
        notes.append(f"P-values of pairs of groups can only reach 0.05 with {needed}.")
    two = list(itertools.combinations(names, 2))
    sides = {"first": [a for a, _ in two], "second": [b for _, b in two]}
    return GroupComparison(
        p_value=overall.value,
        p_interval=overall.interval,
        effect_size=share.value,
        effect_interval=share.interval,
        groups=dict(zip(values, _sizes(rows, len(values)), strict=True)),
        n_units=design.n_units,
        people=rows.person is not None,
        items=table("places", {"item": names}, ("higher_in", "lower_in", "place")),
        pairs=table("pairs", sides, ("less_in", "more_in", "share"))
        if "pairs" in parts
        else Table({}),
        between=between,
        listing=listing,
        order=order,
        method=draws.describe(),
        features=parts["features"].name if "features" in parts else "places and pairs",
        n_permutations=draws.number,
        notes=tuple(notes),
    )


def _parts(asked: _Question) -> dict[str, Coordinates]:
    """The vectors that are looked at."""
    rows = asked.rows
    parts = {"places": places(rows.rankings)}
    if rows.rankings.shape[1] <= PAIR_ITEMS:
        parts["pairs"] = pairs(rows.rankings)
    if rows.partial:
        parts["listing"] = listings(rows)
    if asked.features is not None:
        parts["features"] = features_of(asked.features, rows.rankings, asked.options.seed)
    elif rows.partial:
        parts["given length"] = places_given_length(rows)
    return parts


def _used(found: Codes, kept: Longs) -> tuple[Longs, tuple[Hashable, ...]]:
    """Codes of the rankings that are kept."""
    if not kept.size:
        raise InputError("has no value for any ranking", parameter="groups")
    used, codes = np.unique(found.codes[kept], return_inverse=True)
    return codes.astype(np.int64), tuple(found.values[code] for code in used)


def _with_several_groups(
    rows: ComparedRows, values: tuple[Hashable, ...]
) -> tuple[ComparedRows, list[str]]:
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


def _check_groups(rows: ComparedRows, values: tuple[Hashable, ...]) -> None:
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


def _sizes(rows: ComparedRows, n_groups: int) -> list[int]:
    """Number of rankings in each group."""
    weight = rows.weight if rows.counted else np.ones(len(rows.group))
    return [int(n) for n in np.rint(np.bincount(rows.group, weight, minlength=n_groups))]


def _order(asked: _Question) -> tuple[Aspect, str]:
    """Do groups order the listed items differently? Labels are exchanged among similar lists."""
    rows = asked.rows
    weight = rows.ranking_weights()
    kinds, words = kinds_of_lists(rows.listed(), weight)
    if rows.person is not None:
        words = "all lists, as people have several"
    columns = orders_of_listed(rows.rankings.groups(close=False), weight, kinds)
    design = make_design(rows, kinds[rows.index])
    scores = Scores(design, columns.vectors, columns.width)
    everything = slice(0, columns.width)
    family = Family(everything, "combined", (everything,))
    found = one_test(GroupLabels(design), scores, family, asked.options)
    return Aspect.of(*found), f"Orders of listed items are compared among {words}."


def _between(asked: _Question, parts: dict[str, Coordinates]) -> Table:
    """All pairs of groups by the same test, with p-values adjusted by Holm's method."""
    rows, values = asked.rows, asked.values
    looked_at = {name: part for name, part in parts.items() if name != "listing"}
    if "features" in parts:
        looked_at = {"features": parts["features"]}
    vectors, columns = side_by_side(looked_at)
    width = sum(part.width for part in looked_at.values())
    test = overall_family(columns)
    found = []
    two = list(itertools.combinations(range(len(values)), 2)) if len(values) > 2 else []
    for a, b in two:
        design = make_design(rows.take(np.flatnonzero((rows.group == a) | (rows.group == b))))
        scores = Scores(design, vectors, width)
        found.append(one_test(GroupLabels(design), scores, test, asked.options))
    p_values = [p.value for p, _ in found]
    return Table(
        {
            "first": [values[a] for a, _ in two],
            "second": [values[b] for _, b in two],
            "effect_size": [share.value for _, share in found],
            "p_unadjusted": p_values,
            "p_value": holm(np.array(p_values)).tolist(),
        }
    )


def difference_table(
    names: Mapping[str, Sequence[Any]],
    means: Floats,
    p_values: Floats,
    groups: Sequence[Any],
    words: tuple[str, str, str],
) -> Table:
    """The largest difference between groups and where it is, the clearest first.

    Parameters
    ----------
    names : mapping of str to sequence
        Columns that say what is compared.
    means : ndarray of shape (n_groups, n_compared)
        The mean of each group.
    p_values : ndarray of shape (n_compared,)
        Adjusted p-values.
    groups : sequence
        Labels of the groups.
    words : (str, str, str)
        Column for the group with the smallest mean, for that with the largest, and what a mean is.
    """
    low, high = means.argmin(axis=0), means.argmax(axis=0)
    difference = means.max(axis=0) - means.min(axis=0)
    order = np.lexsort((np.arange(len(p_values)), -difference, p_values))
    columns = {name: [values[k] for k in order] for name, values in names.items()}
    columns["difference"] = difference[order].tolist()
    ends = {words[0]: low, words[1]: high}
    for word in sorted(ends, key=lambda word: word.startswith(("lower", "less"))):
        columns[word] = [groups[ends[word][k]] if difference[k] > 0 else None for k in order]
    columns["p_value"] = p_values[order].tolist()
    for group, mean in zip(groups, means, strict=True):
        columns[f"{words[2]} in {group}"] = mean[order].tolist()
    return Table(columns)
