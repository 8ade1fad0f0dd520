"""``rankcut similar``: the rankings nearest to one of them, or to each."""

import sys
from collections.abc import Hashable
from typing import Annotated, Any

import numpy as np
import typer

from rankcut.cli.cutting import Cutting, Graph, Items, Seed, UnlistedItems, UnrankedItems
from rankcut.cli.reading import Rankings, Reading, reads_rankings
from rankcut.files.ranking_set import RankingSet
from rankcut.graphs.item_graph import ItemGraph


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
    seed: Seed = 0,
    approximate: Annotated[
        bool,
        typer.Option(
            "--approximate", help="Without --to: by an index, which misses some and says how many."
        ),
    ] = False,
) -> None:
    """List the rankings most like one of them, or each, by the graph cut kernel, as CSV.

    Similarity is from -1, reversed, to 1, the same.

    Example: rankcut similar votes.soi --to 0 -n 5 --unranked last
    """
    from rankcut.cli.writing import write_table
    from rankcut.kernels.graph_cut import graph_cut_kernel
    from rankcut.orders import to_orders

    cutting = Cutting(items, graph, unranked, unlisted_weight, seed)
    item_graph = cutting.item_graph()
    rankings = reading.read(file)
    options = cutting.options(rankings)
    if to is None:
        write_table(_of_each(rankings, item_graph, number, approximate, options), output)
        return
    if approximate:
        raise ValueError(
            "--approximate is for the search without --to; for one ranking, to compare it with "
            "all others takes less time than an index"
        )
    row = _row(rankings, to, file)
    likeness = graph_cut_kernel(
        rankings.ranks, rankings.ranks[[row]], item_graph, normalize=True, **options
    )[:, 0]
    others = [i for i in np.argsort(-likeness, kind="stable").tolist() if i != row][:number]
    shown = [row, *others]
    nearest = rankings.rows(shown)
    orders = to_orders(nearest.ranks, [str(item) for item in nearest.items])
    columns: dict[str, Any] = {"row": shown}
    if nearest.ids is not None:
        columns["ranking"] = list(nearest.ids)
    columns["similarity"] = [f"{likeness[i]:.4f}" for i in shown]
    if (rankings.counts != 1).any():
        columns["count"] = nearest.counts.tolist()
    columns["order"] = [" > ".join(map(_group, order)) for order in orders]
    write_table(columns, output)


def _of_each(
    rankings: RankingSet,
    graph: ItemGraph | None,
    number: int,
    approximate: bool,
    options: dict[str, Any],
) -> dict[str, Any]:
    """The columns of a table: each ranking, one that is like it, and how much so."""
    from rankcut.estimators.graph_cut import GraphCutFeatures
    from rankcut.estimators.similar_rankings import SimilarRankings

    number = min(number, len(rankings) - 1)
    if number == 0:
        raise ValueError("there is one ranking, and no other that is like it")
    search = SimilarRankings(
        GraphCutFeatures(graph, **options),
        n_neighbors=number,
        method="approximate" if approximate else "exact",
        random_state=options["random_state"],
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


def _row(rankings: RankingSet, chosen: str, file: str) -> int:
    names: tuple[Hashable, ...] = rankings.ids or ()
    for row, name in enumerate(names):
        if str(name) == chosen:
            return row
    if chosen.isdecimal() and int(chosen) < len(rankings):
        return int(chosen)
    named = f", nor one called {chosen!r}, such as {names[0]!r}" if names else ""
    raise ValueError(
        f"{file}: there is no row {chosen}: rows count from 0 to {len(rankings) - 1}{named}"
    )


def _group(tied: Any) -> str:
    return " = ".join(tied) if isinstance(tied, tuple) else str(tied)
