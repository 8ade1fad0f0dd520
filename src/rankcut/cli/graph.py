"""``rankcut graph``: build an item graph from a table of items or from rankings."""

import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from rankcut.cli.options import TO, Json, with_options
from rankcut.cli.output import (
    PICTURES,
    OutputFiles,
    Outputs,
    note,
    page_writer,
    picture_writers,
    print_facts,
    print_json,
)
from rankcut.cli.reading import (
    Reading,
    dataset_items,
    is_dataset,
    parsed_delimiter,
    parsed_header,
)
from rankcut.errors import InputError, RankingFileError, amount

if TYPE_CHECKING:
    from rankcut.graphs.item_graph import ItemGraph

Similarity: TypeAlias = Literal["squared_exponential", "exponential"]
GraphFormat: TypeAlias = Literal["npz", "png", "svg", "pdf", "html"]
Learn: TypeAlias = Literal["agreement", "co-listing"]

Categories: TypeAlias = tuple[str, Any]
"""The column that colours the items of a picture and its values, or nothing."""

# Words of a column that is shown by colours.
_MOST_CATEGORIES = 7

# Files of these formats hold rankings, and never a table of items.
_RANKINGS = (".soc", ".soi", ".toc", ".toi", ".cat", ".blt", ".order")

# Options that a table of items has as well, in its own sense.
_OF_ITEMS = ("item", "columns", "rank", "header", "delimiter")

# With more items, the weights are not examined pair by pair.
_MOST_ITEMS = 3000


@with_options(reading=Reading)
def graph(
    reading: Reading,
    table: Annotated[
        str,
        typer.Argument(
            metavar="ITEMS.csv",
            help="Table with a row for each item (- for standard input), or a data set; with "
            "--learn, a file of rankings.",
        ),
    ],
    output: OutputFiles = None,
    to: Annotated[GraphFormat | None, TO] = None,
    as_json: Json = False,
    learn: Annotated[
        Learn | None,
        typer.Option(
            "--learn",
            help="Learn the graph from rankings: connect items that people rank alike "
            "(agreement), or list together (co-listing).",
            show_default=False,
        ),
    ] = None,
    item: Annotated[
        str | None,
        typer.Option(
            "--item",
            help="Column that names the item (default: the first; with --learn, item).",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            help="Columns to compare items by (default: all): a,b or 3-9; with --learn, columns "
            "that are not items.",
        ),
    ] = None,
    categorical: Annotated[
        str | None, typer.Option("--categorical", help="Columns whose numbers are codes.")
    ] = None,
    neighbors: Annotated[
        int | None,
        typer.Option("--neighbors", min=1, help="Connect each item to its N nearest neighbours."),
    ] = None,
    approximate: Annotated[
        bool | None,
        typer.Option(
            "--approximate/--exact",
            help="Approximate or exact neighbour search (default: automatic).",
            show_default=False,
        ),
    ] = None,
    kernel: Annotated[
        Similarity,
        typer.Option(help="How similarity decreases with distance."),
    ] = "squared_exponential",
    lengthscale: Annotated[
        float | None, typer.Option(help="Lengthscale (default: the median distance).")
    ] = None,
    keep: Annotated[
        float, typer.Option(help="Fraction of the edges to keep, the strongest.")
    ] = 1.0,
    rank: Annotated[
        int | None,
        typer.Option(min=1, help="Approximate all similarities by a matrix of this rank."),
    ] = None,
    dissimilar: Annotated[
        bool,
        typer.Option("--dissimilar", help="Connect dissimilar items: one minus the similarity."),
    ] = False,
    normalized: Annotated[
        bool, typer.Option("--normalized", help="Divide weights by the degrees of both ends.")
    ] = False,
    header: Annotated[
        str, typer.Option(help="Header line: its number, 1-2 for two lines, 0 for none.")
    ] = "1",
    delimiter: Annotated[
        str | None, typer.Option(help="Cell delimiter (default: comma); tab for a tab.")
    ] = None,
) -> None:
    """Build an item graph from items or rankings.

    Similar items are connected strongly. Numbers are scaled, categories one-hot encoded, and texts
    compared by their words. -o writes the graph (.npz), a picture of it (.png, .svg, .pdf), or a
    page (.html) that shows the strongest edges of the item under the mouse.

    Example: rankcut graph items.csv -o graph.npz -o graph.png
    """
    from rankcut.files.numpy_files import write_graph

    if (neighbors is not None) + (keep != 1.0) + (rank is not None) > 1:
        raise InputError("give only one of --neighbors, --keep and --rank")
    if approximate is not None and neighbors is None:
        raise InputError("--approximate and --exact need --neighbors")
    if rank is not None and kernel != "squared_exponential":
        raise InputError("--rank is for the squared exponential kernel")
    if learn is None:
        _check_about_items(reading)
    outputs = Outputs(
        output, {".npz": None, **PICTURES, ".html": None}, ".npz", to=to, as_json=as_json
    )
    if learn is not None:
        if any(each is not None for each in (categorical, lengthscale, rank)) or keep != 1.0:
            raise InputError(
                "--learn uses only the rankings; --neighbors is the only option for edges"
            )
        recipe, names, features, (by_name, categories) = _learned(table, learn, reading, neighbors)
    else:
        recipe, names, features, (by_name, categories) = _by_features(
            table,
            {"item": item, "columns": columns, "categorical": categorical or ()},
            (header, delimiter),
            {"neighbors": neighbors, "approximate": approximate, "keep": keep, "rank": rank},
            {
                "kernel": kernel,
                "lengthscale": "median" if lengthscale is None else lengthscale,
            },
        )
    built = _derived(recipe, dissimilar=dissimilar, normalized=normalized)
    named = built.aligned(built.n_items, names)
    found = _describe(named, features, dissimilar)
    if as_json:
        print_json(found)
    else:
        print_facts(_lines(found), outputs.text)

    looks: dict[str, Any] = {"by_name": by_name, "title": _title(features)}

    def draw() -> Any:
        from rankcut.pictures.graph_figure import plot_graph

        return plot_graph(named, categories, **looks)

    def make_page() -> str:
        from rankcut.pictures.graph_page import graph_page

        return graph_page(named, categories, **looks)

    writers = picture_writers(draw) | page_writer(make_page)
    outputs.write({".npz": lambda place: write_graph(named, place), **writers})


def _check_about_items(reading: Reading) -> None:
    """Refuse options for rankings where a table of items is to be read."""
    for each in fields(Reading):
        if each.name not in _OF_ITEMS and getattr(reading, each.name) != each.default:
            option = f"--{each.name.replace('_', '-')}"
            raise InputError(f"{option} describes rankings; use it with --learn")


def _learned(
    file: str, learn: Learn, reading: Reading, neighbors: int | None
) -> tuple[Any, tuple[Any, ...], str, Categories]:
    """A graph learned from rankings, the items, what they are compared by, and no categories."""
    from rankcut.graphs.learned import AgreementGraph, CoListingGraph

    rankings = reading.read(file)
    if learn == "co-listing" and (rankings.n_ranked() == len(rankings.items)).all():
        raise RankingFileError(
            "each ranking lists all items, so which items are listed together says nothing",
            file,
            remedy="use --learn agreement",
        )
    kind = AgreementGraph if learn == "agreement" else CoListingGraph
    recipe = kind() if neighbors is None else kind(n_neighbors=neighbors)
    built = recipe.build_from(rankings.ranks, rankings.items, sample_weight=rankings.counts)
    if built.n_edges == 0:
        done = "ranked alike" if learn == "agreement" else "listed together"
        note(f"{file}: no two items are {done} often enough to be connected")
    compared = f"{learn} in {amount(rankings.n_rankings, 'ranking')}"
    return built, rankings.items, compared, ("", None)


def _by_features(
    table: str,
    roles: dict[str, Any],
    sheet: tuple[str, str | None],
    edges: dict[str, Any],
    kernel: dict[str, Any],
) -> tuple[Any, tuple[Any, ...], str, Categories]:
    """The same for a table of items; the first column with few words gives the categories."""
    from rankcut.files.feature_tables import read_items
    from rankcut.graphs.low_rank import LowRankGraph
    from rankcut.graphs.recipes import NeighborGraph, SimilarityGraph

    if table.lower().removesuffix(".gz").endswith(_RANKINGS):
        raise RankingFileError(
            "holds rankings, and is not a table of items",
            table,
            remedy="learn the graph from them with --learn agreement or --learn co-listing",
        )
    if is_dataset(table):
        items = dataset_items(table)
    else:
        header, delimiter = sheet
        items = read_items(
            sys.stdin.buffer if table == "-" else table,
            delimiter=parsed_delimiter(delimiter),
            header=parsed_header(header),
            **roles,
        )
    recipe: Any
    if edges["neighbors"] is not None:
        methods: dict[bool | None, Any] = {None: "auto", True: "approximate", False: "exact"}
        method = methods[edges["approximate"]]
        recipe = NeighborGraph(
            items.points(), n_neighbors=edges["neighbors"], method=method, **kernel
        )
    elif edges["rank"] is not None:
        recipe = LowRankGraph(items.points(), rank=edges["rank"], lengthscale=kernel["lengthscale"])
    else:
        recipe = SimilarityGraph(items.points(), keep=edges["keep"], **kernel)
    categories = next(
        (
            (name, values)
            for name, values in items.features.items()
            if values.dtype == object and len(set(values.tolist())) <= _MOST_CATEGORIES
        ),
        ("", None),
    )
    return recipe, items.items, ", ".join(items.features), categories


def _derived(recipe: Any, *, dissimilar: bool, normalized: bool) -> "ItemGraph":
    from rankcut.graphs.derived import DissimilarityGraph, NormalizedGraph

    if dissimilar:
        recipe = DissimilarityGraph(recipe)
    if normalized:
        recipe = NormalizedGraph(recipe)
    built: ItemGraph = recipe if not hasattr(recipe, "build") else recipe.build()
    return built


def _title(features: str) -> str:
    """A heading that names one or two columns, and counts more.

    >>> _title("style, price"), _title("style, price, oiliness")
    ('Items by style and price', 'Items by 3 columns')
    """
    names = features.split(", ")
    return f"Items by {' and '.join(names) if len(names) <= 2 else f'{len(names)} columns'}"


def _describe(graph: "ItemGraph", features: str, dissimilar: bool) -> dict[str, Any]:
    """Facts about a graph; for a large one, only those that do not need all of its pairs."""
    found: dict[str, Any] = {"n_items": graph.n_items, "compared_by": features}
    if graph.approximation is not None:
        found["approximation"] = str(graph.approximation)
    large = graph.weights.kind == "structured" and graph.n_items > _MOST_ITEMS
    if not (large and graph.weights.rank > 0):
        found["n_edges"] = graph.n_edges
    degrees = graph.degrees
    found["degrees"] = (float(degrees.min()), float(degrees.max()))
    return found if large else found | _about_edges(graph, dissimilar)


def _about_edges(graph: "ItemGraph", dissimilar: bool) -> dict[str, Any]:
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array(graph.weights.to_csr())
    first, second = edges.coords
    half = np.flatnonzero(first < second)
    half = half[np.argsort(-edges.data[half], kind="stable")]
    n_parts, part = connected_components(edges, directed=False)
    titles = ["most_similar", "least_similar"]
    chosen = [half[-5:][::-1], half[:5]] if dissimilar else [half[:5], half[-5:][::-1]]
    return {
        "n_components": n_parts,
        "largest_component": int(np.bincount(part).max()),
        **{
            title: [
                (graph.items[first[edge]], graph.items[second[edge]], edges.data[edge])  # type: ignore[index]
                for edge in some
            ]
            for title, some in zip(titles, chosen, strict=True)
        },
    }


def _lines(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The same for a reader."""
    n_items = found["n_items"]
    lines = [("items", f"{n_items:,}"), ("compared by", found["compared_by"])]
    if "approximation" in found:
        lines.append(("approximation", found["approximation"]))
    if "n_edges" in found:
        pairs = n_items * (n_items - 1) // 2
        share = f" ({found['n_edges'] / pairs:.0%} of all pairs)" if pairs else ""
        lines.append(("edges", f"{found['n_edges']:,}{share}"))
    if "n_components" in found:
        largest = amount(found["largest_component"], "item")
        lines.append(("components", f"{found['n_components']:,}, the largest of {largest}"))
    low, high = found["degrees"]
    lines.append(("degrees", f"{low:.3g} to {high:.3g}"))
    for title in ("most_similar", "least_similar"):
        pairs_named = [f"{one} - {two} ({weight:.3g})" for one, two, weight in found.get(title, [])]
        heads = [title.replace("_", " "), *[""] * len(pairs_named)]
        lines += zip(heads, pairs_named, strict=False)
    return lines
