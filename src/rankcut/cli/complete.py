"""``rankcut complete``: predict the places of items that people did not list."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from rankcut.cli.options import Json, Seed, with_options
from rankcut.cli.output import (
    TABLES,
    OutputFiles,
    Outputs,
    needs_skops,
    note,
    print_json,
    records,
    table_writers,
)
from rankcut.cli.reading import Rankings, Reading
from rankcut.errors import amount

if TYPE_CHECKING:
    from rankcut.completion.estimator import RankingCompleter
    from rankcut.rankings.ranking_set import RankingSet

Top: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--top",
        min=1,
        metavar="N",
        help="Write the N best unlisted items of each ranking instead of completed rankings.",
        show_default=False,
    ),
]

# Utilities that are in memory at once.
_BLOCK = 1 << 22


@with_options(reading=Reading)
def complete(
    file: Rankings,
    reading: Reading,
    items: Annotated[
        str | None,
        typer.Option(
            "--items",
            metavar="ITEMS.csv",
            help="Table of items, or a data set: similar items are expected to be liked alike.",
            show_default=False,
        ),
    ] = None,
    graph: Annotated[
        str | None,
        typer.Option(
            "--graph",
            metavar="GRAPH.npz",
            help="Item graph from 'rankcut graph', instead of --items.",
            show_default=False,
        ),
    ] = None,
    unranked: Annotated[
        Literal["anywhere", "last"],
        typer.Option(
            "--unranked", help="Items that a ranking leaves out: anywhere, or last (a top-k list)."
        ),
    ] = "anywhere",
    top: Top = None,
    soften: Annotated[
        bool, typer.Option("--soften", help="Let listed items change their order.")
    ] = False,
    seed: Seed = 0,
    output: OutputFiles = None,
    as_json: Json = False,
) -> None:
    """Predict the places of the items that people did not list.

    Completed rankings, or with --top the best unlisted items, to CSV, Parquet or JSON; CSV on
    standard output by default. -o MODEL.skops saves the model for 'rankcut predict'.

    Example: rankcut complete votes.csv --items items.csv -o completed.csv
    """
    suffixes = {**TABLES, ".skops": needs_skops}
    outputs = Outputs(output or ([] if as_json else ["-"]), suffixes, ".csv", as_json=as_json)

    from rankcut.cli.progress import working
    from rankcut.cli.vector_options import VectorOptions
    from rankcut.completion.estimator import RankingCompleter
    from rankcut.rankings import read_rankings
    from rankcut.saved_models import SavedModel, write_model

    item_graph = VectorOptions(items=items, graph=graph).item_graph(near=True)
    rankings = reading.read(file)
    completer = RankingCompleter(item_graph, unranked=unranked, random_state=seed)
    with working("learning") as say:
        passes = 0

        def progress() -> None:
            nonlocal passes
            passes += 1
            say(f"{passes} passes over the rankings")

        matrix = read_rankings(rankings.ranks, rankings.labels())
        completer.fit_matrix(matrix, rankings.counts, progress)
    if item_graph is not None:
        note(f"the item graph supplies {completer.graph_share_:.0%} of what is assumed beforehand")
    write_completed(completer, rankings, outputs, top=top, soften=soften, as_json=as_json)

    def save(place: str) -> None:
        write_model(SavedModel(completer, rankings.items), place)

    outputs.write({".skops": save})


def write_completed(
    completer: "RankingCompleter",
    rankings: "RankingSet",
    outputs: Outputs,
    *,
    top: int | None,
    as_json: bool,
    soften: bool = False,
) -> None:
    """Complete rankings a block at a time, and write them or the best unlisted items."""
    if not (as_json or outputs.named(*TABLES)):
        return
    if top is not None:
        columns = _best_columns(completer, rankings, top)
        writers = table_writers(columns)
    else:
        completed = _completed(completer, rankings, keep=not soften)
        columns = _rank_columns(completed)
        writers = {**table_writers(columns), **_ranking_writers(completed)}
    outputs.write(writers)
    if as_json:
        print_json(records(columns))


def _completed(
    completer: "RankingCompleter", rankings: "RankingSet", *, keep: bool
) -> "RankingSet":
    import numpy as np

    found = np.empty(rankings.shape, dtype=np.int32)
    for start, block in _blocks(rankings):
        found[start : start + len(block)] = completer.complete(block.ranks, keep_listed=keep)
    return replace(rankings, ranks=found)


def _best_columns(
    completer: "RankingCompleter", rankings: "RankingSet", n: int
) -> dict[str, list[Any]]:
    """A line for each recommended item: whose, in which place."""
    ids = rankings.row_names
    counts = rankings.counts.tolist()
    counted: dict[str, list[Any]] = {"count": []} if rankings.counted else {}
    columns: dict[str, list[Any]] = {"ranking": [], **counted, "place": [], "item": []}
    for start, block in _blocks(rankings):
        for row, best in enumerate(completer.recommend(block.ranks, n).tolist()):
            known = [item for item in best if item is not None and item != -1]
            columns["ranking"] += [ids[start + row]] * len(known)
            if rankings.counted:
                columns["count"] += [counts[start + row]] * len(known)
            columns["place"] += range(1, len(known) + 1)
            columns["item"] += known
    return columns


def _blocks(rankings: "RankingSet") -> Any:
    from rankcut.cli.progress import steps

    n_rows, n_items = rankings.shape
    size = max(1, _BLOCK // n_items)
    with steps(f"completing {amount(n_rows, 'ranking')}") as step:
        for start in range(0, n_rows, size):
            yield start, rankings.rows(slice(start, start + size))
            step(min(start + size, n_rows), n_rows)


def _rank_columns(completed: "RankingSet") -> dict[str, list[Any]]:
    from rankcut.files.table_columns import known_columns

    known = known_columns(completed)
    ranks = {
        str(item): completed.ranks[:, column].tolist()
        for column, item in enumerate(completed.items)
    }
    return {**known, **ranks}


def _ranking_writers(completed: "RankingSet") -> dict[str, Any]:
    """Tables that say which of their columns are items, as 'rankcut convert' writes them."""

    def write(place: str) -> None:
        from rankcut.files.formats import write_file

        write_file(completed, place)

    return {".csv": write, ".parquet": write}
