"""``rankcut complete``: predict the places of items that people did not list."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from rankcut.cli.command import option, with_options
from rankcut.cli.options import GraphOptions, Seed
from rankcut.cli.output import (
    TABLES,
    Outputs,
    Results,
    note,
    steps,
    warnings_as_notes,
    working,
)
from rankcut.cli.reading import RankingFile, Reading
from rankcut.errors import amount
from rankcut.parameters import AT_ONCE

if TYPE_CHECKING:
    from rankcut.completion.estimator import RankingCompleter
    from rankcut.rankings.ranking_set import RankingSet

Top: TypeAlias = Annotated[
    int | None,
    option(
        "Write the N best unlisted items of each ranking instead of completed rankings.",
        "--top",
        min=1,
        metavar="N",
    ),
]


@dataclass(frozen=True)
class CompletionOptions:
    """How to complete rankings."""

    unranked: Annotated[
        Literal["anywhere", "last"],
        option("Items that a ranking leaves out: anywhere, or last (a top-k list)."),
    ] = "anywhere"
    listing: Annotated[
        Literal["random", "taste"] | None,
        option(
            "Why people list an item: chance, or they were asked (random); they like it (taste)."
        ),
    ] = None
    top: Top = None
    seed: Seed = 0


@with_options(graph=GraphOptions, options=CompletionOptions, results=Results, reading=Reading)
def complete(
    file: RankingFile,
    graph: GraphOptions,
    options: CompletionOptions,
    results: Results,
    reading: Reading,
) -> None:
    """Predict the places of the items that people did not list.

    Completed rankings, or with --top the best unlisted items, to CSV, Parquet or JSON; CSV on
    standard output by default. -o MODEL.skops saves the model for 'rankcut predict'. With an
    item graph, similar items are expected to be liked by the same people.

    Example: rankcut complete votes.csv --items items.csv -o completed.csv
    """
    outputs = results.open((*TABLES, ".skops"), ".csv", default=["-"])

    from rankcut.completion.estimator import RankingCompleter

    item_graph = graph.item_graph(near=True)
    rankings = reading.read(file)
    completer = RankingCompleter(
        item_graph, unranked=options.unranked, listing=options.listing, random_state=options.seed
    )
    with warnings_as_notes(), working("learning") as say:
        completer.fit(rankings, progress=say)
    if item_graph is not None:
        note(
            f"the item graph supplies {100 * completer.graph_share_:.0f} % of what is assumed "
            "beforehand"
        )
    write_completed(completer, rankings, outputs, top=options.top)
    outputs.save(completer, rankings.items)


def write_completed(
    completer: "RankingCompleter", rankings: "RankingSet", outputs: Outputs, *, top: int | None
) -> None:
    """Complete rankings a block at a time, and write them or the best unlisted items."""
    if not (outputs.as_json or outputs.named(*TABLES)):
        return
    if top is not None:
        outputs.write_table(_best_columns(completer, rankings, top))
        return
    import numpy as np

    from rankcut.files.writing import marked_columns, table_columns

    found = np.empty(rankings.shape, dtype=np.int32)
    for start, block in _blocks(rankings):
        found[start : start + len(block)] = completer.complete(block.ranks)
    completed = rankings.having(ranks=found)
    # As 'rankcut convert' writes them: a table says which of its columns are items.
    plain, marked = (
        columns(completed, "wide", "the table") for columns in (table_columns, marked_columns)
    )
    outputs.write_table(plain, marked)


def _best_columns(
    completer: "RankingCompleter", rankings: "RankingSet", n: int
) -> dict[str, list[Any]]:
    """A line for each recommended item: whose, in which place, and how much."""
    rows: list[tuple[Any, ...]] = []
    for start, block in _blocks(rankings):
        best, scores = completer.recommend(block.ranks, n, return_scores=True)
        for row, known in enumerate(best.tolist()):
            own = rankings.row_names[start + row], int(rankings.counts[start + row])
            rows += [
                (*own, place, item, round(score, 4))
                for place, (item, score) in enumerate(
                    zip(known, scores[row].tolist(), strict=True), 1
                )
                if score == score
            ]
    names = ("ranking", "count", "place", "item", "score")
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    if not rankings.counted:
        del columns["count"]
    return columns


def _blocks(rankings: "RankingSet") -> "Iterator[tuple[int, RankingSet]]":
    n_rows, n_items = rankings.shape
    size = max(1, AT_ONCE // n_items)
    with steps(f"completing {amount(n_rows, 'ranking')}") as step:
        for start in range(0, n_rows, size):
            yield start, rankings.rows(slice(start, start + size))
            step(min(start + size, n_rows), n_rows)
