"""``rankcut graph``: build an item graph from a table of items or from rankings."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

import typer

from rankcut.cli.command import option, with_options
from rankcut.cli.options import LeftOut, Unranked
from rankcut.cli.output import SUFFIXES, Json, OutputFiles, Outputs, fact_lines, note
from rankcut.cli.reading import Reading, item_table, parsed_delimiter, parsed_header
from rankcut.errors import InputError, RankingFileError, Setting, amount
from rankcut.parameters import SIDE

if TYPE_CHECKING:
    from rankcut.graphs.item_graph import ItemGraph

Learn: TypeAlias = Literal["agreement", "co-listing"]

# Files of these formats hold rankings, and never a table of items.
_RANKINGS = (".soc", ".soi", ".toc", ".toi", ".cat", ".blt")

# Options that a table of items has as well, in its own sense.
_OF_ITEMS = ("item", "columns", "header", "delimiter")


@dataclass(frozen=True)
class ItemGraphOptions:
    """Which items to connect, and how strongly."""

    learn: Annotated[
        Learn | None,
        option(
            "Learn the graph from rankings: connect items that people rank alike "
            "(agreement), or list together (co-listing)."
        ),
    ] = None
    item: Annotated[
        str | None, option("Column that names the item (default: the first; with --learn, item).")
    ] = None
    columns: Annotated[
        str | None,
        option(
            "Columns to compare items by (default: all): a,b or 3-9; with --learn, columns "
            "that are not items."
        ),
    ] = None
    neighbors: Annotated[
        int | None, option("Connect each item to its N nearest neighbours.", min=1)
    ] = None
    keep: Annotated[float, option("Fraction of the edges to keep, the strongest.")] = 1.0
    unranked: LeftOut = "error"

    def check(self, reading: Reading) -> None:
        """Refuse options that do not go together."""
        if self.neighbors is not None and self.keep != 1.0:
            raise InputError("give only one of --neighbors and --keep")
        if self.learn is None:
            for each in fields(Reading):
                if each.name not in _OF_ITEMS and getattr(reading, each.name) != each.default:
                    option = f"--{each.name.replace('_', '-')}"
                    raise InputError(f"{option} describes rankings; use it with --learn")
        elif self.keep != 1.0:
            raise InputError(
                "--learn uses only the rankings; --neighbors is the only option for edges"
            )


class _Built(NamedTuple):
    """A graph or its recipe, its items, and what these are compared by."""

    recipe: Any
    items: tuple[Any, ...]
    compared_by: str
    by_name: str = ""  #: the column that colours the items of a picture
    categories: Any = None  #: its values


@with_options(options=ItemGraphOptions, reading=Reading)
def graph(
    table: Annotated[
        str,
        typer.Argument(
            metavar="ITEMS.csv",
            help="Table with a row for each item (- for standard input), or a data set; with "
            "--learn, a file of rankings.",
        ),
    ],
    options: ItemGraphOptions,
    reading: Reading,
    output: OutputFiles = None,
    as_json: Json = False,
) -> None:
    """Build an item graph from items or rankings.

    Similar items are connected strongly. Numbers are scaled, categories one-hot encoded, and texts
    compared by their words. -o writes the graph (.npz), a picture of it (.png, .svg, .pdf), a
    page (.html) that shows the strongest edges of the item under the mouse, or its edges (.csv,
    .json, .parquet, .xlsx).

    Example: rankcut graph items.csv -o graph.npz -o graph.png
    """
    from rankcut.files.matrices import write_graph

    options.check(reading)
    suffixes = (".npz", *SUFFIXES)
    outputs = Outputs(output or (), suffixes, ".npz", as_json=as_json)
    build = _by_features if options.learn is None else _learned
    built = build(table, options, reading)
    item_graph = built.recipe if not hasattr(built.recipe, "build") else built.recipe.build()
    named = item_graph.aligned(item_graph.n_items, built.items)
    facts = _describe(named, built.compared_by)
    outputs.show_aside(facts, fact_lines(_facts(facts), outputs.text))

    outputs.write(npz=lambda place: write_graph(named, place))
    if outputs.named(*SUFFIXES):
        from rankcut.maps import map_graph

        title = _title(built.compared_by)
        layout = map_graph(named, built.categories, by_name=built.by_name, title=title)
        outputs.save_result(layout, title)


def _learned(file: str, options: ItemGraphOptions, reading: Reading) -> _Built:
    """A graph learned from rankings."""
    from rankcut.graphs.learned import AgreementGraph, CoListingGraph
    from rankcut.rankings import read_rankings

    learn, neighbors = options.learn, options.neighbors
    rankings = reading.read_filled(file)
    if learn == "co-listing" and (rankings.n_ranked() == len(rankings.items)).all():
        raise RankingFileError(
            "each ranking lists all items, so which items are listed together says nothing",
            file,
            remedy="use --learn agreement",
        )
    kind = AgreementGraph if learn == "agreement" else CoListingGraph
    recipe = kind() if neighbors is None else kind(n_neighbors=neighbors)
    words = (options.unranked, rankings.unranked)
    meaning: Unranked = next((each for each in words if each != "error"), "anywhere")
    value = read_rankings(rankings, unranked=meaning)
    ranks: Any = value
    if learn == "agreement" and value.unranked == "last":
        # Items at the end of all lists agree with each other.
        ranks = value.groups() + 1
    built = recipe.build_from(ranks, rankings.items, sample_weight=value.counts)
    if built.n_edges == 0:
        relation = "ranked alike" if learn == "agreement" else "listed together"
        note(f"{file}: no two items are {relation} often enough to be connected")
    compared = f"{learn} in {amount(rankings.n_rankings, 'ranking')}"
    return _Built(built, rankings.items, compared)


def _by_features(table: str, options: ItemGraphOptions, reading: Reading) -> _Built:
    """A graph of a table of items; the first column with few words gives the categories."""
    from rankcut.graphs.recipes import NeighborGraph, SimilarityGraph
    from rankcut.pictures.theme import COLOURS

    if table.lower().removesuffix(".gz").endswith(_RANKINGS):
        raise RankingFileError(
            "holds rankings, and is not a table of items",
            table,
            remedy="learn the graph from them with --learn agreement or --learn co-listing",
        )
    items = item_table(
        table,
        item=options.item,
        columns=options.columns,
        delimiter=parsed_delimiter(reading.delimiter),
        header=parsed_header(reading.header),
    )
    near = options.neighbors
    if near is None and options.keep == 1.0 and len(items.items) > SIDE:
        raise RankingFileError(
            f"a graph of all pairs of {len(items.items):,} items has "
            f"{len(items.items) * (len(items.items) - 1) // 2:,} edges",
            table,
            remedy=["connect each item to a few others: ", Setting("neighbors", 10)],
        )
    recipe: Any
    if near is not None:
        recipe = NeighborGraph(items.points(), n_neighbors=near)
    else:
        recipe = SimilarityGraph(items.points(), keep=options.keep)
    # Each word of a column that is shown by colours has one of its own.
    few_words: list[tuple[str, Any]] = [
        (name, values)
        for name, values in items.features.items()
        if values.dtype == object and len(set(values.tolist())) <= len(COLOURS)
    ]
    return _Built(recipe, items.items, ", ".join(items.features), *(few_words or [("", None)])[0])


def _title(features: str) -> str:
    """A heading that names one or two columns, and counts more.

    >>> _title("style, price"), _title("style, price, oiliness")
    ('Items by style and price', 'Items by 3 columns')
    """
    names = features.split(", ")
    return f"Items by {' and '.join(names) if len(names) <= 2 else f'{len(names)} columns'}"


def _describe(graph: "ItemGraph", features: str) -> dict[str, Any]:
    """Facts about a graph; of a large one, only those that do not need all of its pairs."""
    facts: dict[str, Any] = {
        "n_items": graph.n_items,
        "compared_by": features,
        "n_edges": graph.n_edges,
    }
    if graph.weights.kind == "structured" and graph.n_items > SIDE:
        return facts
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array(graph.weights.to_csr())
    first, second = edges.coords
    half = np.flatnonzero(first < second)
    strongest = half[np.argsort(-edges.data[half], kind="stable")][:5]
    n_parts, part = connected_components(edges, directed=False)
    names = graph.items or range(graph.n_items)
    return facts | {
        "n_components": n_parts,
        "largest_component": int(np.bincount(part).max()),
        "most_similar": [(names[first[k]], names[second[k]], edges.data[k]) for k in strongest],
    }


def _facts(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """What to print of the facts, in words."""
    n_items = facts["n_items"]
    lines = [("items", f"{n_items:,}"), ("compared by", facts["compared_by"])]
    pairs = n_items * (n_items - 1) // 2
    share = f" ({100 * facts['n_edges'] / pairs:.0f} % of all pairs)" if pairs else ""
    lines.append(("edges", f"{facts['n_edges']:,}{share}"))
    if "n_components" in facts:
        largest = amount(facts["largest_component"], "item")
        lines.append(("components", f"{facts['n_components']:,}, the largest of {largest}"))
    for k, (one, two, weight) in enumerate(facts.get("most_similar", [])):
        lines.append(("" if k else "most similar", f"{one} - {two} ({weight:.3g})"))
    return lines
