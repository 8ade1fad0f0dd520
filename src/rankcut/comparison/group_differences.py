"""Compare groups of rankings: whether they differ, by how much, and where."""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from rankcut._loops.types import Floats, Longs
from rankcut.comparison.results import Aspect, GroupComparison, Table
from rankcut.comparison.rows import (
    Codes,
    ComparedRows,
    Design,
    make_design,
    read_codes,
    read_rows,
    read_with_weights,
)
from rankcut.comparison.statistics import (
    Family,
    GroupDraws,
    Moments,
    Options,
    normal_scores,
    share_explained,
    two_groups,
)
from rankcut.comparison.strength_differences import GroupStrengths
from rankcut.comparison.vectors import (
    Coordinates,
    Scores,
    agreement,
    features_of,
    listings,
    pairs,
    places,
    stored,
)
from rankcut.errors import InputError, amount
from rankcut.graphs.item_graph import ItemGraph, as_item_graph
from rankcut.parameters import check_choice, check_count, seed_from
from rankcut.rankings import Unranked
from rankcut.rankings.value import ROUNDING
from rankcut.strengths import Choices
from rankcut.strengths.fitting import MOST_DENSE

# Pairs are compared up to this many items: 4,950 pairs.
PAIR_ITEMS = 100

# Labels are bytes; more groups are probably numbers that should have been binned.
MOST_GROUPS = np.iinfo(np.uint8).max

Question: TypeAlias = Literal["places", "strengths"]

_NONE = slice(0, 0)
_SIDES = ("higher_in", "lower_in")


def compare_groups(
    X: Any,
    groups: Any,
    *,
    items: Sequence[Hashable] | None = None,
    unranked: Unranked = "error",
    question: Question | None = None,
    graph: Any = None,
    features: Any = None,
    n_permutations: int = 9999,
    strata: Any = None,
    people: Any = None,
    sample_weight: Any = None,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
) -> GroupComparison:
    """Test whether groups rank differently, say by how much, and which items and pairs differ.

    Differences of means are judged by Welch's t, so groups may differ in spread and size. A p-value
    is the larger of two. Permutations exchange group labels at random and count how often groups
    then differ as much: exact if groups do not differ at all. Welch's approximation is right, with
    many rankings, if only spreads differ. See :mod:`rankcut.comparison.statistics`.

    p assumes that units (rankings, or people with all of theirs) are independent. Places are
    relative: if one item moves up, others move down.

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
    question : {"places", "strengths"} or None
        What is compared: mean places, or strengths in the Plackett–Luce model, whatever items
        people are shown and however many they list. None: places if all rankings are full,
        otherwise strengths.
    graph : ItemGraph, recipe or None
        Compares strengths, and also shows differences that are drawn to each other along the item
        graph as far as the evidence goes (``shrunk``). P-values do not depend on it.
    features : None, estimator, kernel, "mallows" or "gaussian"
        What the overall test looks at. None looks at differences of means: of all items together,
        of the item that differs most, and of agreement with the mean order. A feature estimator or
        a kernel compares the mean vectors of the groups. "mallows" and "gaussian" see any
        difference between populations, such as more spread, with less power against differences
        of means. Items and pairs are always compared by means.
    n_permutations : int
        Number of random permutations. If there are few, all are enumerated; if each group has
        1,000 rankings or more, there are none, as they would say the same as Welch's approximation.
    strata : sequence or None
        Labels are exchanged only among rankings of the same stratum, so that what the strata
        explain does not count.
    people : sequence or None
        Whose ranking it is. All rankings of a person get the same label, because they are not
        independent. If people are in several groups, labels are exchanged among the rankings
        of each person instead.
    sample_weight : sequence or None
        Survey weights, which stay with their rankings when labels are exchanged. Variances are
        linearised, and the result has the design effect. Counts are no weights: they come with a
        :class:`~rankcut.RankingSet`, whose row with the count c is c rankings.
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
    E. Brunner, H. Dette, A. Munk. Box-type approximations in nonparametric factorial designs.
    Journal of the American Statistical Association, 1997.

    E. Chung, J. P. Romano. Exact and asymptotically robust permutation tests. Annals of Statistics,
    2013.

    P. H. Westfall, S. S. Young. Resampling-Based Multiple Testing. Wiley, 1993.

    A. Gretton, K. M. Borgwardt, M. J. Rasch, B. Schölkopf, A. Smola. A kernel two-sample test.
    Journal of Machine Learning Research, 2012.

    Examples
    --------
    >>> from rankcut import RankingSet, compare_groups
    >>> ranks = np.array([[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1]] * 2)
    >>> votes = RankingSet(ranks, ("ika", "uni", "ebi"), counts=[40, 30, 20, 10, 30, 20, 30, 20])
    >>> result = compare_groups(votes, ["Ayr"] * 4 + ["Bude"] * 4)
    >>> print(result.summary())
    Groups differ (p = 0.027); the group explains 0.6 % of the variation [0.0, 6.1].
    Items that differ:
      ika: 0.20 places higher in Ayr than in Bude (p = 0.011)
    Compared: mean places. They are relative: one item up, the rest down.
    Rankings: Ayr (100), Bude (100). 9,999 random permutations.
    """
    check_count(n_permutations, "n_permutations")
    options = Options(n_permutations, seed_from(random_state), n_jobs)
    rankings, sample_weight = read_with_weights(X, items, unranked, sample_weight)
    n_rows = rankings.shape[0]
    found = read_codes(groups, n_rows, "groups")
    known = np.flatnonzero(found.codes >= 0)
    notes = []
    if len(known) < n_rows:
        notes.append(f"{amount(n_rows - len(known), 'ranking')} without a group left out.")
    codes, values = _used(found, known)
    rows, told = read_rows(rankings, known, codes, strata, people, sample_weight)
    notes += told
    if strata is not None or told:
        rows, note = _with_several_groups(rows, values)
        notes += note
    _check_groups(rows, values)
    if question is not None:
        check_choice(question, get_args(Question), "question")
    if graph is not None:
        question = "strengths"
        graph = as_item_graph(graph).aligned(rankings.shape[1], rankings.items)
    asked = _Asked(rows, values, question, graph, features, options)
    return _compare(asked, notes)


@dataclass(frozen=True)
class _Asked:
    """What is compared, and how."""

    rows: ComparedRows
    values: tuple[Hashable, ...]
    question: Question | None
    graph: ItemGraph | None
    features: Any
    options: Options


def _compare(asked: _Asked, notes: list[str]) -> GroupComparison:
    rows, values = asked.rows, asked.values
    design = make_design(rows)
    strengths = _strengths(asked, design)
    parts = _parts(asked, strengths)
    scores = Scores(design, parts)
    draws = GroupDraws(scores, asked.options)
    columns, data = scores.columns, draws.data()
    notes += _notes(asked, parts, scores, draws)
    # The distance between groups is that of scores, in which items that few choose weigh less.
    looked = next(name for name in ("features", "scores", "items") if name in parts)
    overall = draws.family("whole", columns[looked])
    if looked != "features":
        overall = replace(overall, extra=columns["agreement"], single=columns["items"])
    families = {"overall": overall}
    for name in ("items", "pairs", "listing"):
        if name in parts:
            families[name] = draws.family("each", columns[name])
    if "listing" in parts:
        families["lists"] = draws.family("whole", columns["listing"], _NONE)
    if len(values) > 2:
        families["between"] = replace(families["overall"], kind="two")
    shares = {
        name: share_explained(data.first(), family, float(scores.total[family.columns].sum()))
        for name, family in families.items()
        if family.kind == "whole"
    }
    within = scores.within(rows, (looked, "items"))
    estimates, means = data, scores.adjusted_means(data.means[0], data.weights[0])
    means[np.abs(means) < ROUNDING] = 0.0
    shown = {name: means[:, columns[name]] for name in parts}
    if strengths is not None:
        shown |= {"items": strengths.theta, "pairs": strengths.preferred()}
        if len(design.starts) == 2:
            estimates = strengths.replaced(data, columns)
    tested = draws.p_values(list(families.values()), estimates)
    found = dict(zip(families, tested, strict=True))
    item = rows.rankings.item
    names = [item(column) for column in range(rows.rankings.shape[1])]
    two = list(itertools.combinations(names, 2))
    sides = {"first": [a for a, _ in two], "second": [b for _, b in two]}
    best = ("higher_in", "lower_in", "place")
    best = best if strengths is None else ("lower_in", "higher_in", "strength")

    def table(name: str, compared: dict[str, Any], words: tuple[str, str, str]) -> Table:
        if name not in parts:
            return Table({})
        clearness = normal_scores(estimates.first(), columns[name], draws.floor)
        p_values = found[name].p_values
        return difference_table(compared, shown[name], clearness, p_values, values, words)

    listing, between, items = None, Table({}), table("items", {"item": names}, best)
    if "listing" in parts:
        lists = table("listing", {"item": names}, ("less_in", "more_in", "listed"))
        listing = Aspect.of(found["lists"], shares["lists"], lists)
    if "between" in found:
        p_values = found["between"].p_values
        between = _between(data.first(), overall, within[looked], p_values, values)
    if strengths is not None and asked.graph is not None:
        items = _with_shrunk(items, dict(zip(names, strengths.shrunk(asked.graph).T, strict=True)))
    return GroupComparison(
        question="places" if strengths is None else "strengths",
        p_value=float(found["overall"].p_values[0]),
        p_interval=found["overall"].interval,
        effect_size=shares["overall"].value,
        effect_interval=shares["overall"].interval,
        groups=dict(zip(values, rows.sizes(len(values)), strict=True)),
        n_units=int(data.sizes.sum()),
        people=rows.person is not None,
        design_effect=_design_effect(rows, values, data.first(), columns["items"], within["items"]),
        items=items,
        pairs=table("pairs", sides, ("less_in", "more_in", "share")),
        between=between,
        listing=listing,
        method=draws.describe(),
        features=parts["features"].name if "features" in parts else "means",
        n_permutations=draws.number,
        notes=tuple(notes),
    )


def _strengths(asked: _Asked, design: Design) -> GroupStrengths | None:
    """Strengths in each group, if they are compared."""
    rankings = asked.rows.rankings
    if asked.question == "places" or (asked.question is None and not asked.rows.partial):
        return None
    if asked.question is None and (
        rankings.shape[1] > MOST_DENSE or not Choices.of(rankings).informative.any()
    ):
        return None
    return GroupStrengths.of(asked.rows, design)


def _parts(asked: _Asked, strengths: GroupStrengths | None) -> dict[str, Coordinates]:
    """The vectors that are looked at."""
    rankings = asked.rows.rankings
    paired = rankings.shape[1] <= PAIR_ITEMS
    if strengths is None:
        parts = {"items": places(rankings)}
        parts["agreement"] = agreement(asked.rows, parts["items"])
        if paired:
            parts["pairs"] = pairs(rankings)
    else:
        parts = {name: stored(values) for name, values in strengths.added(paired).items()}
    if asked.rows.partial:
        parts["listing"] = listings(asked.rows)
    if asked.features is not None:
        parts["features"] = features_of(asked.features, rankings, asked.options.seed)
    return parts


def _notes(
    asked: _Asked, parts: Mapping[str, Coordinates], scores: Scores, draws: GroupDraws
) -> list[str]:
    """What a reader should know."""
    notes = []
    if "pairs" not in parts:
        notes.append(f"Pairs are not compared: there are more than {PAIR_ITEMS} items.")
    if not scores.total[scores.columns["items"]].sum() > 0:
        notes.append("All rankings are equal: there is nothing to compare.")
    wanted = asked.options.n_permutations
    if draws.method == "permutations" and draws.number < wanted:
        notes.append(f"Fewer than {wanted:,} permutations, as there are many rankings.")
    return notes + (parts["features"].notes() if "features" in parts else [])


def _with_shrunk(items: Table, shrunk: Mapping[Any, Floats]) -> Table:
    """The table of items with strengths, and the clearest difference, drawn along the graph."""
    groups = [name for name in items.columns if name.startswith("strength in ")]
    own = np.array([shrunk[item] for item in items["item"]])
    columns = dict(items.columns)
    number = {name.removeprefix("strength in "): k for k, name in enumerate(groups)}
    ends = ([number[str(g)] if g is not None else 0 for g in items[side]] for side in _SIDES)
    high, low = ends
    every = np.arange(len(own))
    columns["shrunk"] = (own[every, high] - own[every, low]).tolist()
    return Table(columns)


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
    left_out = amount(int(rows.count.sum() - rows.count[kept].sum()), "ranking")
    note = f"Left out {left_out} in strata with a single group, which say nothing."
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
    for code, value in enumerate(values):
        own = rows.group == code
        people = rows.person
        number = int(rows.count[own].sum()) if people is None else len(np.unique(people[own]))
        if number < 2:
            what = "ranking" if people is None else "person"
            raise InputError(
                f"has {'one' if number else 'no'} {what} in group {value!r}",
                parameter="groups",
                remedy="leave that group out, or merge it with another",
            )


def _between(
    seen: Moments, overall: Family, within: Floats, p_values: Floats, values: Sequence[Any]
) -> Table:
    """All pairs of groups, each with its own p-value, adjusted for all pairs."""
    two = list(zip(*two_groups(len(values)), strict=True))
    return Table(
        {
            "first": [values[a] for a, _ in two],
            "second": [values[b] for _, b in two],
            "effect_size": [_share_of_two(seen, overall, within, list(pair)) for pair in two],
            "p_value": p_values.tolist(),
        }
    )


def _share_of_two(seen: Moments, overall: Family, within: Floats, two: list[int]) -> float:
    """ε² of two groups by themselves."""
    assert overall.covariances is not None
    some = Moments(seen.means[two], seen.variances[two], seen.weights[two], seen.sizes[two])
    weights, means = some.weights, some.means[:, overall.columns]
    gaps = means - weights @ means / weights.sum()
    total = float(weights @ ((gaps**2).sum(axis=1) + within[two]))
    own = replace(overall, covariances=overall.covariances[two])
    return share_explained(some, own, total).value


def _design_effect(
    rows: ComparedRows,
    values: Sequence[Hashable],
    seen: Moments,
    columns: slice,
    within: Floats,
) -> dict[Hashable, float]:
    """How many times larger variances of means are than those of as many single rankings.

    Empty without weights and people.
    """
    if rows.person is None and (rows.weight == rows.weight[0]).all():
        return {}
    actual = seen.variances[:, columns].sum(axis=1)
    simple = within / np.maximum(np.array(rows.sizes(len(values))) - 1, 1)
    effects = np.divide(actual, simple, out=np.ones(len(values)), where=simple > 0)
    return dict(zip(values, effects.tolist(), strict=True))


def difference_table(
    names: Mapping[str, Sequence[Any]],
    means: Floats,
    clearness: Floats,
    p_values: Floats,
    groups: Sequence[Any],
    words: tuple[str, str, str],
) -> Table:
    """The clearest difference between two groups and where it is, the clearest first.

    Parameters
    ----------
    names : mapping of str to sequence
        Columns that say what is compared.
    means : ndarray of shape (n_groups, n_compared)
        The mean of each group.
    clearness : ndarray of shape (n_pairs_of_groups, n_compared)
        How clear the difference between each two groups is.
    p_values : ndarray of shape (n_compared,)
        Adjusted p-values of the clearest.
    groups : sequence
        Labels of the groups.
    words : (str, str, str)
        Column for the group with the smaller mean, for that with the larger, and what a mean is.
    """
    every = np.arange(means.shape[1])
    one, other = (side[clearness.argmax(axis=0)] for side in two_groups(len(groups)))
    gap = means[other, every] - means[one, every]
    low, high = np.where(gap < 0, other, one), np.where(gap < 0, one, other)
    difference = np.abs(gap)
    order = np.lexsort((every, -difference, -clearness.max(axis=0), p_values))
    columns = {name: [values[k] for k in order] for name, values in names.items()}
    columns["difference"] = difference[order].tolist()
    ends = {words[0]: low, words[1]: high}
    for word in sorted(ends, key=lambda word: word.startswith(("lower", "less"))):
        columns[word] = [groups[ends[word][k]] if difference[k] > 0 else None for k in order]
    columns["p_value"] = p_values[order].tolist()
    for group, mean in zip(groups, means, strict=True):
        columns[f"{words[2]} in {group}"] = mean[order].tolist()
    return Table(columns)
