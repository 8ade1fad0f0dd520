"""Graphs over the items: given by the user, or built from what is known of the items."""

from rankcut.graphs.from_rankings import AgreementGraph, CoListingGraph
from rankcut.graphs.item_graph import (
    GraphRecipe,
    ItemGraph,
    LearnedGraph,
    as_item_graph,
    is_learned,
    refuse_learned,
)
from rankcut.graphs.recipes import NeighborGraph, SimilarityGraph

__all__ = [
    "AgreementGraph",
    "CoListingGraph",
    "GraphRecipe",
    "ItemGraph",
    "LearnedGraph",
    "NeighborGraph",
    "SimilarityGraph",
    "as_item_graph",
    "is_learned",
    "refuse_learned",
]
