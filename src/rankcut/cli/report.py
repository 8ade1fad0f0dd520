"""Pages: ``rankcut report``, ``demo`` and ``map``; ``rankcut open``, one to drop files on."""

from glob import glob
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from rankcut.cli.command import option, with_options
from rankcut.cli.options import By, GraphOptions, LeftOut, People, Strata
from rankcut.cli.output import (
    SUFFIXES,
    OutputFiles,
    Outputs,
    Results,
    named_files,
    say,
    styled,
    working,
)
from rankcut.cli.reading import RankingFile, Reading, column_of, known_values, with_column
from rankcut.errors import InputError, RankingFileError

_NEXT = (
    ("rankcut report YOURS.csv -o report.html", "one page: what stands out, and how sure that is"),
    ("rankcut consensus YOURS.csv -o consensus.html", "one ranking, and how sure each place is"),
    ("rankcut map YOURS.csv --by COLUMN -o map.html", "who ranks alike"),
)


@with_options(graph=GraphOptions, reading=Reading)
def report(
    file: RankingFile,
    graph: GraphOptions,
    reading: Reading,
    by: By = None,
    people: People = None,
    strata: Strata = None,
    unranked: LeftOut = "error",
    output: OutputFiles = None,
) -> None:
    """Write one page about the rankings.

    The page is one file that needs no network. It begins with what stands out and how sure that
    is; then groups (--by), the consensus with intervals, a map with camps, pairs, the places of
    each item, an item graph, and what looks wrong in the file. For a catalogue, it shows the 40
    items that are listed most.

    Example: rankcut report votes.csv --by town -o report.html
    """
    outputs = Outputs(named_files(output, "report.html"), (".html",), ".html")
    item_graph = graph.item_graph()
    rankings = reading.read_filled(file, no_items=[by, people, strata], unranked=unranked)
    groups, persons, layers = (
        None if column is None else known_values(rankings, column, file)
        for column in (by, people, strata)
    )
    with working("report") as progress:
        from rankcut.report import report as make

        try:
            page = make(
                rankings,
                groups,
                people=persons,
                strata=layers,
                unranked=unranked,
                graph=item_graph,
                by_name=by or "",
                source="" if file == "-" else Path(file).name,
                progress=progress,
            )
        except InputError as mistake:
            raise with_column(mistake, by) from None
    outputs.write(html=page.save)


def demo(
    output: Annotated[
        str, option("Page to write (.html).", "--output", "-o", metavar="PAGE")
    ] = "demo.html",
) -> None:
    """Show what rankcut finds in a small data set.

    Writes the page that 'rankcut report' makes of it, and prints its first sentences.

    Example: rankcut demo -o demo.html
    """
    outputs = Outputs([output], (".html",), ".html")
    with working("looking at 48 lunch rankings"):
        from rankcut.datasets import load_lunch
        from rankcut.report import report as make

        page = make(load_lunch(), by="guest", source="a made-up data set that comes with rankcut")
    outputs.write(html=page.save)
    stream = outputs.text
    lines = ["48 guests rank eight dishes (a made-up data set that comes with rankcut).", ""]
    lines += [f"- {finding}" for finding in page.findings]
    if not outputs.to_stdout:
        lines += ["", f"Look at {Path(output).resolve().as_uri()}", ""]
        lines.append("Next, with your own rankings:")
        lines += [f"  {styled(f'{what:<47}', stream, fg='cyan')}  {why}" for what, why in _NEXT]
    for line in lines:
        say(line, stream)


@with_options(graph=GraphOptions, results=Results, reading=Reading)
def map(  # noqa: A001 - the command is called so
    file: RankingFile,
    graph: GraphOptions,
    results: Results,
    reading: Reading,
    by: By = None,
    unranked: LeftOut = "error",
) -> None:
    """Draw a map of the rankings in two dimensions.

    Its axes are the main directions of their vectors; arrows point to where an item is ranked
    high. A picture (.png, .svg, .pdf), a page (.html) that shows the rankings under the mouse, or
    tables of its marks and items (.csv, .json, .parquet, .xlsx). Equal rankings are one point,
    whose area grows with their number. With --by, groups have colours.

    Example: rankcut map votes.csv -o map.html --by town
    """
    outputs = results.open(SUFFIXES, ".html")
    graph.check()
    rankings = reading.read_filled(file, no_items=[by], unranked=unranked)
    if min(rankings.ranks.shape) < 2:
        raise RankingFileError("a map needs at least two rankings of two items", file)
    values: Any = None if by is None else known_values(rankings, by, file)
    if by is not None and (column := column_of(rankings, by, file)).dtype.kind == "f":
        values = column
    with working("map"):
        from rankcut.maps import map_rankings

        settings: Any = {"unranked": unranked}
        if (recipe := graph.graph_or_recipe(near=True)) is not None:
            from rankcut.cuts.transformers import GraphCutFeatures

            items = rankings.labels()
            features = GraphCutFeatures(recipe, items=items, unranked=unranked, normalize=True)
            settings = {"features": features}
        plane = map_rankings(rankings, values, by_name=by or "", **settings)
    outputs.answer(plane, rankings.title)


def open(  # noqa: A001 - the command is called so
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE]...", help="Rankings, or lunch:full.")
    ] = None,
    browser: Annotated[bool, option("Open it in the browser.", "--browser/--no-browser")] = True,
) -> None:
    """Open a page on which to drop files.

    In the browser, the page shows how a file was read and the answers of the other commands, with
    pictures to save, and with the command and the Python code of each answer. Only you can use it,
    and it sends nothing anywhere.

    Example: rankcut open votes.csv
    """
    from rankcut.app.reading import EXAMPLES

    for file in files or []:
        if not (file in EXAMPLES or Path(file).exists() or glob(file)):
            raise RankingFileError("there is no such file", file)
    if not (find_spec("starlette") and find_spec("uvicorn")):
        raise ModuleNotFoundError("it needs Starlette and uvicorn: pip install starlette uvicorn")
    from rankcut.app.server import serve

    serve(files or [], browser=browser)
