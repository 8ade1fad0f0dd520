"""``rankcut graph``: build an item graph from a table of items or from rankings."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from rankcut.cli.options import Format, Layout
from rankcut.cli.output import PICTURES, OutputFiles, Outputs, note, picture_writers, print_facts
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
Learn: TypeAlias = Literal["agreement", "co-listing"]

Categories: TypeAlias = tuple[str, Any]
"""The column that colours the items of a picture and its values, or nothing."""

# Words of a column that is shown by colours.
_MOST_CATEGORIES = 7

# Files of these formats hold rankings, and never a table of items.
_RANKINGS = (".soc", ".soi", ".toc", ".toi", ".cat", ".blt", ".order")

# With more items, the weights are not examined pair by pair.
_MOST_ITEMS = 3000


def graph(
    table: Annotated[
        str,
        typer.Argument(
            metavar="ITEMS.csv",
            help="Table with a row for each item (- for standard input), or a data set; with "
            "--learn, a file of rankings.",
        ),
    ],
    output: OutputFiles = None,
    picture: Annotated[
        str | None,
        typer.Option(
            "--picture", "-p", metavar="PNG", help="Draw it: .png, .svg, .pdf or - (PNG)."
        ),
    ] = None,
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
        str | None, typer.Option("--item", help="Column that names the item (default: the first).")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option("--columns", help="Columns to compare items by (default: all): a,b or 3-9."),
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
    format: Annotated[  # noqa: A002 - the option is called so
        Format | None, typer.Option("--format", "-f", help="Format of the rankings, with --learn.")
    ] = None,
    layout: Annotated[
        Layout | None, typer.Option("--layout", help="Layout of the rankings, with --learn.")
    ] = None,
    header: Annotated[
        str, typer.Option(help="Header line: its number, 1-2 for two lines, 0 for none.")
    ] = "1",
    delimiter: Annotated[
        str | None, typer.Option(help="Cell delimiter (default: comma); tab for a tab.")
    ] = None,
) -> None:
    """Build an item graph from items or rankings.

    Similar items are connected strongly. Numbers are scaled, text is one-hot encoded. -o writes
    the graph (.npz) or a picture of it (.png, .svg, .pdf).

    Example: rankcut graph items.csv -o graph.npz -o graph.png
    """
    from rankcut.files.graph_files import write_graph

    if (neighbors is not None) + (keep != 1.0) + (rank is not None) > 1:
        raise InputError("give only one of --neighbors, --keep and --rank")
    if approximate is not None and neighbors is None:
        raise InputError("--approximate and --exact need --neighbors")
    if rank is not None and kernel != "squared_exponential":
        raise InputError("--rank is for the squared exponential kernel")
    if learn is None and (format is not None or layout is not None):
        raise InputError("--format and --layout describe rankings, and need --learn")
    files = Outputs(output, {".npz": None, **PICTURES}, ".npz")
    pictures = Outputs(None if picture is None else [picture], PICTURES, ".png")
    if files.to_stdout and pictures.to_stdout:
        raise InputError("give one of -o and --picture as -: standard output holds one file")
    if learn is not None:
        reading = Reading(
            format=format,
            layout=layout,
            columns=columns,
            item=item,
            header=header,
            delimiter=delimiter,
        )
        if any(each is not None for each in (categorical, lengthscale, rank)) or keep != 1.0:
            raise InputError(
                "--learn goes by the rankings alone: of the options for edges, use --neighbors"
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
    to_stdout = files.to_stdout or pictures.to_stdout
    print_facts(_facts(named, features, dissimilar), sys.stderr if to_stdout else sys.stdout)

    def draw(place: str) -> None:
        from rankcut.files.drafts import atomic_path
        from rankcut.pictures.graph_figure import plot_graph

        title = f"Items by {features}"
        figure = plot_graph(named, categories, by_name=by_name, title=title)
        with atomic_path(place) as draft:
            figure.savefig(draft, dpi=150)

    files.write({".npz": lambda place: write_graph(named, place), **picture_writers(draw)})
    pictures.write(picture_writers(draw))


def _learned(
    file: str, learn: Learn, reading: Reading, neighbors: int | None
) -> tuple[Any, tuple[Any, ...], str, Categories]:
    """A graph learned from rankings, the items, what they are compared by, and no categories."""
    from rankcut.graphs.learned import AgreementGraph, CoListingGraph

    rankings = reading.read(file)
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
    """The same of a table of items; the first column of few words has the categories."""
    from rankcut.files.item_tables import read_items
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


def _facts(graph: "ItemGraph", features: str, dissimilar: bool) -> list[tuple[str, str]]:
    facts = [("items", f"{graph.n_items:,}"), ("compared by", features)]
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
    graph: "ItemGraph", spread: tuple[str, str], dissimilar: bool
) -> list[tuple[str, str]]:
    import numpy as np
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

    largest = amount(int(np.bincount(part).max()), "item")
    facts = [("components", f"{n_parts:,}, the largest of {largest}"), spread]
    titles = ["most similar", "least similar"]
    chosen = [half[-5:][::-1], half[:5]] if dissimilar else [half[:5], half[-5:][::-1]]
    for title, some in zip(titles, chosen, strict=True):
        facts += [(title if i == 0 else "", named(edge)) for i, edge in enumerate(some.tolist())]
    return facts
