"""``rankcut similar``: the rankings nearest to one of them, or to each."""

import sys
from collections.abc import Hashable
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from rankcut.cli.cluster import Restart, Scheduler, Workers, connected
from rankcut.cli.cutting import (
    Cutting,
    Graph,
    Items,
    Seed,
    Smoothing,
    UnlistedItems,
    UnrankedItems,
)
from rankcut.cli.reading import Rankings, Reading, reads_rankings
from rankcut.files.ranking_set import RankingSet

if TYPE_CHECKING:
    from rankcut.cli.pieces import LazyRankings


@reads_rankings
def similar(
    file: Rankings,
    reading: Reading,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="ROW",
            help="Its name, or row from 0; without it, those of each ranking are listed.",
            show_default=False,
        ),
    ] = None,
    number: Annotated[int, typer.Option("-n", min=1, help="How many to list.")] = 10,
    output: Annotated[
        str, typer.Option("--output", "-o", help="CSV file to write; - is standard output.")
    ] = "-",
    items: Items = None,
    graph: Graph = None,
    unranked: UnrankedItems = "error",
    unlisted_weight: UnlistedItems = "1",
    smoothing: Smoothing = 0.0,
    seed: Seed = 0,
    approximate: Annotated[
        bool,
        typer.Option(
            "--approximate", help="Without --to: by an index, which misses some and says how many."
        ),
    ] = False,
    block: Annotated[int, typer.Option(min=1, help="Rankings of a block, on a cluster.")] = 16384,
    scheduler: Scheduler = None,
    workers: Workers = None,
    parts: Annotated[
        str | None,
        typer.Option(
            "--parts",
            metavar="DIR",
            help="Keep the vectors of Parquet files there, a file for each block, for this and "
            "later searches; run again, it writes those that are missing.",
            show_default=False,
        ),
    ] = None,
    restart: Restart = False,
) -> None:
    """List the rankings most like one of them, or each, by the graph cut kernel, as CSV.

    Similarity is from -1, reversed, to 1, the same. Parquet files may be searched on a cluster.

    Example: rankcut similar votes.soi --to 0 -n 5 --unranked last
    """
    from rankcut.cli.writing import write_table
    from rankcut.orders import to_orders

    cutting = Cutting(items, graph, unranked, unlisted_weight, smoothing, seed)
    if to is None:
        if scheduler is not None or workers is not None or parts is not None:
            raise ValueError(
                "a search on a cluster, or in parts, is for one ranking: name it with --to"
            )
        write_table(_of_each(reading.read(file), cutting, number, approximate), output)
        return
    if approximate:
        raise ValueError(
            "--approximate is for the search without --to; for one ranking, to compare it with "
            "all others takes less time than an index"
        )
    with connected(scheduler, workers) as client:
        if client is None and parts is None:
            shown, likeness, nearest = _search(file, reading, cutting, to, number)
        else:
            kept = None if parts is None else _KeptVectors(parts, restart, client)
            shown, likeness, nearest = _search_pieces(
                file, reading, cutting, to, number, block, kept
            )
    orders = to_orders(nearest.ranks, [str(item) for item in nearest.items])
    columns: dict[str, Any] = {"row": shown}
    if nearest.ids is not None:
        columns["ranking"] = list(nearest.ids)
    columns["similarity"] = [f"{value:.4f}" for value in likeness]
    if nearest.counted:
        columns["count"] = nearest.counts.tolist()
    columns["order"] = [" > ".join(map(_group, order)) for order in orders]
    write_table(columns, output)


def _of_each(
    rankings: RankingSet, cutting: Cutting, number: int, approximate: bool
) -> dict[str, Any]:
    """The columns of a table: each ranking, one that is like it, and how much so."""
    from rankcut.estimators.graph_cut import GraphCutFeatures
    from rankcut.estimators.similar_rankings import SimilarRankings

    number = min(number, len(rankings) - 1)
    if number == 0:
        raise ValueError("there is one ranking, and no other that is like it")
    search = SimilarRankings(
        GraphCutFeatures(cutting.item_graph(), **cutting.options(rankings)),
        n_neighbors=number,
        method="approximate" if approximate else "exact",
        random_state=cutting.seed,
    ).fit(rankings.ranks)
    if approximate:
        print(f"rankcut: the index finds {search.recall_:.1%} of the nearest", file=sys.stderr)
    values, rows = search.kneighbors()
    first, second = np.repeat(np.arange(len(rankings)), number).tolist(), rows.ravel().tolist()
    columns: dict[str, Any] = {"row": first, "similar": second}
    if rankings.ids is not None:
        columns["ranking"] = [rankings.ids[i] for i in first]
        columns["similar ranking"] = [rankings.ids[i] for i in second]
    columns["similarity"] = [f"{value:.4f}" for value in values.ravel().tolist()]
    return columns


def _search(
    file: str, reading: Reading, cutting: Cutting, to: str, number: int
) -> tuple[list[int], list[float], RankingSet]:
    """The row itself and the nearest ones: their numbers, similarities and rankings."""
    graph = cutting.item_graph()
    rankings = reading.read(file)
    row = _row(rankings, to, file)
    shown, likeness = _nearest(
        rankings.ranks[[row]], rankings.ranks, row, len(rankings), rankings, graph, cutting, number
    )
    return shown, likeness, rankings.rows(shown)


class _KeptVectors(NamedTuple):
    """Where vectors are kept, whether anew, and who computes those that are missing."""

    folder: str
    restart: bool
    client: Any


def _search_pieces(
    file: str,
    reading: Reading,
    cutting: Cutting,
    to: str,
    number: int,
    block: int,
    kept: _KeptVectors | None,
) -> tuple[list[int], list[float], RankingSet]:
    """The same for the pieces of a Parquet data set, which are not in memory together."""
    from rankcut.cli.pieces import LazyRankings, chosen_rows, find_row

    graph = cutting.item_graph()
    rankings = LazyRankings(*reading.pieces(file, block))
    row, sizes = find_row(rankings, to, file)
    query = chosen_rows(rankings, sizes, [row])
    if kept is not None:
        shown, likeness = _nearest_kept(rankings, query, row, graph, cutting, number, kept)
    else:
        shown, likeness = _nearest(
            query.ranks, rankings.ranks(), row, sum(sizes), rankings.first, graph, cutting, number
        )
    return shown, likeness, chosen_rows(rankings, sizes, shown)


def _nearest_kept(
    rankings: "LazyRankings",
    query: RankingSet,
    row: int,
    graph: Any,
    cutting: Cutting,
    number: int,
    kept: _KeptVectors,
) -> tuple[list[int], list[float]]:
    """The same, from vectors in files."""
    from rankcut.cli.pieces import nearest_in_parts, transformer_of, write_feature_parts

    transformer = transformer_of(rankings, cutting, graph)
    paths = write_feature_parts(
        rankings, transformer, cutting, kept.folder, kept.client, restart=kept.restart
    )
    vector = transformer.transform(query.ranks)
    items = [str(item) for item in rankings.first.items]
    # One more, since the ranking itself is among them unless as many others are the same.
    rows, values = nearest_in_parts(vector, paths, items, number + 1, kept.client)
    return _itself_first(row, float(vector.any()), rows, values, number)


def _nearest(
    query: NDArray[np.float64],
    ranks: Any,
    row: int,
    n_rows: int,
    known: RankingSet,
    graph: Any,
    cutting: Cutting,
    number: int,
) -> tuple[list[int], list[float]]:
    from rankcut.estimators.kernel_objects import GraphCutKernel
    from rankcut.lazy import computed

    kernel = GraphCutKernel(graph, normalize=True, **cutting.options(known))
    own = float(kernel(query)[0, 0])
    # One more, since the ranking itself is among them unless as many others are the same.
    values, rows = computed(*kernel.nearest(query, ranks, k=min(number + 1, n_rows)))
    return _itself_first(row, own, rows[0].tolist(), values[0].tolist(), number)


def _itself_first(
    row: int, own: float, rows: list[int], values: list[float], number: int
) -> tuple[list[int], list[float]]:
    others = [(i, value) for i, value in zip(rows, values, strict=True) if i != row]
    shown = [(row, own), *others[:number]]
    return [i for i, _ in shown], [value for _, value in shown]


def _row(rankings: RankingSet, chosen: str, file: str) -> int:
    names: tuple[Hashable, ...] = rankings.ids or ()
    for row, name in enumerate(names):
        if str(name) == chosen:
            return row
    if chosen.isdecimal() and int(chosen) < len(rankings):
        return int(chosen)
    raise no_such_row(file, chosen, len(rankings), names)


def no_such_row(file: str, chosen: str, n_rows: int, names: tuple[Hashable, ...]) -> ValueError:
    """What to say of a row that is not there."""
    named = f", nor one called {chosen!r}, such as {names[0]!r}" if names else ""
    return ValueError(f"{file}: there is no row {chosen}: rows count from 0 to {n_rows - 1}{named}")


def _group(tied: Any) -> str:
    return " = ".join(tied) if isinstance(tied, tuple) else str(tied)
