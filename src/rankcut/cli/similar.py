"""``rankcut similar``: the rankings nearest to one of them, or to each."""

import sys
from collections.abc import Hashable
from typing import Annotated, Any

import numpy as np
import typer

from rankcut.cli.cluster import Computing
from rankcut.cli.cutting import Cutting
from rankcut.cli.lines import order_lines
from rankcut.cli.reading import Rankings, Reading
from rankcut.cli.sharing import with_options
from rankcut.ranking_set import RankingSet


@with_options(cutting=Cutting, computing=Computing, reading=Reading)
def similar(
    file: Rankings,
    reading: Reading,
    cutting: Cutting,
    computing: Computing,
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
    approximate: Annotated[
        bool,
        typer.Option(
            "--approximate", help="Without --to: by an index, which misses some and says how many."
        ),
    ] = False,
    block: Annotated[int, typer.Option(min=1, help="Rankings of a block, on a cluster.")] = 16384,
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
) -> None:
    """List the rankings most like one of them, or each, by the graph cut kernel, as CSV.

    Similarity is from -1, reversed, to 1, the same. Parquet files may be searched on a cluster.

    Example: rankcut similar votes.soi --to 0 -n 5 --unranked last
    """
    from rankcut.cli.writing import write_table

    if to is None:
        if computing.on_cluster or parts is not None:
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
    with computing.connected() as client:
        if client is None and parts is None:
            shown, likeness, nearest = _search(file, reading, cutting, to, number)
        else:
            from rankcut.cli.similar_pieces import KeptVectors, search_pieces

            kept = None if parts is None else KeptVectors(parts, computing.restart, client)
            shown, likeness, nearest = search_pieces(
                file, reading, cutting, to, number, block, kept
            )
    columns: dict[str, Any] = {"row": shown}
    if nearest.ids is not None:
        columns["ranking"] = list(nearest.ids)
    columns["similarity"] = [f"{value:.4f}" for value in likeness]
    if nearest.counted:
        columns["count"] = nearest.counts.tolist()
    columns["order"] = order_lines(nearest)
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
    from rankcut.estimators.kernel_objects import GraphCutKernel

    graph = cutting.item_graph()
    rankings = reading.read(file)
    row = _row(rankings, to, file)
    kernel = GraphCutKernel(graph, normalize=True, **cutting.options(rankings))
    query = rankings.ranks[[row]]
    own = float(kernel(query)[0, 0])
    # One more, since the ranking itself is among them unless as many others are the same.
    values, rows = kernel.nearest(query, rankings.ranks, k=min(number + 1, len(rankings)))
    shown, likeness = itself_first(row, own, rows[0].tolist(), values[0].tolist(), number)
    return shown, likeness, rankings.rows(shown)


def itself_first(
    row: int, own: float, rows: list[int], values: list[float], number: int
) -> tuple[list[int], list[float]]:
    """The numbers and similarities to show: of the ranking itself, then of the nearest others."""
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
