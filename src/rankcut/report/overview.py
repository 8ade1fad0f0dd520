"""The contents of a page about rankings: all of its numbers, nothing about its looks.

Catalogues are cut to the items that most rankings list. Equal rankings are counted, so a file with
counts and the same file with a row for each ranking give the same page.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.blocs.words import BlocReport
from rankcut.consensus.words import GroupConsensus
from rankcut.errors import InputError
from rankcut.graphs.item_graph import ItemGraph, as_item_graph, is_learned
from rankcut.rankings import Unranked, read_rankings
from rankcut.rankings.ranking_set import RankingSet
from rankcut.report.counted_rankings import Counted, count_places, count_rankings, sum_counts
from rankcut.report.description import Description, describe

MOST_ITEMS = 40
"""Maximum number of items on a page."""

# A learned graph uses at most this many rankings, drawn at random.
_MOST_SAMPLED = 20_000
MOST_DRAWN = 1000
"""Maximum number of rankings on a map, and to find blocs from."""

LEAST_PEOPLE = 30
"""Minimum number of rankings to look for blocs."""

_CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class Overview:
    """What a page says. Items are in the order of the consensus.

    Attributes
    ----------
    title : str
        What the rankings are called.
    unranked : str
        What an unranked item means.
    description : Description
        What is in the file, and what looks wrong.
    lengths : ndarray of int64
        How many rankings list 0, 1, 2, … items.
    items : list of str
        The items shown, by their place in the consensus.
    n_left_out : int
        Number of rankings that list none of these items, which are left out.
    listed : ndarray of shape (n_items,)
        How many rankings list each item.
    consensus : GroupConsensus
        The consensus about these items.
    places : ndarray of shape (n_items, n_items)
        How many rankings put an item in each place; tied items share the best of their places.
    sample : Counted
        The rankings on the map.
    blocs : BlocReport or None
        People who rank alike, if there are people and items enough.
    bloc_of : ndarray or None
        The bloc of each row of the sample.
    by : str
        The column of groups.
    group_names : list of str
        The names of the groups.
    comparison : dict or None
        How groups differ, as by ``GroupComparison.to_dict``.
    graph : ItemGraph or None
        The item graph.
    learned : bool
        Whether it is learned from the rankings.
    """

    title: str
    unranked: Unranked
    description: Description
    lengths: NDArray[np.int64]
    items: list[str]
    n_left_out: int
    listed: NDArray[np.int64]
    consensus: GroupConsensus
    places: NDArray[np.int64]
    sample: Counted
    blocs: BlocReport | None
    bloc_of: NDArray[np.int64] | None
    by: str
    group_names: list[str]
    comparison: dict[str, Any] | None
    graph: ItemGraph | None
    learned: bool

    @property
    def n_people(self) -> int:
        """How many rankings list one of the items shown."""
        return self.consensus.n_people


def survey(
    rankings: RankingSet,
    by: Any = None,
    *,
    by_name: str = "",
    unranked: Unranked = "error",
    graph: Any = None,
    seed: int = 0,
    progress: Callable[[str], None] = lambda what: None,
) -> Overview:
    """Compute the contents of a page.

    Parameters
    ----------
    rankings : RankingSet
        The rankings.
    by : sequence or None
        The group of each ranking; None, NaN and blank text are unknown.
    by_name : str
        What the groups are called.
    unranked : {"error", "last", "anywhere"}
        What an unranked item means.
    graph : graph or recipe, or None
        The item graph; None learns one from the rankings.
    seed : int
        Seed of bootstraps, permutations and samples.
    progress : callable
        Called with the name of each step.
    """
    from rankcut.comparison.rows import read_codes

    read_rankings(rankings, unranked=unranked)
    progress("reading")
    description = describe(rankings)
    lengths = rankings.n_ranked()
    if not lengths.any():
        raise InputError("no ranking ranks any item: there is nothing to report")
    found = None if by is None else read_codes(by, len(rankings), "by")
    codes = np.full(len(rankings), -1) if found is None else found.codes
    listed = sum_counts(
        rankings.sparse().indices,
        np.repeat(rankings.counts, lengths),
        len(rankings.items),
    )
    chosen = np.sort(np.argsort(-listed, kind="stable")[:MOST_ITEMS])
    counted, n_left_out = count_rankings(rankings, chosen, codes)
    progress("consensus")
    consensus = _agree(counted, [rankings.items[i] for i in chosen], unranked, seed)
    order = np.lexsort((chosen, -consensus.scores, consensus.ranking))
    consensus = _reordered(consensus, order)
    counted = replace(counted, groups=np.ascontiguousarray(counted.groups[:, order]))
    chosen = chosen[order]
    items = [str(rankings.items[i]) for i in chosen]
    names = [] if found is None else [_name(value) for value in found.values]
    comparison = None
    if found is not None:
        progress("differences between groups")
        comparison = _compare(counted, items, names, unranked, seed)
    progress("map and blocs")
    many = counted.sample(_MOST_SAMPLED, seed)
    sample = many.sample(MOST_DRAWN, seed + 1)
    blocs, bloc_of = _find_blocs(sample, items, unranked, seed)
    progress("item graph")
    return Overview(
        title=rankings.title,
        unranked=unranked,
        description=description,
        lengths=sum_counts(lengths, rankings.counts, len(rankings.items) + 1),
        items=items,
        n_left_out=n_left_out,
        listed=listed[chosen],
        consensus=consensus,
        places=count_places(counted),
        sample=sample,
        blocs=blocs,
        bloc_of=bloc_of,
        by=by_name,
        group_names=names,
        comparison=comparison,
        graph=_item_graph(graph, rankings, chosen, many),
        learned=graph is None or is_learned(graph),
    )


def _agree(counted: Counted, items: list[Any], unranked: Unranked, seed: int) -> GroupConsensus:
    import warnings

    from rankcut.consensus.estimator import Consensus

    model = Consensus(unranked=unranked, confidence=_CONFIDENCE, random_state=seed)
    with warnings.catch_warnings():
        # Said among the notes.
        warnings.filterwarnings("ignore", message="Nobody ranks")
        model.fit(
            read_rankings(counted.ranks(), items, unranked=unranked, sample_weight=counted.counts)
        )
    return GroupConsensus.of(model)


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
    counted: Counted, items: list[str], names: list[str], unranked: Unranked, seed: int
) -> dict[str, Any]:
    from rankcut.comparison.group_differences import compare_groups

    known = counted.rows(counted.codes >= 0)
    labels = np.array(names, dtype=object)[known.codes]
    found = compare_groups(
        RankingSet(known.ranks(), tuple(items)),
        labels,
        unranked=unranked,
        sample_weight=known.counts,
        n_permutations=1999,
        random_state=seed,
    )
    n_unknown = int(counted.counts[counted.codes < 0].sum())
    notes = (f"{n_unknown:,} without a group left out.",) if n_unknown else ()
    return replace(found, notes=(*found.notes, *notes)).to_dict()


def _find_blocs(
    sample: Counted, items: list[str], unranked: Unranked, seed: int
) -> tuple[BlocReport | None, NDArray[np.int64] | None]:
    from rankcut.blocs.estimator import RankingBlocs

    few = int(sample.counts.sum()) < LEAST_PEOPLE or len(sample.counts) < 3
    if few or len(items) < 3:
        return None, None
    model = RankingBlocs(unranked=unranked, n_init=3, n_bootstraps=0, random_state=seed)
    model.fit_matrix(read_rankings(sample.ranks(), items, unranked=unranked), sample.counts)
    return BlocReport.of(model), model.labels_


def _item_graph(
    graph: Any, rankings: RankingSet, chosen: NDArray[np.int64], counted: Counted
) -> ItemGraph | None:
    """The graph of the items shown, given or learned."""
    from rankcut.graphs.learned import AgreementGraph

    if len(chosen) < 3:
        return None
    if graph is None or is_learned(graph):
        recipe = AgreementGraph() if graph is None else graph
        return recipe.build_from(counted.ranks(), sample_weight=counted.counts)
    whole = as_item_graph(graph).aligned(len(rankings.items), rankings.labels())
    if len(chosen) == whole.n_items:
        return ItemGraph(whole.to_dense()[np.ix_(chosen, chosen)], len(chosen))
    return ItemGraph(whole.weights.to_csr()[chosen][:, chosen].toarray(), len(chosen))
