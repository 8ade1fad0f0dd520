"""The contents of a page about rankings: all of its numbers, nothing about its looks.

Catalogues are cut to the items that most rankings list. Equal rankings are counted, so a file with
counts and the same file with a row for each ranking give the same page.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.partitions import NOWHERE
from rankcut.blocs.selection import LEAST_PEOPLE
from rankcut.blocs.words import BlocReport
from rankcut.consensus.words import GroupConsensus
from rankcut.errors import InputError
from rankcut.graphs.item_graph import ItemGraph, as_item_graph, is_learned
from rankcut.parameters import MOST_COMPARED
from rankcut.pictures.theme import MOST_ITEMS
from rankcut.rankings import Rankings, Unranked, merge_rankings
from rankcut.rankings.ranking_set import RankingSet
from rankcut.report.description import Description, describe, group_bounds


@dataclass(frozen=True, eq=False)
class Overview:
    """What a page says. Items are in the order of the consensus."""

    title: str  #: what the rankings are called
    unranked: Unranked  #: what an unranked item means
    description: Description  #: what is in the file, and what looks wrong
    lengths: NDArray[np.int64]  #: how many rankings list 0, 1, 2, … items
    items: list[str]  #: those shown, by their place in the consensus
    n_left_out: int  #: rankings that list none of these items
    listed: NDArray[np.int64]  #: how many rankings list each item
    consensus: GroupConsensus  #: about these items
    #: How many rankings put an item in each place; tied items share the best
    places: NDArray[np.int64]
    sample: Rankings  #: the rankings on the map, each of a group once
    sample_codes: NDArray[np.int64]  #: their groups; −1 if unknown
    blocs: BlocReport | None  #: if there are people and items enough
    bloc_of: NDArray[np.int64] | None  #: the bloc of each row of the sample
    by: str  #: the column of groups
    group_names: list[str]  #: their names
    comparison: dict[str, Any] | None  #: as by ``GroupComparison.to_dict``
    graph: ItemGraph | None  #: of the items shown
    learned: bool  #: whether the graph is learned from the rankings

    @property
    def n_people(self) -> int:
        """How many rankings list one of the items shown."""
        return self.consensus.n_people


def survey(
    about: RankingSet,
    value: Rankings,
    by: Any = None,
    *,
    by_name: str = "",
    graph: Any = None,
    seed: int = 0,
    progress: Callable[[str], None] = lambda what: None,
) -> Overview:
    """Compute the contents of a page.

    ``value`` are the rankings of ``about``, read and checked. ``by`` is the group of each, unknown
    if None, NaN or blank; a graph of None is learned from them. ``progress`` is called with the
    name of each step.
    """
    from rankcut.comparison.rows import read_codes

    progress("reading")
    description = describe(about, value)
    lengths = about.n_ranked()
    if not lengths.any():
        raise InputError("no ranking ranks any item: there is nothing to report")
    found = None if by is None else read_codes(by, len(about), "by")
    codes = np.full(len(about), -1) if found is None else found.codes
    listed = _count_listed(value)
    chosen = np.sort(np.argsort(-listed, kind="stable")[:MOST_ITEMS])
    shown, codes, n_left_out = _choose_items(value, chosen, codes)
    progress("consensus")
    consensus = _agree(shown, seed)
    order = np.lexsort((chosen, -consensus.scores, consensus.ranking))
    consensus, chosen = _reordered(consensus, order), chosen[order]
    items = [str(about.items[i]) for i in chosen]
    shown = replace(shown, stored=shown.stored[:, order], items=tuple(items))
    names = [] if found is None else [_name(each) for each in found.values]
    comparison = None
    if found is not None:
        progress("differences between groups")
        comparison = _compare(shown, codes, names, seed)
    progress("map and blocs")
    sample, sample_codes = _sample(shown, codes, seed)
    blocs, bloc_of = _find_blocs(sample)
    progress("item graph")
    return Overview(
        title=about.title,
        unranked=value.unranked,
        description=description,
        lengths=np.bincount(lengths, about.counts, len(about.items) + 1).astype(np.int64),
        items=items,
        n_left_out=n_left_out,
        listed=listed[chosen],
        consensus=consensus,
        places=count_places(shown),
        sample=sample,
        sample_codes=sample_codes,
        blocs=blocs,
        bloc_of=bloc_of,
        by=by_name,
        group_names=names,
        comparison=comparison,
        graph=_item_graph(graph, value, chosen, shown),
        learned=graph is None or is_learned(graph),
    )


def _count_listed(value: Rankings) -> NDArray[np.int64]:
    """How many rankings list each item."""
    if value.sparse is None:
        return np.asarray(value.counts @ ~np.isnan(value.stored), dtype=np.int64)
    weights = np.repeat(value.counts, np.diff(value.sparse.indptr))
    return np.bincount(value.sparse.indices, weights, value.shape[1]).astype(np.int64)


def _choose_items(
    value: Rankings, chosen: NDArray[np.int64], codes: NDArray[np.int64]
) -> tuple[Rankings, NDArray[np.int64], int]:
    """Some items: each different ranking of a group once, its group, and how many list none."""
    items = None if value.items is None else tuple(value.items[i] for i in chosen)
    # Lists that end at different places stay apart, whatever unranked items mean.
    some = replace(value, stored=value.stored[:, chosen], items=items, unranked="anywhere")
    merged, which = merge_rankings(some)
    n_codes = int(codes.max()) + 2
    keys, rows = np.unique(which * n_codes + codes + 1, return_inverse=True)
    shown = replace(
        merged.rows(keys // n_codes),
        unranked=value.unranked,
        weights=np.bincount(rows, value.counts, len(keys)).astype(np.float64),
    )
    empty = (shown.groups(close=False) == NOWHERE).all(axis=1)
    n_empty = int(shown.counts[empty].sum())
    return shown.rows(~empty), (keys % n_codes - 1)[~empty], n_empty


def _sample(
    shown: Rankings, codes: NDArray[np.int64], seed: int
) -> tuple[Rankings, NDArray[np.int64]]:
    """People drawn at random for the map, and their groups; all if there is room for them."""
    total = shown.counts.sum()
    if total <= MOST_COMPARED:
        return shown, codes
    drawn = np.random.default_rng(seed).multinomial(MOST_COMPARED, shown.counts / total)
    kept = np.flatnonzero(drawn)
    return replace(shown.rows(kept), weights=drawn[kept].astype(np.float64)), codes[kept]


def count_places(shown: Rankings) -> NDArray[np.int64]:
    """How many rankings put each item in each place among the listed ones.

    >>> from rankcut.rankings import read_rankings
    >>> count_places(read_rankings([[1, 2, 2], [2, 1, np.nan]], unranked="last")).tolist()
    [[1, 1, 0], [1, 1, 0], [0, 1, 0]]
    """
    n_items = shown.shape[1]
    places = np.zeros(n_items * n_items)
    for start, block in shown.blocks(close=False):
        row, place, first, _ = group_bounds(block)
        cells = block.order[row, place] * n_items + first
        places += np.bincount(cells, shown.counts[start + row], n_items * n_items)
    return places.reshape(n_items, n_items).astype(np.int64)


def _agree(shown: Rankings, seed: int) -> GroupConsensus:
    import warnings

    from rankcut.consensus.estimator import Consensus

    model = Consensus(unranked=shown.unranked, random_state=seed)
    with warnings.catch_warnings():
        # Said among the notes.
        warnings.filterwarnings("ignore", message="Nobody ranks")
        return GroupConsensus.of(model.fit(shown))


def _reordered(consensus: GroupConsensus, order: NDArray[np.int64]) -> GroupConsensus:
    pairwise = consensus.pairwise
    return replace(
        consensus,
        ranking=consensus.ranking[order],
        scores=consensus.scores[order],
        intervals=None if consensus.intervals is None else consensus.intervals[order],
        first=None if consensus.first is None else consensus.first[order],
        pairwise=None if pairwise is None else pairwise[np.ix_(order, order)],
    )


def _name(value: Any) -> str:
    """A label; a whole number without its decimal point."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _compare(
    shown: Rankings, codes: NDArray[np.int64], names: list[str], seed: int
) -> dict[str, Any]:
    from rankcut.comparison.group_differences import compare_groups

    known = shown.rows(codes >= 0)
    found = compare_groups(
        known,
        np.array(names, dtype=object)[codes[codes >= 0]],
        unranked=shown.unranked,
        n_permutations=1999,
        random_state=seed,
    )
    n_unknown = int(shown.counts[codes < 0].sum())
    notes = (f"{n_unknown:,} without a group left out.",) if n_unknown else ()
    return replace(found, notes=(*found.notes, *notes)).to_dict()


def _find_blocs(sample: Rankings) -> tuple[BlocReport | None, NDArray[np.int64] | None]:
    from rankcut.blocs.estimator import RankingBlocs

    if sample.counts.sum() < LEAST_PEOPLE or min(sample.shape) < 3:
        return None, None
    model = RankingBlocs(unranked=sample.unranked)
    return BlocReport.of(model.fit(sample)), model.labels_


def _item_graph(
    graph: Any, value: Rankings, chosen: NDArray[np.int64], shown: Rankings
) -> ItemGraph | None:
    """The graph of the items shown, given or learned."""
    from rankcut.graphs.learned import AgreementGraph

    if len(chosen) < 3:
        return None
    if graph is None or is_learned(graph):
        recipe = AgreementGraph() if graph is None else graph
        last = value.unranked == "last"
        ranks = replace(shown, unranked="last").groups() + 1 if last else shown
        return recipe.build_from(ranks, sample_weight=shown.counts)
    whole = as_item_graph(graph).aligned(value.shape[1], value.items)
    if len(chosen) == whole.n_items:
        return ItemGraph(whole.to_dense()[np.ix_(chosen, chosen)], len(chosen))
    return ItemGraph(whole.weights.to_csr()[chosen][:, chosen].toarray(), len(chosen))
