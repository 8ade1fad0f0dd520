"""``rankcut map``: the rankings in two dimensions."""

from typing import Annotated, Literal, TypeAlias, get_args

import typer

from rankcut.cli.cutting import Cutting
from rankcut.cli.known_values import known_values
from rankcut.cli.lines import order_lines
from rankcut.cli.reading import Rankings, Reading
from rankcut.cli.sharing import with_options
from rankcut.cli.writing import check_target, destination, picture_suffix

MapFormat: TypeAlias = Literal["png", "svg", "pdf", "html"]


@with_options(cutting=Cutting, reading=Reading)
def map(  # noqa: A001 - the command is called so
    file: Rankings,
    reading: Reading,
    cutting: Cutting,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="MAP",
            help="A .png, .svg, .pdf or .html file; - is standard output.",
        ),
    ],
    to: Annotated[
        MapFormat | None, typer.Option("--to", "-t", help="Format to write, if not by suffix.")
    ] = None,
    color: Annotated[
        str | None,
        typer.Option("--color", "-c", metavar="COLUMN", help="Column to colour by."),
    ] = None,
) -> None:
    """Draw the rankings in two dimensions: the main directions of their vectors.

    A picture, or a page to move about in, where the mouse shows each ranking. Points that stand
    for many rankings are larger.

    Example: rankcut map votes.csv -o map.html --color town
    """
    import numpy as np
    from sklearn.decomposition import PCA

    from rankcut.cli.progress import working
    from rankcut.pictures.ranking_map import draw_map

    check_target(output)
    suffix = picture_suffix(output, to, "a map", get_args(MapFormat))
    item_graph = cutting.item_graph()
    rankings = reading.read(file, no_items=[] if color is None else [color])
    if min(rankings.ranks.shape) < 2:
        raise ValueError(f"{file}: a map needs two rankings of two items or more")
    values = None if color is None else known_values(rankings, color, file)
    if color is not None and rankings.columns[color].dtype.kind == "f":
        values = rankings.columns[color]
    with working("map"), destination(output, suffix) as place:
        features = cutting.transformer(rankings, item_graph, normalize=True)
        vectors = features.fit_transform(rankings.ranks)
        pca = PCA(2, random_state=cutting.seed)
        points = pca.fit_transform(vectors)
        spread = np.nan_to_num(pca.explained_variance_ratio_)
        labels = order_lines(rankings)
        if rankings.ids is not None:
            labels = [f"{own}: {label}" for own, label in zip(rankings.ids, labels, strict=True)]
        draw_map(
            points,
            rankings.counts,
            place,
            axes_names=[
                f"direction {i + 1} ({share:.0%} of the variance)"
                for i, share in enumerate(spread.tolist())
            ],
            color=values,
            color_name=color or "",
            labels=labels,
            title=rankings.title,
        )
