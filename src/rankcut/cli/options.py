"""Options that several commands have, declared once."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from rankcut.cli.command import option, topic_option
from rankcut.cli.reading import item_table
from rankcut.errors import InputError, Setting
from rankcut.vocabulary import Ties as Ties
from rankcut.vocabulary import Unranked as Unranked

if TYPE_CHECKING:
    from rankcut.graphs.item_graph import GraphRecipe, ItemGraph
    from rankcut.rankings.ranking_set import RankingSet
    from rankcut.similar.likeness import LikenessFeatures

By: TypeAlias = Annotated[
    str | None, option("Column with the group of each ranking.", metavar="COLUMN")
]
People: TypeAlias = Annotated[
    str | None,
    option(
        "Column with the person of each ranking, if people rank more than once.", metavar="COLUMN"
    ),
]
Strata: TypeAlias = Annotated[
    str | None, option("Compare groups within each value of this column.", metavar="COLUMN")
]
LeftOut: TypeAlias = Annotated[
    Unranked, option("Items that a ranking leaves out: an error, last (a top-k list), or anywhere.")
]
Seed: TypeAlias = Annotated[int, option("Seed of the random numbers.", min=0)]
Explain: TypeAlias = Annotated[
    bool,
    option(
        "Say in words what the model found: which items and pairs matter, and how much.",
        "--explain",
    ),
]
Folds: TypeAlias = Annotated[int, option("Folds of the cross-validation.", min=2)]
Number: TypeAlias = Annotated[int, option("Number of items to list.", "-n", min=1)]
Confidence: TypeAlias = Annotated[float, option("Confidence of all intervals at once.")]


@dataclass(frozen=True)
class GraphOptions:
    """The item graph: a file, or made of a table of items."""

    items: Annotated[
        str | None,
        option(
            "Table of items, or a data set: similar items are connected in the item graph.",
            metavar="ITEMS.csv",
        ),
    ] = None
    graph: Annotated[
        str | None, option("Item graph from 'rankcut graph'.", metavar="GRAPH.npz")
    ] = None

    def check(self) -> None:
        """Refuse values that cannot work, before anything is read."""
        if self.items is not None and self.graph is not None:
            raise InputError(
                ["give either ", Setting("items"), " or ", Setting("graph"), ", not both"]
            )

    def item_graph(self, *, near: bool = False) -> "ItemGraph | None":
        """The graph that the user names, or None for the complete one."""
        graph = self.graph_or_recipe(near=near)
        if graph is None:
            return None
        from rankcut.graphs.item_graph import as_item_graph

        return as_item_graph(graph)

    def graph_or_recipe(self, *, near: bool = False) -> "ItemGraph | GraphRecipe | None":
        """The graph, or the recipe of a table of items, which still knows their features.

        It connects all items by their similarity, or only near ones.
        """
        self.check()
        if self.graph is not None:
            from rankcut.files.matrices import read_graph

            return read_graph(self.graph)
        if self.items is None:
            return None
        from rankcut.graphs.item_features import ItemFeatures
        from rankcut.graphs.recipes import NeighborGraph, SimilarityGraph

        table = item_table(self.items)
        features = ItemFeatures(table.points(), labels=tuple(table.items))
        # A third of the items, if they are few.
        n_near = min(10, max(1, len(table.items) // 3))
        return NeighborGraph(features, n_neighbors=n_near) if near else SimilarityGraph(features)

    def likeness(self, rankings: "RankingSet", unranked: Unranked) -> "LikenessFeatures":
        """An estimator, not fitted, of vectors that compare people."""
        from rankcut.graphs.item_features import FeatureRecipe
        from rankcut.similar.likeness import LikenessFeatures

        graph = self.graph_or_recipe(near=True)
        features = graph if isinstance(graph, FeatureRecipe) else None
        return LikenessFeatures(
            graph, item_features=features, unranked=unranked, items=rankings.labels()
        )


@dataclass(frozen=True)
class Computing:
    """Where to compute, and how much at once."""

    scheduler: Annotated[
        str | None,
        topic_option(
            "cluster",
            "--scheduler",
            metavar="ADDRESS",
            help="Compute on the Dask cluster with this scheduler, such as tcp://10.0.0.1:8786; "
            "files must have the same paths there.",
        ),
    ] = None
    workers: Annotated[
        int | None,
        topic_option(
            "cluster", "--workers", min=1, metavar="N", help="Number of worker processes."
        ),
    ] = None
    restart: Annotated[
        bool,
        topic_option(
            "cluster", "--restart", help="Replace parts that were made with other settings."
        ),
    ] = False
    block: Annotated[
        int,
        topic_option("cluster", "--block", min=1, help="Rows computed at once (default: 16384)."),
    ] = 16384

    @property
    def on_cluster(self) -> bool:
        """Whether the user names a cluster."""
        return self.scheduler is not None or self.workers is not None

    def cluster(self) -> AbstractContextManager[Any]:
        """The cluster that the user names, within a ``with`` statement."""
        from rankcut.dask.tasks import cluster

        return cluster(self.scheduler, self.workers)
