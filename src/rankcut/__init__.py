"""Learn from rankings of any kind: full orders, top-k lists, ties, incomplete orders.

A ranking becomes a short vector, the graph cut feature map, by way of a graph over the items;
vectors plug into scikit-learn. Names are loaded when first used, so that ``import rankcut`` is
quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankcut import datasets as datasets
    from rankcut.datasets.food import make_food as make_food
    from rankcut.estimators.gp.classifier import GPClassifier as GPClassifier
    from rankcut.estimators.graph_cut import GraphCutFeatures as GraphCutFeatures
    from rankcut.features import graph_cut_features as graph_cut_features
    from rankcut.graphs.item_graph import ItemGraph as ItemGraph
    from rankcut.graphs.recipes import NeighborGraph as NeighborGraph
    from rankcut.graphs.recipes import SimilarityGraph as SimilarityGraph
    from rankcut.kernels.graph_cut import graph_cut_kernel as graph_cut_kernel
    from rankcut.long_tables import from_long as from_long
    from rankcut.orders import from_orders as from_orders
    from rankcut.orders import to_orders as to_orders
    from rankcut.ratings import from_ratings as from_ratings

__version__ = "0.1.0"

_HOMES = {
    "GPClassifier": "rankcut.estimators.gp.classifier",
    "GraphCutFeatures": "rankcut.estimators.graph_cut",
    "ItemGraph": "rankcut.graphs.item_graph",
    "NeighborGraph": "rankcut.graphs.recipes",
    "SimilarityGraph": "rankcut.graphs.recipes",
    "from_long": "rankcut.long_tables",
    "from_orders": "rankcut.orders",
    "from_ratings": "rankcut.ratings",
    "graph_cut_features": "rankcut.features",
    "graph_cut_kernel": "rankcut.kernels.graph_cut",
    "make_food": "rankcut.datasets.food",
    "to_orders": "rankcut.orders",
}

__all__ = ["__version__", "datasets", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name == "datasets":
        value = import_module("rankcut.datasets")
    else:
        raise AttributeError(f"module 'rankcut' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
