"""Rankings that were read once, and what is found in them: each answer when it is first asked for.

Nothing here is about looks. Catalogues are cut to the items that most rankings list. A file with
counts and the same file with a row for each ranking give the same numbers.
"""

import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut.blocs.report import BlocReport
from rankcut.blocs.selection import LEAST_PEOPLE
from rankcut.comparison.results import GroupComparison
from rankcut.consensus.description import Description, describe, group_bounds
from rankcut.consensus.means import Units
from rankcut.consensus.pairs import Comparisons, compare_pairs
from rankcut.consensus.words import GroupConsensus
from rankcut.errors import InputError
from rankcut.graphs.item_graph import ItemGraph, as_item_graph, is_learned
from rankcut.parameters import MOST_COMPARED, seed_from
from rankcut.pictures.maps import column_of
from rankcut.pictures.theme import MOST_ITEMS
from rankcut.rankings import Rankings, Unranked, merge_rankings, read_rankings
from rankcut.rankings.ranking_set import RankingSet


@dataclass(frozen=True, eq=False)
class Study:
    """Rankings, read and checked, and what is asked of them; made by :func:`read_study`."""

    about: RankingSet  #: the rows that count, with what else is known
    value: Rankings  #: the same rankings
    by: str = ""  #: what groups are called
    codes: NDArray[np.int64] | None = None  #: the group of each row, −1 if unknown
    group_names: tuple[str, ...] = ()
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
        chosen = np.sort(np.argsort(-self._listed, kind="stable")[:MOST_ITEMS])
        items = tuple(str(self.about.items[i]) for i in chosen)
        some = replace(self.value, stored=self.value.stored[:, chosen], items=items)
        if some.sparse is not None:
            some = replace(some, stored=RankingSet(some.stored, items).dense())
        return chosen, some, ~np.isnan(some.stored).all(axis=1)

    @cached_property
    def _combined(self) -> tuple[NDArray[np.int64], GroupConsensus]:
        """The places of the items in the consensus, best first, and the consensus in that order."""
        from rankcut.consensus.estimator import Consensus

        self.progress("consensus")
        chosen, some, filled = self._cut
        model = Consensus(self.method, unranked=some.unranked, random_state=self.seed)
        with warnings.catch_warnings():
            # Said among the notes.
            warnings.filterwarnings("ignore", message="Nobody ranks")
            found = GroupConsensus.of(model.fit(some.rows(filled)))
        order = np.lexsort((chosen, -found.scores, found.ranking))
        changed: dict[str, Any] = {
            name: None if values is None else values[order]
            for name, values in vars(found).items()
            if name in ("ranking", "scores", "intervals", "first", "errors", "mean_ranks")
        }
        changed |= {
            name: None if square is None else square[np.ix_(order, order)]
            for name, square in (("pairwise", found.pairwise), ("clear", found.clear))
        }
        return order, replace(found, **changed)

    @property
    def consensus(self) -> GroupConsensus:
        """The consensus about the items shown."""
        return self._combined[1]

    @property
    def items(self) -> list[str]:
        """The items shown, by their place in the consensus."""
        return [str(self.about.items[i]) for i in self._cut[0][self._combined[0]]]

    @property
    def n_people(self) -> int:
        """How many people list one of the items shown."""
        return self.consensus.n_people

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
        return replace(
            some, stored=some.stored[:, self._combined[0]], items=tuple(self.items)
        ).rows(filled)

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """How many rankings, by weight, put an item in each place; tied items share the best."""
        return count_places(self.shown)

    @cached_property
    def pairs(self) -> Comparisons:
        """What people say about each pair of the items shown."""
        return compare_pairs(Units.of(self.shown))

    @cached_property
    def comparison(self) -> GroupComparison | None:
        """Whether groups differ, and where; None without groups."""
        from rankcut.comparison.group_differences import compare_groups

        if self.codes is None:
            return None
        self.progress("differences between groups")
        filled = self._cut[2]
        codes, about = self.codes[filled], self.about.rows(filled)
        known = codes >= 0

        def of_known(values: Any) -> Any:
            return None if values is None else np.asarray(values)[filled][known]

        found = compare_groups(
            replace(self.shown, weights=None, counted=True, people=None).rows(known),
            np.array(self.group_names, dtype=object)[codes[known]],
            unranked=self.shown.unranked,
            n_permutations=1999,
            random_state=self.seed,
            people=of_known(self.about.people),
            strata=of_known(self.strata),
            sample_weight=of_known(self.about.weights),
            counts=about.counts[known],
        )
        n_unknown = int(about.counts[~known].sum())
        notes = (f"{n_unknown:,} without a group left out.",) if n_unknown else ()
        return replace(found, notes=(*found.notes, *notes))

    @cached_property
    def sample(self) -> tuple[Rankings, NDArray[np.int64]]:
        """The rankings on the map, each of a group once, and their groups; −1 if unknown."""
        shown = self.shown
        codes = np.full(len(self.about), -1) if self.codes is None else self.codes
        codes = codes[self._cut[2]]
        # Lists that end at different places stay apart, whatever unranked items mean.
        merged, which = merge_rankings(replace(shown, unranked="anywhere"))
        n_codes = int(codes.max()) + 2
        keys, rows = np.unique(which * n_codes + codes + 1, return_inverse=True)
        weights = np.bincount(rows, shown.counts, len(keys)).astype(np.float64)
        drawn = np.arange(len(keys))
        if not shown.counted or weights.sum() > MOST_COMPARED:
            size = min(MOST_COMPARED, int(self.about.counts.sum()))
            chance = np.random.default_rng(self.seed)
            weights = chance.multinomial(size, weights / weights.sum()).astype(np.float64)
            drawn = np.flatnonzero(weights)
        some = merged.rows(keys[drawn] // n_codes)
        some = replace(some, weights=weights[drawn], counted=True)
        return replace(some, unranked=shown.unranked), keys[drawn] % n_codes - 1

    @cached_property
    def blocs(self) -> BlocReport | None:
        """Whether people fall into camps; None of few people or items."""
        from rankcut.blocs.estimator import RankingBlocs

        self.progress("blocs")
        sample = self.sample[0]
        if sample.counts.sum() < LEAST_PEOPLE or min(sample.shape) < 3:
            return None
        return BlocReport(RankingBlocs(unranked=sample.unranked).fit(sample))

    @property
    def learned(self) -> bool:
        """Whether the graph is learned from the rankings."""
        return self.given_graph is None or is_learned(self.given_graph)

    @cached_property
    def graph(self) -> ItemGraph | None:
        """The graph of the items shown, given or learned; None of two items."""
        from rankcut.graphs.learned import AgreementGraph

        self.progress("item graph")
        chosen, value = self._cut[0][self._combined[0]], self.value
        if len(chosen) < 3:
            return None
        if self.learned:
            recipe = AgreementGraph() if self.given_graph is None else self.given_graph
            ranks: Any = self.shown
            if value.unranked == "last":
                ranks = self.shown.groups() + 1
            return recipe.build_from(ranks, sample_weight=self.shown.counts)
        whole = as_item_graph(self.given_graph).aligned(value.shape[1], value.items)
        some = whole.weights.to_csr()[chosen][:, chosen].toarray()
        return ItemGraph(some, len(chosen))


def read_study(
    X: Any,
    by: Any = None,
    *,
    unranked: Unranked = "error",
    graph: Any = None,
    sample_weight: ArrayLike | None = None,
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
    from rankcut.comparison.rows import read_codes

    by_name = by if isinstance(by, str) else by_name
    by, people, strata = (
        column_of(X, each, name)
        for each, name in ((by, "by"), (people, "people"), (strata, "strata"))
    )
    value = read_rankings(X, items, unranked=unranked, sample_weight=sample_weight, people=people)
    labels = tuple(value.item(column) for column in range(value.shape[1]))
    about = X if isinstance(X, RankingSet) else RankingSet(value.stored, labels)
    if sample_weight is not None:
        about = replace(about, counts=None, weights=value.counts)
    kept = value.counts > 0
    about = replace(
        about.rows(kept),
        ranks=value.stored[kept],
        people=None if value.people is None else value.people[kept],
        title=title or about.title,
    )
    if not about.n_ranked().any():
        raise InputError("no ranking ranks any item: there is nothing to report")
    codes, names = None, tuple[str, ...]()
    if by is not None:
        found = read_codes(np.asarray(by)[kept], len(about), "by")
        codes, names = found.codes, tuple(_name(each) for each in found.values)
    return Study(
        about,
        value.rows(kept),
        by_name or "group",
        codes,
        names,
        None if strata is None else np.asarray(strata)[kept],
        graph,
        method,
        seed_from(random_state),
        progress or (lambda what: None),
    )


def _name(value: Any) -> str:
    """A label; a whole number without its decimal point."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def count_places(shown: Rankings) -> NDArray[np.float64]:
    """How many rankings, by weight, put each item in each place among the listed ones.

    >>> count_places(read_rankings([[1, 2, 2], [2, 1, np.nan]], unranked="last")).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
    """
    n_items = shown.shape[1]
    places = np.zeros(n_items * n_items)
    for start, block in shown.blocks(close=False):
        row, place, first, _ = group_bounds(block)
        cells = block.order[row, place] * n_items + first
        places += np.bincount(cells, shown.counts[start + row], n_items * n_items)
    return places.reshape(n_items, n_items)
