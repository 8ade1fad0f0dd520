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
    the points (.csv, .json, .parquet). Equal rankings are one point, whose area grows with their
    number. With --by, groups have colours.

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
        _write(outputs, rankings, graph.likeness(rankings, unranked), values, by or "")


def _write(outputs: Outputs, rankings: "RankingSet", features: Any, values: Any, by: str) -> None:
    from rankcut.cuts.offset_rows import filled
    from rankcut.pictures.figures import draw_figure
    from rankcut.pictures.map_pictures import describe_orders, map_picture, show_map
    from rankcut.pictures.ranking_map import distinct_points, main_directions, map_rankings
    from rankcut.rankings.orders import order_texts

    labels = order_texts(rankings.ranks, rankings.items)
    names = None if rankings.ids is None else [str(own) for own in rankings.ids]
    if names is not None:
        labels = [f"{own}: {label}" for own, label in zip(names, labels, strict=True)]
    rows, counts = distinct_points(labels, values, rankings.counts)
    features.fit(rankings.ranks[rows], sample_weight=counts)
    found = main_directions(filled(features.compact(rankings.ranks[rows])), counts)
    # Other coordinates than those of items have no arrow.
    found = found._replace(loadings=found.loadings[: len(rankings.items)])
    colour = None if values is None else values[rows]
    columns: dict[str, Any] = {"row": rows.tolist()}
    if names is not None:
        columns["ranking"] = [names[row] for row in rows]
    columns |= {"x": _rounded(found.points[:, 0]), "y": _rounded(found.points[:, 1])}
    columns["count"] = counts.tolist()
    if colour is not None:
        columns[by] = colour.tolist()

    shown = map_rankings(found, counts, rankings.items, colour, by)
    chosen = rows[shown.rows]
    words = describe_orders(rankings.ranks[chosen], shown.items)
    if names is not None:
        words = [f"{names[row]}: {said}" for row, said in zip(chosen, words, strict=True)]
    picture = map_picture(shown.described(words), rankings.title)
    outputs.write_table(columns, draw=lambda: draw_figure(picture), page=lambda: show_map(picture))


def _rounded(values: Any) -> list[float]:
    # Sums of counted rankings and of the same rankings one by one differ in their last bits.
    return [round(value, 9) + 0.0 for value in values.tolist()]
