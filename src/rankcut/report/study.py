"""Rankings that were read once, and what is found in them: each answer when it is first asked for.

Nothing here is about looks. Catalogues are cut to the items that most rankings list. A file with
counts and the same file with a row for each ranking give the same numbers.
"""

import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut.blocs.report import BlocReport
from rankcut.blocs.selection import LEAST_PEOPLE
from rankcut.comparison.results import GroupComparison
from rankcut.consensus.combining import CombinesRankings, combine
from rankcut.consensus.description import Description, describe, group_bounds
from rankcut.consensus.pairs import Comparisons
from rankcut.errors import InputError
from rankcut.graphs.item_graph import ItemGraph, as_item_graph, is_learned
from rankcut.maps.rankings import column_of
from rankcut.parameters import MOST_COMPARED, seed_from
from rankcut.pictures.theme import MOST_IN_FIGURE
from rankcut.rankings import Rankings, Unranked, read_rankings
from rankcut.rankings.ranking_set import RankingSet
from rankcut.sample.labels import read_groups

if TYPE_CHECKING:
    from rankcut.utilities.estimator import Utilities


@dataclass(frozen=True, eq=False)
class Study:
    """Rankings, read and checked, and what is asked of them; made by :func:`read_study`."""

    about: RankingSet  #: the rows that count, with what else is known
    value: Rankings  #: the same rankings
    by: str = ""  #: what groups are called
    codes: NDArray[np.int64] | None = None  #: the group of each row, −1 if unknown
    group_names: tuple[str, ...] = ()
    group_notes: tuple[str, ...] = ()  #: whose groups were joined, and who has none
    strata: Any = None
    given_graph: Any = None  #: None: one is learned
    method: Any = "auto"  #: of the consensus
    seed: int = 0
    progress: Callable[[str], None] = lambda what: None

    @cached_property
    def description(self) -> Description:
        """What is in the file, and what looks wrong."""
        return describe(self.about, self.value)

    @cached_property
    def _listed(self) -> NDArray[np.int64]:
        """How many rankings list each item, of all items."""
        value, counts = self.value, self.about.counts
        if value.sparse is None:
            return np.asarray(counts @ ~np.isnan(value.stored), dtype=np.int64)
        weights = np.repeat(counts, np.diff(value.sparse.indptr))
        return np.bincount(value.sparse.indices, weights, value.shape[1]).astype(np.int64)

    @cached_property
    def _cut(self) -> tuple[NDArray[np.int64], Rankings, NDArray[np.bool_]]:
        """The items that most rankings list, these rankings of them, and which list any."""
        columns = np.sort(np.argsort(-self._listed, kind="stable")[:MOST_IN_FIGURE])
        items = tuple(str(self.about.items[i]) for i in columns)
        some = self.value.among(columns).with_items(items).dense()
        return columns, some, ~np.isnan(some.stored).all(axis=1)

    @cached_property
    def _combined(self) -> tuple[NDArray[np.int64], CombinesRankings]:
        """The places of the items in the consensus, best first, and the consensus in that order."""
        self.progress("consensus")
        columns, some, filled = self._cut
        with warnings.catch_warnings():
            # Said among the notes.
            warnings.filterwarnings("ignore", message="Nobody ranks")
            model = combine(some.rows(filled), method=self.method, random_state=self.seed)
        order = np.lexsort((columns, -model.scores_, model.ranking_))
        return order, model.arranged(order)

    @property
    def consensus(self) -> CombinesRankings:
        """The consensus about the items shown."""
        return self._combined[1]

    @property
    def items(self) -> list[str]:
        """The items shown, by their place in the consensus."""
        return [str(self.about.items[i]) for i in self._cut[0][self._combined[0]]]

    @property
    def n_people(self) -> int:
        """How many people list one of the items shown."""
        return self.consensus.n_people_

    @property
    def n_left_out(self) -> int:
        """How many rankings list none of the items shown."""
        return int(self.about.counts[~self._cut[2]].sum())

    @cached_property
    def listed(self) -> NDArray[np.int64]:
        """How many rankings list each item shown."""
        return self._listed[self._cut[0][self._combined[0]]]

    @cached_property
    def shown(self) -> Rankings:
        """The rankings that list any of the items shown, in the order of the consensus."""
        _, some, filled = self._cut
        return some.rows(filled).among(self._combined[0])

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """How many rankings, by weight, put an item in each place; tied items share the best."""
        return count_places(self.shown)

    @cached_property
    def pairs(self) -> Comparisons:
        """What people say about each pair of the items shown."""
        pairs = self.consensus.comparisons_
        assert pairs is not None  # so few items are shown
        return pairs

    @cached_property
    def comparison(self) -> GroupComparison | None:
        """Whether groups differ, and where; None without groups."""
        from rankcut.comparison.group_differences import compare_groups

        if self.codes is None:
            return None
        self.progress("differences between groups")
        filled = self._cut[2]
        codes, about = self.codes[filled], self.about.rows(filled)
        grouped = codes >= 0

        def of_known(values: Any) -> Any:
            return None if values is None else np.asarray(values)[filled][grouped]

        comparison = compare_groups(
            self.shown.without_weights().with_people(None).rows(grouped),
            np.array(self.group_names, dtype=object)[codes[grouped]],
            unranked=self.shown.unranked,
            random_state=self.seed,
            people=of_known(self.about.people),
            strata=of_known(self.strata),
            sample_weight=of_known(self.about.weights),
            counts=about.counts[grouped],
        )
        return replace(comparison, notes=(*self.group_notes, *comparison.notes))

    @cached_property
    def sample(self) -> tuple[Rankings, NDArray[np.int64]]:
        """The rankings on the map, each of a group once, and their groups; −1 if unknown."""
        rankings = self.shown
        codes = np.full(len(self.about), -1) if self.codes is None else self.codes
        codes = codes[self._cut[2]]
        merged, which = rankings.merged(as_listed=True)
        n_codes = int(codes.max()) + 2
        keys, rows = np.unique(which * n_codes + codes + 1, return_inverse=True)
        weights = np.bincount(rows, rankings.counts, len(keys)).astype(np.float64)
        lots = np.arange(len(keys))
        if not rankings.counted or weights.sum() > MOST_COMPARED:
            size = min(MOST_COMPARED, int(self.about.counts.sum()))
            chance = np.random.default_rng(self.seed)
            weights = chance.multinomial(size, weights / weights.sum()).astype(np.float64)
            lots = np.flatnonzero(weights)
        some = merged.rows(keys[lots] // n_codes)
        return some.with_weights(weights[lots], counted=True), keys[lots] % n_codes - 1

    @cached_property
    def blocs(self) -> BlocReport | None:
        """Whether people fall into camps; None of few people or items."""
        from rankcut.blocs.estimator import RankingBlocs

        self.progress("blocs")
        sample = self.sample[0]
        if sample.counts.sum() < LEAST_PEOPLE or min(sample.shape) < 3:
            return None
        return BlocReport(RankingBlocs(unranked=sample.unranked).fit(sample))

    @cached_property
    def utilities(self) -> "Utilities | None":
        """The utilities of people; None unless some answered several best–worst tasks."""
        rankings = self.shown
        people = rankings.people
        if rankings.asked_ties or people is None or min(rankings.shape) < 3:
            return None
        if len(np.unique(people)) == len(people):
            return None
        from rankcut.utilities.estimator import Utilities

        self.progress("utilities")
        return Utilities(random_state=self.seed).fit(rankings)

    @property
    def learned(self) -> bool:
        """Whether the graph is learned from the rankings."""
        return self.given_graph is None or is_learned(self.given_graph)

    @cached_property
    def graph(self) -> ItemGraph | None:
        """The graph of the items shown, given or learned; None of two items."""
        from rankcut.graphs.learned import AgreementGraph

        self.progress("item graph")
        columns, value = self._cut[0][self._combined[0]], self.value
        if len(columns) < 3:
            return None
        if self.learned:
            recipe = AgreementGraph() if self.given_graph is None else self.given_graph
            ranks: Any = self.shown
            if value.unranked == "last":
                ranks = self.shown.groups() + 1
            return recipe.build_from(ranks, sample_weight=self.shown.counts)
        full = as_item_graph(self.given_graph).aligned(value.shape[1], value.items)
        some = full.weights.to_csr()[columns][:, columns].toarray()
        return ItemGraph(some, len(columns))


def read_study(
    X: Any,
    by: Any = None,
    *,
    unranked: Unranked = "error",
    graph: Any = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    people: Any = None,
    strata: Any = None,
    items: Sequence[Hashable] | None = None,
    title: str = "",
    random_state: int | np.random.RandomState | None = 0,
    by_name: str = "",
    method: str = "auto",
    progress: Callable[[str], None] | None = None,
) -> Study:
    """Read and check rankings and what is asked of them; see :func:`~rankcut.report.report`."""
    by_name = by if isinstance(by, str) else by_name
    by, people, strata = (
        column_of(X, each, name)
        for each, name in ((by, "by"), (people, "people"), (strata, "strata"))
    )
    value = read_rankings(
        X, items, unranked=unranked, sample_weight=sample_weight, counts=counts, people=people
    )
    labels = tuple(value.item(column) for column in range(value.shape[1]))
    about = X if isinstance(X, RankingSet) else RankingSet(value.stored, labels)
    if counts is not None:
        about = about.with_counts(np.asarray(counts, dtype=np.int64), None)
    if sample_weight is not None:
        about = about.with_counts(None, value.counts)
    counting = value.counts > 0
    about = about.rows(counting)
    about = about.having(ranks=value.stored[counting], title=title or about.title)
    about = about.with_people(None if value.people is None else value.people[counting])
    if not about.n_ranked().any():
        raise InputError("no ranking ranks any item: there is nothing to report")
    codes, names, notes = None, list[str](), tuple[str, ...]()
    if by is not None:
        groups = read_groups(np.asarray(by)[counting], len(about), "by", about.counts)
        codes, names = groups.codes, groups.texts
        notes = tuple(groups.notes)
    return Study(
        about,
        value.rows(counting),
        by_name or "group",
        codes,
        tuple(names),
        notes,
        None if strata is None else np.asarray(strata)[counting],
        graph,
        method,
        seed_from(random_state),
        progress or (lambda what: None),
    )


def count_places(rankings: Rankings) -> NDArray[np.float64]:
    """How many rankings, by weight, put each item in each place among the listed ones.

    >>> count_places(read_rankings([[1, 2, 2], [2, 1, np.nan]], unranked="last")).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
    """
    n_items = rankings.shape[1]
    places = np.zeros(n_items * n_items)
    for start, block in rankings.blocks(close=False):
        row, place, first, _ = group_bounds(block)
        cells = block.order[row, place] * n_items + first
        places += np.bincount(cells, rankings.counts[start + row], n_items * n_items)
    return places.reshape(n_items, n_items)
