"""``rankcut report``: one page about a file of rankings."""

from typing import Annotated

import typer

from rankcut.cli.options import By, LeftOut, Seed, with_options
from rankcut.cli.output import OutputFiles, Outputs
from rankcut.cli.reading import Rankings, Reading, known_values
from rankcut.errors import InputError


@with_options(reading=Reading)
def report(
    file: Rankings,
    reading: Reading,
    by: By = None,
    unranked: LeftOut = "error",
    items: Annotated[
        str | None,
        typer.Option(
            "--items",
            metavar="ITEMS.csv",
            help="Table of items, or a data set: draw the graph of similar items.",
            show_default=False,
        ),
    ] = None,
    graph: Annotated[
        str | None,
        typer.Option(
            "--graph",
            metavar="GRAPH.npz",
            help="Item graph from 'rankcut graph' (default: learned from the rankings).",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 0,
    output: OutputFiles = None,
) -> None:
    """Write one page about the rankings.

    The page is one file that needs no network: what looks wrong, how many items people rank, the
    consensus with intervals, the places of each item, pairs, a map with blocs, differences between
    groups (--by), and an item graph. For a catalogue, it shows the 40 items that are listed most.

    Example: rankcut report votes.csv --by town -o report.html
    """
    from rankcut.cli.progress import working
    from rankcut.cli.vector_options import VectorOptions

    if not output:
        raise InputError("name the page to write, as in -o report.html")
    outputs = Outputs(output, {".html": None}, ".html")
    item_graph = VectorOptions(items=items, graph=graph).item_graph()
    rankings = reading.read(file, no_items=[] if by is None else [by])
    groups = None if by is None else known_values(rankings, by, file)
    with working("report") as say:
        from rankcut.report.ranking_report import report as make

        page = make(
            rankings,
            groups,
            unranked=unranked,
            graph=item_graph,
            random_state=seed,
            by_name=by or "",
            progress=say,
        )
    outputs.write({".html": page.save})
