"""Graphs over the items: given by the user, or built from what is known of the items."""

from rankcut.graphs.derived import DissimilarityGraph, NormalizedGraph
from rankcut.graphs.item_graph import GraphRecipe, ItemGraph, as_item_graph
from rankcut.graphs.low_rank import LowRankGraph
from rankcut.graphs.recipes import DistanceGraph, NeighborGraph, SimilarityGraph
from rankcut.graphs.structured import StructuredWeights

__all__ = [
    "DissimilarityGraph",
    "DistanceGraph",
    "GraphRecipe",
    "ItemGraph",
    "LowRankGraph",
    "NeighborGraph",
    "NormalizedGraph",
    "SimilarityGraph",
    "StructuredWeights",
    "as_item_graph",
]
