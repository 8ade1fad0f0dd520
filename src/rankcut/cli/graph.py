"""``rankcut graph``: build an item graph from a table of items, and look at it."""

import sys
from typing import Annotated, Any, Literal

import numpy as np
import typer

from rankcut.cli.lines import print_facts
from rankcut.cli.reading import parsed_delimiter, parsed_header
from rankcut.cli.sources import dataset_items, is_dataset
from rankcut.cli.writing import check_target, destination, picture_suffix, report_to
from rankcut.graphs.item_graph import ItemGraph

# Of more items, the weights of all pairs are not looked at one by one.
_MOST_ITEMS = 3000


def graph(
    table: Annotated[
        str,
        typer.Argument(
            metavar="ITEMS.csv",
            help="A row for each item; - is standard input (CSV). Or a data set's name.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="GRAPH.npz", help="Where to; - is standard output."),
    ] = None,
    picture: Annotated[
        str | None,
        typer.Option(
            "--picture", "-p", metavar="PNG", help="Draw it: .png, .svg, .pdf or - (PNG)."
        ),
    ] = None,
    item: Annotated[
        str | None, typer.Option("--item", help="Column with the items' names; the first one.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option("--columns", help="Columns to compare items by; all the others: a,b or 3-9."),
    ] = None,
    categorical: Annotated[
        str | None, typer.Option("--categorical", help="Columns whose numbers are codes.")
    ] = None,
    neighbors: Annotated[
        int | None,
        typer.Option("--neighbors", min=1, help="Join each item to so many nearest ones alone."),
    ] = None,
    approximate: Annotated[
        bool | None,
        typer.Option(
            "--approximate/--exact",
            help="Find most neighbours sooner, or all; by their number unless said.",
            show_default=False,
        ),
    ] = None,
    kernel: Annotated[
        Literal["squared_exponential", "exponential"],
        typer.Option(help="How similarity falls with distance."),
    ] = "squared_exponential",
    lengthscale: Annotated[
        float | None, typer.Option(help="Its length; the median distance unless given.")
    ] = None,
    keep: Annotated[
        float, typer.Option(help="Fraction of the edges to keep, the strongest.")
    ] = 1.0,
    rank: Annotated[
        int | None,
        typer.Option(min=1, help="Approximate all similarities by vectors of so many numbers."),
    ] = None,
    dissimilar: Annotated[
        bool, typer.Option("--dissimilar", help="Join unlike items: 1 less the similarity.")
    ] = False,
    normalized: Annotated[
        bool, typer.Option("--normalized", help="Divide weights by the degrees of both ends.")
    ] = False,
    header: Annotated[str, typer.Option(help="Line with the columns' names; 0 for none.")] = "1",
    delimiter: Annotated[
        str | None, typer.Option(help="What divides cells, if not a comma; tab for a tab.")
    ] = None,
) -> None:
    """Build an item graph from a table of items, and say what it is like.

    Like items are joined strongly. Numbers are scaled, text is one-hot encoded.

    Example: rankcut graph items.csv -o graph.npz --picture graph.png
    """
    from rankcut.files.graph_files import write_graph
    from rankcut.files.item_tables import read_items
    from rankcut.graphs.derived import DissimilarityGraph, NormalizedGraph
    from rankcut.graphs.distances import Search
    from rankcut.graphs.low_rank import LowRankGraph
    from rankcut.graphs.recipes import NeighborGraph, SimilarityGraph

    if (neighbors is not None) + (keep != 1.0) + (rank is not None) > 1:
        raise ValueError("give one of --neighbors, --keep and --rank")
    if approximate is not None and neighbors is None:
        raise ValueError("--approximate and --exact are ways to find --neighbors")
    if rank is not None and kernel != "squared_exponential":
        raise ValueError("--rank is for the squared exponential kernel")
    if output == picture == "-":
        raise ValueError("give one of -o and --picture as -: standard output has room for one")
    check_target(output)
    check_target(picture)
    suffix = ""
    if picture is not None:
        chosen = "png" if picture == "-" else None
        suffix = picture_suffix(picture, chosen, "a picture", ("png", "svg", "pdf"))
    if is_dataset(table):
        items = dataset_items(table)
    else:
        items = read_items(
            sys.stdin.buffer if table == "-" else table,
            item=item,
            columns=columns,
            categorical=categorical or (),
            delimiter=parsed_delimiter(delimiter),
            header=parsed_header(header),
        )
    options: dict[str, Any] = {
        "kernel": kernel,
        "lengthscale": "median" if lengthscale is None else lengthscale,
    }
    recipe: Any
    if neighbors is not None:
        searches: dict[bool | None, Search] = {None: "auto", True: "approximate", False: "exact"}
        recipe = NeighborGraph(
            items.points(), n_neighbors=neighbors, method=searches[approximate], **options
        )
    elif rank is not None:
        recipe = LowRankGraph(items.points(), rank=rank, lengthscale=options["lengthscale"])
    else:
        recipe = SimilarityGraph(items.points(), keep=keep, **options)
    if dissimilar:
        recipe = DissimilarityGraph(recipe)
    if normalized:
        recipe = NormalizedGraph(recipe)
    built = recipe.build()
    named = built.aligned(built.n_items, items.items)
    print_facts(_facts(named, list(items.features), dissimilar), report_to(output, picture))
    if output is not None:
        with destination(output, ".npz") as place:
            write_graph(named, place)
    if picture is not None:
        from rankcut.pictures.graph_picture import draw_graph

        with destination(picture, suffix) as place:
            draw_graph(named, place)


def _facts(graph: ItemGraph, features: list[str], dissimilar: bool) -> list[tuple[str, str]]:
    facts = [("items", f"{graph.n_items:,}"), ("features", ", ".join(features))]
    if graph.approximation is not None:
        facts.append(("approximation", str(graph.approximation)))
    large = graph.weights.kind == "structured" and graph.n_items > _MOST_ITEMS
    if not (large and graph.weights.rank > 0):
        pairs = graph.n_items * (graph.n_items - 1) // 2
        share = f" ({graph.n_edges / pairs:.0%} of all pairs)" if pairs else ""
        facts.append(("edges", f"{graph.n_edges:,}{share}"))
    degrees = graph.degrees
    spread = ("degrees", f"{degrees.min():.3g} to {degrees.max():.3g}")
    if large:
        return [*facts, spread]
    return [*facts, *_about_edges(graph, spread, dissimilar)]


def _about_edges(
    graph: ItemGraph, spread: tuple[str, str], dissimilar: bool
) -> list[tuple[str, str]]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array(graph.weights.to_csr())
    first, second = edges.coords
    half = np.flatnonzero(first < second)
    half = half[np.argsort(-edges.data[half], kind="stable")]
    n_parts, part = connected_components(edges, directed=False)

    def named(edge: int) -> str:
        one, other = graph.items[first[edge]], graph.items[second[edge]]  # type: ignore[index]
        return f"{one} - {other} ({edges.data[edge]:.3g})"

    facts = [("parts", f"{n_parts:,}, the largest of {np.bincount(part).max():,} items"), spread]
    titles = ["most alike", "least alike"]
    chosen = [half[-5:][::-1], half[:5]] if dissimilar else [half[:5], half[-5:][::-1]]
    for title, some in zip(titles, chosen, strict=True):
        facts += [(title if i == 0 else "", named(edge)) for i, edge in enumerate(some.tolist())]
    return facts
