"""Compare groups of rankings: whether they differ, by how much, and where."""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, get_args

import numpy as np

from rankcut._loops.types import Floats, Longs
from rankcut.comparison.group_strengths import GroupStrengths, StrengthSteps
from rankcut.comparison.permutations import (
    GroupDraws,
    Options,
    by_distance,
    by_means,
    family,
)
from rankcut.comparison.results import UNITS, GroupComparison, Measure, Table
from rankcut.comparison.rows import (
    ComparedRows,
    make_design,
    read_codes,
    read_rows,
    read_weighted,
)
from rankcut.comparison.statistics import (
    Moments,
    score_statistics,
    share_explained,
    two_groups,
)
from rankcut.comparison.vectors import (
    FEW_UNITS,
    Coordinates,
    Scores,
    features_of,
    pairs,
    places,
    stored,
)
from rankcut.errors import InputError, Setting, amount
from rankcut.graphs.item_graph import ItemGraph, as_item_graph
from rankcut.graphs.weights import some_of
from rankcut.parameters import check_choice, check_count, seed_from
from rankcut.rankings import Rankings, Unranked
from rankcut.rankings.value import ROUNDING
from rankcut.strengths import Choices
from rankcut.strengths.fitting import MOST_DENSE

# Pairs are compared up to this many items: 4,950 pairs.
PAIR_ITEMS = 100

# Labels are bytes; more groups are probably numbers that should have been binned.
MOST_GROUPS = np.iinfo(np.uint8).max


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
    strata: Any = None,
    people: Any = None,
    sample_weight: Any = None,
    counts: Any = None,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
) -> GroupComparison:
    """Test whether groups rank differently, say by how much, and which items and pairs differ.

    Each group has variances of its own in each statistic, so groups may differ in spread and size.
    The overall p-value combines those of the largest difference, of the sum of all and of
    Hotelling's trace: it is the share of permutations of the group labels in which the combination
    is as small, variances and all computed anew. P-values of items and pairs are adjusted for all
    of them, and also at least those of a normal approximation with Holm's correction. See
    :mod:`rankcut.comparison.statistics`.

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
    measure : {"places", "strengths", "order", "listing"} or None
        What is compared: mean places; strengths in the Plackett–Luce model, whatever items people
        are shown and however many they list; strengths among the items that each list has; or how
        often each item is listed. None: places if all rankings are full, otherwise strengths, or
        listing if no two groups put the same items in order.
    graph : ItemGraph, recipe or None
        Compares strengths, and also shows differences that are drawn to each other along the item
        graph as far as the evidence goes (``shrunk``). P-values do not depend on it.
    features : None, estimator, kernel, "mallows" or "gaussian"
        What the overall test looks at. None looks at the means of all items. A feature estimator
        or a kernel compares the mean vectors of the groups. "mallows" and "gaussian" see any
        difference between populations, such as more spread, with less power against differences
        of means. Items and pairs are always compared by means.
    n_permutations : int
        Number of random permutations. If each group has 1,000 rankings or more, there are none, as
        they would say the same as the normal approximation.
    strata : sequence or None
        Labels are exchanged only among rankings of the same stratum, so that what the strata
        explain does not count.
    people : sequence or None
        Whose ranking it is. All rankings of a person get the same label, because they are not
        independent. If people are in several groups, labels are exchanged among the rankings
        of each person instead. None: those of a RankingSet.
    sample_weight : sequence or None
        Survey weights, which stay with the labels when rankings are exchanged. Variances are
        linearised, and the result has the design effect. None: those of a RankingSet.
    counts : sequence or None
        How many rankings each row stands for: the same as repeating it. None: those of a
        RankingSet.
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
    - Y. Liu, J. Xie (2020). Cauchy combination test: a powerful test with analytic p-value
      calculation under arbitrary dependency structures. JASA.
    - D. I. Warton (2008). Penalized normal likelihood and ridge regularization of correlation
      matrices. JASA.
    - S. Friedrich, M. Pauly (2018). MATS: inference for potentially singular and heteroscedastic
      MANOVA. Journal of Multivariate Analysis.
    - E. Chung, J. P. Romano (2016). Multivariate and multiple permutation tests. Journal of
      Econometrics.
    - P. H. Westfall, S. S. Young (1993). Resampling-Based Multiple Testing. Wiley.
    - A. Gretton and others (2012). A kernel two-sample test. JMLR.

    Examples
    --------
    >>> from rankcut import RankingSet, compare_groups
    >>> ranks = np.array([[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1]] * 2)
    >>> votes = RankingSet(ranks, ("ika", "uni", "ebi"), counts=[40, 30, 20, 10, 30, 20, 30, 20])
    >>> result = compare_groups(votes, ["Ayr"] * 4 + ["Bude"] * 4)
    >>> print(result.summary())
    Groups differ (p = 0.017); the group explains 0.6 % of the variation (0.0 to 6.1).
    Items that differ:
      ika: 0.20 places higher in Ayr than in Bude (p = 0.012)
    Compared: mean places. They are relative: one item up, the rest down.
    Rankings: Ayr (100), Bude (100). 9,999 random permutations.
    """
    check_count(n_permutations, "n_permutations")
    options = Options(n_permutations, seed_from(random_state), n_jobs)
    weighted = read_weighted(X, items, unranked, sample_weight, counts)
    rankings = weighted.rankings
    n_rows = rankings.shape[0]
    found = read_codes(groups, n_rows, "groups")
    known = np.flatnonzero(found.codes >= 0)
    notes = []
    if len(known) < n_rows:
        notes.append(f"{amount(n_rows - len(known), 'ranking')} without a group left out.")
    if not known.size:
        raise InputError("has no value for any ranking", parameter="groups")
    rows, told = read_rows(weighted, known, found.codes[known], strata, people)
    notes += told
    if strata is not None or told:
        rows, note = _with_several_groups(rows, len(found.values))
        notes += note
    _check_groups(rows, found.values)
    if measure is not None:
        check_choice(measure, get_args(Measure), "measure")
    if graph is not None:
        measure = "strengths" if measure is None else measure
        graph = as_item_graph(graph).aligned(rankings.shape[1], rankings.items)
    if graph is not None and measure not in ("strengths", "order"):
        raise InputError(f"draws strengths together, not {measure}", parameter="graph")
    lists = rows.listed()
    varied = rows.partial and bool((lists != lists[0]).any())
    if measure == "listing" and not varied:
        raise InputError(
            "has nothing to compare: all rankings list the same items", parameter="measure"
        )
    shared = np.arange(rankings.shape[1])
    if measure == "order" or rankings.unranked == "anywhere":
        shared = rows.shared(len(found.values))
    if measure is None:
        measure = "places"
        if rows.partial and _have_strengths(rows.rankings):
            measure = "strengths" if len(shared) > 1 else "listing"
    if measure == "listing" and features is not None:
        raise InputError(
            "looks at how items are ordered, and here only what is listed can be compared",
            parameter="features",
            remedy="leave it out",
        )
    compared = rows
    if measure in ("strengths", "order"):
        compared, graph, note = _of_items(rows, shared, graph)
        notes += note
    result = _GroupTest(compared, found.values, measure, graph, features, options).compare(notes)
    if not varied or measure == "listing":
        return result
    listing = _GroupTest(rows, found.values, "listing", None, None, options)
    return replace(result, listing=listing.compare([]))


def _have_strengths(rankings: Rankings) -> bool:
    few = rankings.shape[1] <= MOST_DENSE
    return few and bool(Choices.of(rankings).informative.any())


@dataclass(frozen=True)
class _GroupTest:
    """What is compared, and how."""

    rows: ComparedRows
    values: tuple[Hashable, ...]
    measure: Measure
    graph: ItemGraph | None
    features: Any
    options: Options

    def compare(self, notes: list[str]) -> GroupComparison:
        rows, values = self.rows, self.values
        n_items = rows.rankings.shape[1]
        design = make_design(rows)
        strengths = None
        if self.measure in ("strengths", "order"):
            seen = rows.rankings.unranked if self.measure == "strengths" else "anywhere"
            seen_rows = replace(rows, rankings=replace(rows.rankings, unranked=seen))
            strengths = GroupStrengths(seen_rows, design)
        parts = self._parts(strengths)
        scores = Scores(design, parts)
        looked = next(name for name in ("whole", "scores", "items") if name in parts)
        steps, crossed = None, None
        if strengths is not None and self._paired:
            steps, crossed = StrengthSteps(strengths, scores), scores.columns["scores"]
        elif self.features is None and n_items <= PAIR_ITEMS:
            crossed = scores.columns[looked]
        draws = GroupDraws(scores, crossed, self.options, steps)
        columns, varies, whole = draws.columns, draws.varies, draws.columns[looked]
        data, first = draws.data(), scores.moments(looked)
        if self.features is None:
            overall = partial(by_means, whole, columns["items"], varies)
        else:
            overall = partial(by_distance, whole, first)
        questions = {"overall": overall(two=False)}
        if len(values) > 2:
            questions["between"] = overall(two=True)
        for name in ("items", "pairs"):
            if name in columns:
                questions[name] = family(columns[name], varies, len(values))
        found = draws.p_values(questions, data)
        if strengths is not None:
            shown = {"items": strengths.theta, "pairs": strengths.preferred()}
        else:
            means = scores.adjusted_means(data.means[0], data.weights[0])
            means[np.abs(means) < ROUNDING] = 0.0
            shown = {name: means[:, columns[name]] for name in parts}

        def table(name: str, compared: dict[str, Any], unit: str, shrunk: Any = None) -> Table:
            clearness = score_statistics(data.of(columns[name]), varies[columns[name]])[0]
            p_values = found[name]
            return difference_table(
                compared, shown[name], clearness, p_values, values, unit, shrunk
            )

        names = [rows.rankings.item(column) for column in range(n_items)]
        sides = zip(*itertools.combinations(names, 2), strict=True)
        pairs = dict(zip(("first", "second"), sides, strict=False))
        shrunk = None
        if strengths is not None and self.graph is not None:
            shrunk = strengths.shrunk(self.graph)
        share = share_explained(first, float(scores.total[scores.columns[looked]].sum()))
        within = scores.within(looked)
        return GroupComparison(
            measure=self.measure,
            p_value=float(found["overall"][0]),
            effect_size=share.value,
            effect_interval=share.interval,
            groups=dict(zip(values, rows.sizes(len(values)), strict=True)),
            n_units=int(data.sizes.sum()),
            design_effect=self._design_effect(first, within),
            items=table("items", {"item": names}, UNITS[self.measure], shrunk),
            pairs=table("pairs", pairs, "share") if "pairs" in columns else Table({}),
            between=self._between(first, within, found.get("between")),
            listing=None,
            method=draws.describe(),
            features=parts["whole"].name if self.features is not None else "means",
            n_permutations=draws.number,
            notes=(*notes, *self._notes(parts, scores, draws.number, data)),
        )

    @property
    def _paired(self) -> bool:
        return 1 < self.rows.rankings.shape[1] <= PAIR_ITEMS

    def _parts(self, strengths: GroupStrengths | None) -> dict[str, Coordinates]:
        """The vectors that are looked at; the overall test takes the whole, or else the items."""
        rankings = self.rows.rankings
        if self.measure == "listing":
            return {"items": stored(self.rows.listed().astype(np.float64))}
        if strengths is not None:
            parts = {"scores": stored(strengths.scores)} if self._paired else strengths.added()
        else:
            parts = {"items": places(rankings)}
            parts |= {"pairs": pairs(rankings)} if self._paired else {}
        if self.features is not None:
            parts["whole"] = features_of(self.features, rankings, self.options.seed)
        return parts

    def _notes(
        self, parts: Mapping[str, Coordinates], scores: Scores, drawn: int, data: Moments
    ) -> list[str]:
        """What a reader should know."""
        if self.measure == "listing":
            return []
        notes, rankings = [], self.rows.rankings
        if rankings.shape[1] > PAIR_ITEMS:
            notes.append(f"Pairs are not compared: there are more than {PAIR_ITEMS} items.")
        if not scores.total.sum() > 0:
            notes.append("All rankings are equal: there is nothing to compare.")
        few = [str(self.values[k]) for k in np.flatnonzero(np.ravel(data.numbers) < FEW_UNITS)]
        if few:
            what = "people" if self.rows.person is not None else "rankings"
            have = "has" if len(few) == 1 else "have"
            have += "" if data.effective is None else " the weight of"
            notes.append(
                f"{', '.join(few[:FEW_UNITS])} {have} fewer than {FEW_UNITS} {what}: p-values hold "
                "if groups have the same spread, and may not otherwise."
            )
        if self._asks_shown:
            table = self.rows.seen(len(self.values))
            least = table[:, table.any(axis=0)].min(axis=1)
            few = [str(self.values[k]) for k in np.flatnonzero(least < FEW_UNITS)]
            if few:
                those = ", ".join(few[:FEW_UNITS])
                notes.append(
                    f"Some items are in fewer than {FEW_UNITS} lists of {those}: p-values of "
                    "strengths may be too small."
                )
        wanted = self.options.n_permutations
        if 0 < drawn < wanted:
            notes.append(f"Fewer than {wanted:,} permutations, as there are many rankings.")
        if "whole" in parts and parts["whole"].error:
            missed = 100 * parts["whole"].error
            notes.append(f"The kernel is approximated: its vectors miss {missed:.2g} % of it.")
        return notes

    def _between(self, seen: Moments, within: Floats, p_values: Floats | None) -> Table:
        """All pairs of groups, each with its own p-value and effect, p adjusted for all pairs.

        Pairs whose strengths cannot be compared are left out.
        """
        if p_values is None:
            return Table({})
        rows: dict[str, list[Any]] = {"first": [], "second": [], "effect_size": [], "p_value": []}
        for one, other, p_value in zip(*two_groups(len(self.values)), p_values, strict=True):
            two = np.array([one, other])
            if self._asks_shown and len(self.rows.of_groups(two).shared(len(self.values))) < 2:
                continue
            own = seen.of_groups(two)
            gaps = own.means - own.weights @ own.means / own.weights.sum()
            total = float(own.weights @ ((gaps**2).sum(axis=1) + within[two]))
            effect = share_explained(own, total).value
            found = (self.values[one], self.values[other], effect, float(p_value))
            for column, value in zip(rows.values(), found, strict=True):
                column.append(value)
        return Table(rows)

    @property
    def _asks_shown(self) -> bool:
        """Whether only the items of each list were at choice."""
        strengths = self.measure == "strengths" and self.rows.rankings.unranked == "anywhere"
        return strengths or self.measure == "order"

    def _design_effect(self, seen: Moments, within: Floats) -> dict[Hashable, float]:
        """How many times larger variances of means are than those of as many single rankings.

        Empty without weights and people.
        """
        rows, values = self.rows, self.values
        if rows.person is None and (rows.weight == rows.weight[0]).all():
            return {}
        actual = seen.variances.sum(axis=1)
        simple = within / np.maximum(np.array(rows.sizes(len(values))) - 1, 1)
        effects = np.divide(actual, simple, out=np.ones(len(values)), where=simple > 0)
        return dict(zip(values, effects.tolist(), strict=True))


def _with_several_groups(rows: ComparedRows, n_groups: int) -> tuple[ComparedRows, list[str]]:
    """Leave out strata with one group: there is nothing to exchange in them."""
    table = np.zeros((int(rows.stratum.max()) + 1, n_groups), dtype=bool)
    table[rows.stratum, rows.group] = True
    several = table.sum(axis=1) > 1
    if several.all():
        return rows, []
    if not table[several].any(axis=0).all():
        raise InputError(
            "has groups that share no stratum (or person) with another group",
            parameter="groups",
            remedy="use coarser strata, or leave these groups out",
        )
    kept = rows.take(np.flatnonzero(several[rows.stratum]))
    left_out = amount(int(rows.count.sum() - kept.count.sum()), "ranking")
    return kept, [f"Left out {left_out} in strata with a single group, which say nothing."]


def _of_items(
    rows: ComparedRows, shared: Longs, graph: ItemGraph | None
) -> tuple[ComparedRows, ItemGraph | None, list[str]]:
    """Leave out items that a single group compares with others."""
    rankings = rows.rankings
    if len(shared) == rankings.shape[1]:
        return rows, graph, []
    if len(shared) < 2:
        raise InputError(
            "has no two groups that put the same items in order",
            parameter="groups",
            remedy=["compare what they list: ", Setting("measure", "listing")],
        )
    gone = np.setdiff1d(np.flatnonzero(rows.listed().any(axis=0)), shared)
    names = some_of([rankings.item(column) for column in gone.tolist()])
    notes = [f"Left out what only one group puts in order: {names}."] if gone.size else []
    some = rankings.among(shared)
    if graph is not None:
        graph = ItemGraph.trusted(graph.weights.permuted(shared), some.items)
    return replace(rows, rankings=some), graph, notes


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


def difference_table(
    names: Mapping[str, Sequence[Any]],
    means: Floats,
    clearness: Floats,
    p_values: Floats,
    groups: Sequence[Any],
    unit: str,
    shrunk: Floats | None = None,
) -> Table:
    """The clearest difference between two groups and where it is, the clearest first.

    ``means`` are those of each group, ``shrunk`` the same as they are drawn along a graph,
    ``clearness`` how clear the difference between each two is, ``unit`` is what a mean is called.
    """
    every = np.arange(means.shape[1])
    one, other = (side[clearness.argmax(axis=0)] for side in two_groups(len(groups)))
    gap = means[other, every] - means[one, every]
    # The first place is the highest.
    swapped = (gap > 0) != (unit == "place")
    high, low = np.where(swapped, other, one), np.where(swapped, one, other)
    order = np.lexsort((every, -np.abs(gap), -clearness.max(axis=0), p_values))
    columns = {name: [values[k] for k in order] for name, values in names.items()}
    columns["difference"] = np.abs(gap)[order].tolist()
    ends = ("more_in", "less_in") if unit in ("listed", "share") else ("higher_in", "lower_in")
    for word, group in zip(ends, (high, low), strict=True):
        columns[word] = [groups[group[k]] if gap[k] else None for k in order]
    columns["p_value"] = p_values[order].tolist()
    for group, mean in zip(groups, means, strict=True):
        columns[f"{unit} in {group}"] = mean[order].tolist()
    if shrunk is not None:
        columns["shrunk"] = (shrunk[high, every] - shrunk[low, every])[order].tolist()
    return Table(columns)
