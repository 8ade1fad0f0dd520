"""``rankcut map``: the rankings in two dimensions."""

from typing import TYPE_CHECKING, Any

from rankcut.cli.command import with_options
from rankcut.cli.options import By, GraphOptions, LeftOut
from rankcut.cli.output import PICTURES, TABLES, Outputs, Results, named_files, working
from rankcut.cli.reading import RankingFile, Reading, known_values
from rankcut.errors import RankingFileError

if TYPE_CHECKING:
    from rankcut.rankings.ranking_set import RankingSet


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
    the place of each ranking as a table (.csv, .json, .parquet). In pictures and pages, equal
    rankings are one point, whose area grows with their number. With --by, groups have colours.

    Example: rankcut map votes.csv -o map.html --by town
    """
    if not results.as_json:
        named_files(results.output, "map.html")
    outputs = results.open({**PICTURES, ".html": None, **TABLES}, ".html")
    graph.check()
    rankings = reading.read_filled(file, no_items=[by])
    if min(rankings.ranks.shape) < 2:
        raise RankingFileError("a map needs at least two rankings of two items", file)
    values = None if by is None else known_values(rankings, by, file)
    if by is not None and rankings.columns[by].dtype.kind == "f":
        values = rankings.columns[by]
    with working("map"):
        _write(outputs, rankings, graph.graph_or_recipe(near=True), unranked, values, by or "")


def _write(
    outputs: Outputs, rankings: "RankingSet", graph: Any, unranked: Any, values: Any, by: str
) -> None:
    from rankcut.cuts.transformers import GraphCutFeatures
    from rankcut.pictures.figures import draw_figure
    from rankcut.pictures.maps import map_picture, read_map, show_map
    from rankcut.rankings import read_rankings

    items = rankings.labels()
    features = GraphCutFeatures(graph, items=items, unranked=unranked, normalize=True)
    read_rankings(rankings, unranked=unranked)
    found = read_map(rankings, values, features=features, by_name=by)
    columns: dict[str, Any] = {}
    if rankings.ids is not None:
        columns["ranking"] = [str(own) for own in rankings.ids]
    columns |= {"x": _rounded(found.points[:, 0]), "y": _rounded(found.points[:, 1])}
    columns["count"] = rankings.counts.tolist()
    if values is not None:
        columns[by] = values.tolist()
    picture = map_picture(found, rankings.title)
    outputs.write_table(columns, draw=lambda: draw_figure(picture), page=lambda: show_map(picture))


def _rounded(values: Any) -> list[float]:
    # Sums of counted rankings and of the same rankings one by one differ in their last bits.
    return [round(value, 9) + 0.0 for value in values.tolist()]
