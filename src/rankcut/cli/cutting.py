"""The options by which commands turn rankings into vectors, declared once."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcut.cli.sources import dataset_items, is_dataset
from rankcut.errors import RankingFileError
from rankcut.features.smoothing import check_steps
from rankcut.features.unlisted import UnlistedWeight, check_unlisted_weight
from rankcut.files.streams import open_bytes
from rankcut.graphs.item_graph import ItemGraph
from rankcut.ranking_set import RankingSet
from rankcut.rankings import Unranked

if TYPE_CHECKING:
    from rankcut.estimators.graph_cut import GraphCutFeatures

_PANEL = "How rankings become vectors"

# So many items are near one, if there are many; if there are few, a third of them.
_NEAR = 10


@dataclass(frozen=True)
class Cutting:
    """How to make vectors of rankings."""

    items: Annotated[
        str | None,
        typer.Option(
            "--items",
            metavar="ITEMS.csv",
            help="Table of items, or a data set's name: like ones are joined in the graph.",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    graph: Annotated[
        str | None,
        typer.Option(
            "--graph",
            metavar="GRAPH.npz",
            help="Item graph from 'rankcut graph'; without either, all items are joined alike.",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    unranked: Annotated[
        Unranked,
        typer.Option(
            "--unranked",
            help="Items that a ranking leaves out: an error, after all others, or anywhere.",
            rich_help_panel=_PANEL,
        ),
    ] = "error"
    unlisted: Annotated[
        str,
        typer.Option(
            "--unlisted-weight",
            metavar="WEIGHT",
            help="Weight of comparisons with items left out: from 0 on, or 'balanced'.",
            rich_help_panel=_PANEL,
        ),
    ] = "1"
    smoothing: Annotated[
        float,
        typer.Option(
            "--smoothing",
            metavar="STEPS",
            help="Steps over the graph, which must join like items, that vectors are smoothed by.",
            rich_help_panel=_PANEL,
        ),
    ] = 0.0
    seed: Annotated[
        int,
        typer.Option("--seed", help="Seed of whatever is drawn at random.", rich_help_panel=_PANEL),
    ] = 0

    def __post_init__(self) -> None:
        self._unlisted_weight()
        check_steps(self.smoothing)
        if self.smoothing and self.items is None and self.graph is None:
            raise ValueError(
                "--smoothing goes by a graph that joins like items: give --items or --graph"
            )

    def _unlisted_weight(self) -> UnlistedWeight:
        """The weight that the user gives as text."""
        try:
            weight: Any = self.unlisted if self.unlisted == "balanced" else float(self.unlisted)
        except ValueError:
            weight = self.unlisted
        check_unlisted_weight(weight)
        checked: UnlistedWeight = weight
        return checked

    def check_nothing_chosen(self, by: str) -> None:
        """Refuse options that leave nothing to choose for what finds them by itself."""
        plain = Cutting()
        chosen = (self.unranked, self.unlisted, self.smoothing)
        if chosen != (plain.unranked, plain.unlisted, plain.smoothing):
            raise ValueError(
                f"{by} finds by itself what items left out mean and how much to smooth: leave out "
                "--unranked, --unlisted-weight and --smoothing"
            )

    def item_graph(self, *, near: bool = False) -> ItemGraph | None:
        """The graph that the user names, or None for the complete one.

        Of a table of items all are joined by their similarity, or only near ones.
        """
        if self.items is not None and self.graph is not None:
            raise ValueError("give one of --items and --graph: a table of items, or a graph")
        if self.graph is not None:
            from rankcut.files.graph_files import read_graph

            _check_npz(self.graph)
            return read_graph(self.graph)
        if self.items is None:
            return None
        from rankcut.files.item_tables import read_items
        from rankcut.graphs.recipes import NeighborGraph, SimilarityGraph

        table = dataset_items(self.items) if is_dataset(self.items) else read_items(self.items)
        points = table.points()
        n_near = min(_NEAR, max(1, len(points) // 3))
        recipe = NeighborGraph(points, n_neighbors=n_near) if near else SimilarityGraph(points)
        built = recipe.build()
        return built.aligned(built.n_items, table.items)

    def transformer(
        self, rankings: RankingSet, graph: ItemGraph | None, *, normalize: bool = False
    ) -> "GraphCutFeatures":
        """From rankings of these items to dense vectors; to be fitted."""
        from rankcut.estimators.graph_cut import GraphCutFeatures

        return GraphCutFeatures(graph, normalize=normalize, **self.options(rankings))

    def options(self, rankings: RankingSet) -> dict[str, Any]:
        """Keyword arguments for the feature map, or for a kernel."""
        from rankcut.features.completions import Completions

        return {
            "unranked": self.unranked,
            "unlisted_weight": self._unlisted_weight(),
            "smoothing": self.smoothing,
            "items": rankings.labels(),
            "completions": Completions(random_state=self.seed),
        }


def _check_npz(graph: str) -> None:
    """Refuse a file that is no npz file at all; a pipe can be read only once, and is not."""
    if not Path(graph).is_file():
        return
    with open_bytes(graph) as stream:
        if stream.peek(2)[:2] != b"PK":
            raise RankingFileError(
                "not an item graph, which is an npz file; 'rankcut graph' writes one, and a table "
                "of items is for --items",
                graph,
            )
