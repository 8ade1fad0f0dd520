"""Graphs over the items: given by the user, or built from what is known of the items."""

from rankcut.graphs.item_graph import GraphRecipe, ItemGraph, as_item_graph
from rankcut.graphs.recipes import NeighborGraph, SimilarityGraph

__all__ = ["GraphRecipe", "ItemGraph", "NeighborGraph", "SimilarityGraph", "as_item_graph"]
