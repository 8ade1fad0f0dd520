"""``rankcut report``: one page about a file of rankings."""

from pathlib import Path

from rankcut.cli.command import with_options
from rankcut.cli.options import By, GraphOptions, LeftOut, People, Strata
from rankcut.cli.output import OutputFiles, Outputs, named_files, working
from rankcut.cli.reading import RankingFile, Reading, known_values, with_column
from rankcut.errors import InputError


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
    outputs = Outputs(named_files(output, "report.html"), {".html": None}, ".html")
    item_graph = graph.item_graph()
    rankings = reading.read_filled(file, no_items=[by, people, strata])
    groups, persons, layers = (
        None if column is None else known_values(rankings, column, file)
        for column in (by, people, strata)
    )
    with working("report") as say:
        from rankcut.report.ranking_report import report as make

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
                progress=say,
            )
        except InputError as mistake:
            raise with_column(mistake, by) from None
    outputs.write(html=page.save)
