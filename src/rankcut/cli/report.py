"""``rankcut report``: one page about a file of rankings."""

from rankcut.cli.command import with_options
from rankcut.cli.options import By, GraphOptions, LeftOut
from rankcut.cli.output import OutputFiles, Outputs, named_files, working
from rankcut.cli.reading import RankingFile, Reading, known_values


@with_options(graph=GraphOptions, reading=Reading)
def report(
    file: RankingFile,
    graph: GraphOptions,
    reading: Reading,
    by: By = None,
    unranked: LeftOut = "error",
    output: OutputFiles = None,
) -> None:
    """Write one page about the rankings.

    The page is one file that needs no network: what looks wrong, how many items people rank, the
    consensus with intervals, the places of each item, pairs, a map with blocs, differences between
    groups (--by), and an item graph. For a catalogue, it shows the 40 items that are listed most.

    Example: rankcut report votes.csv --by town -o report.html
    """
    outputs = Outputs(named_files(output, "report.html"), {".html": None}, ".html")
    item_graph = graph.item_graph()
    rankings = reading.read_filled(file, no_items=[by])
    groups = None if by is None else known_values(rankings, by, file)
    with working("report") as say:
        from rankcut.report.ranking_report import report as make

        page = make(
            rankings, groups, unranked=unranked, graph=item_graph, by_name=by or "", progress=say
        )
    outputs.write(html=page.save)
