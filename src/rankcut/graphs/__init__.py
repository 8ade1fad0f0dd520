"""Item graphs: given by the user, or built from item features or rankings."""

from rankcut.graphs.item_graph import (
    GraphRecipe,
    ItemGraph,
    LearnedGraph,
    as_item_graph,
    is_learned,
)
from rankcut.graphs.learned import AgreementGraph, CoListingGraph
from rankcut.graphs.recipes import (
    DissimilarityGraph,
    DistanceGraph,
    NeighborGraph,
    NormalizedGraph,
    SimilarityGraph,
)
from rankcut.graphs.weights import Weights

__all__ = [
    "AgreementGraph",
    "CoListingGraph",
    "DissimilarityGraph",
    "DistanceGraph",
    "GraphRecipe",
    "ItemGraph",
    "LearnedGraph",
    "NeighborGraph",
    "NormalizedGraph",
    "SimilarityGraph",
    "Weights",
    "as_item_graph",
    "is_learned",
]
