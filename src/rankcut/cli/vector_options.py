"""Options for item graphs, and for turning rankings into vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rankcut.cli.options import GraphFile, Items, LeftOut, Seed, option
from rankcut.cli.reading import dataset_items, is_dataset
from rankcut.cli.terminal import note
from rankcut.errors import InputError, RankingFileError, Setting

if TYPE_CHECKING:
    from rankcut.cuts.transformers import GraphCutFeatures
    from rankcut.graphs.item_graph import GraphRecipe, ItemGraph
    from rankcut.rankings.ranking_set import RankingSet

# Neighbours of an item if there are many items; if there are few, a third of them.
_NEAR = 10


@dataclass(frozen=True)
class GraphOptions:
    """The item graph: a file, or made of a table of items."""

    items: Items = None
    graph: GraphFile = None

    @property
    def has_graph(self) -> bool:
        """Whether the user names an item graph, or a table of items."""
        return self.items is not None or self.graph is not None

    def check(self) -> None:
        """Refuse values that cannot work, before anything is read."""
        if self.items is not None and self.graph is not None:
            raise InputError(
                ["give either ", Setting("items"), " or ", Setting("graph"), ", not both"]
            )

    def item_graph(self, *, near: bool = False) -> "ItemGraph | None":
        """The graph that the user names, or None for the complete one."""
        from rankcut.graphs.item_graph import as_item_graph

        graph = self.graph_or_recipe(near=near)
        return None if graph is None else as_item_graph(graph)

    def graph_or_recipe(self, *, near: bool = False) -> "ItemGraph | GraphRecipe | None":
        """The same; a table of items is a recipe, which still knows the items' features.

        It connects all items by their similarity, or only near ones.
        """
        self.check()
        if self.graph is not None:
            from rankcut.files.matrices import read_graph

            _check_npz(self.graph)
            return read_graph(self.graph)
        if self.items is None:
            return None
        from rankcut.files.feature_tables import read_items
        from rankcut.graphs.item_features import ItemFeatures
        from rankcut.graphs.recipes import NeighborGraph, SimilarityGraph

        table = dataset_items(self.items) if is_dataset(self.items) else read_items(self.items)
        features = ItemFeatures(table.points(), labels=tuple(table.items))
        n_near = min(_NEAR, max(1, len(table.items) // 3))
        return NeighborGraph(features, n_neighbors=n_near) if near else SimilarityGraph(features)


@dataclass(frozen=True)
class VectorOptions(GraphOptions):
    """How to turn rankings into vectors."""

    unranked: LeftOut = "error"
    unlisted: Annotated[
        str,
        option(
            "Weight of comparisons with unlisted items: 0 or more, or 'balanced'.",
            "--unlisted-weight",
            metavar="WEIGHT",
        ),
    ] = "1"
    smoothing: Annotated[
        float | None,
        option("Smoothing steps on the similarity graph (0 = off).", metavar="STEPS"),
    ] = None
    seed: Seed = 0

    def check(self) -> None:
        """Refuse values that cannot work, before anything is read."""
        from rankcut.cuts.options import check_steps

        self._unlisted_weight()
        check_steps(self.smoothing or 0.0)
        super().check()
        if self.smoothing and not self.has_graph:
            raise InputError(
                [Setting("smoothing"), " needs a graph that connects similar items"],
                remedy=["give ", Setting("items"), " or ", Setting("graph")],
            )

    def smoothed_by(self, steps: float) -> "VectorOptions":
        """The same options with smoothing, if there is a graph and the user set no smoothing."""
        if self.smoothing is not None or not self.has_graph:
            return self
        return replace(self, smoothing=steps)

    def _unlisted_weight(self) -> Any:
        """The weight that the user gives as text."""
        from rankcut.cuts.options import check_unlisted_weight

        try:
            weight: Any = self.unlisted if self.unlisted == "balanced" else float(self.unlisted)
        except ValueError:
            weight = self.unlisted
        check_unlisted_weight(weight)
        return weight

    def chosen(self) -> list[str]:
        """The options for unranked items and smoothing that the user set."""
        usual = VectorOptions()
        names = {"unranked": "--unranked", "unlisted": "--unlisted-weight"}
        names["smoothing"] = "--smoothing"
        return [
            option for name, option in names.items() if getattr(self, name) != getattr(usual, name)
        ]

    def graph_of_model(self, model: str, others: Sequence[str]) -> "ItemGraph | None":
        """The graph for a model; views do not need the other options, which others use."""
        options = self.chosen()
        if model == "views" and options:
            are = "is" if len(options) == 1 else "are"
            use = "use it" if len(others) > 1 else "uses it"
            note(
                f"{' and '.join(options)} {are} not needed: --model views finds out from the "
                f"rankings; {' and '.join(f'--model {other}' for other in others)} {use}"
            )
        return self.item_graph(near=model == "views")

    @property
    def by_cuts(self) -> bool:
        """Whether the user sets an option of graph cut vectors."""
        return self.smoothing is not None or self.unlisted != "1"

    def likeness(self, rankings: "RankingSet") -> Any:
        """An estimator, not fitted, of vectors that compare people.

        If the user sets an option of graph cut vectors, it makes those.
        """
        if self.by_cuts:
            from rankcut.cuts.transformers import GraphCutFeatures

            return GraphCutFeatures(self.item_graph(), normalize=True, **self.arguments(rankings))
        from rankcut.similar.likeness import LikenessFeatures

        graph = self.graph_or_recipe(near=True)
        return LikenessFeatures(graph, unranked=self.unranked, items=rankings.labels())

    def features(
        self, rankings: "RankingSet", graph: "ItemGraph | None", *, normalize: bool = False
    ) -> "GraphCutFeatures":
        """An estimator, not fitted, of dense vectors of these items."""
        from rankcut.cuts.transformers import GraphCutFeatures

        return GraphCutFeatures(
            graph, normalize=normalize, sparse_output=False, **self.arguments(rankings)
        )

    def arguments(self, rankings: "RankingSet") -> dict[str, Any]:
        """Keyword arguments for the feature map, or for a kernel."""
        from rankcut.cuts.options import Completions

        return {
            "unranked": self.unranked,
            "unlisted_weight": self._unlisted_weight(),
            "smoothing": self.smoothing or 0.0,
            "items": rankings.labels(),
            "completions": Completions(random_state=self.seed),
        }


def _check_npz(graph: str) -> None:
    """Refuse a file that is not npz at all; a pipe, which can be read only once, is not checked."""
    from rankcut.files.text import open_bytes

    if not Path(graph).is_file():
        return
    with open_bytes(graph) as stream:
        if stream.peek(2)[:2] != b"PK":
            raise RankingFileError(
                "not an item graph (an npz file)",
                graph,
                remedy=[
                    "write one with 'rankcut graph'; a table of items is for ",
                    Setting("items"),
                ],
            )
