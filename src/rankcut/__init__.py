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
    from rankcut.estimators.kernel_objects import DiffusionKernel as DiffusionKernel
    from rankcut.estimators.kernel_objects import GraphCutKernel as GraphCutKernel
    from rankcut.estimators.kernel_objects import KendallKernel as KendallKernel
    from rankcut.estimators.kernel_objects import MallowsKernel as MallowsKernel
    from rankcut.estimators.kernel_objects import SpearmanKernel as SpearmanKernel
    from rankcut.estimators.kernel_objects import WeightedKendallKernel as WeightedKendallKernel
    from rankcut.estimators.pair_features import KendallFeatures as KendallFeatures
    from rankcut.estimators.pair_features import WeightedKendallFeatures as WeightedKendallFeatures
    from rankcut.features import graph_cut_features as graph_cut_features
    from rankcut.graphs.item_graph import ItemGraph as ItemGraph
    from rankcut.graphs.recipes import NeighborGraph as NeighborGraph
    from rankcut.graphs.recipes import SimilarityGraph as SimilarityGraph
    from rankcut.kernels.diffusion import diffusion_kernel as diffusion_kernel
    from rankcut.kernels.graph_cut import graph_cut_kernel as graph_cut_kernel
    from rankcut.kernels.kendall import kendall_features as kendall_features
    from rankcut.kernels.kendall import kendall_kernel as kendall_kernel
    from rankcut.kernels.lovasz_bregman import (
        lovasz_bregman_divergence as lovasz_bregman_divergence,
    )
    from rankcut.kernels.mallows import mallows_kernel as mallows_kernel
    from rankcut.kernels.mallows import median_lambda as median_lambda
    from rankcut.kernels.spearman import spearman_kernel as spearman_kernel
    from rankcut.kernels.weighted_kendall import (
        weighted_kendall_features as weighted_kendall_features,
    )
    from rankcut.kernels.weighted_kendall import weighted_kendall_kernel as weighted_kendall_kernel
    from rankcut.long_tables import from_long as from_long
    from rankcut.orders import from_orders as from_orders
    from rankcut.orders import to_orders as to_orders
    from rankcut.ratings import from_ratings as from_ratings

__version__ = "0.1.0"

_HOMES = {
    "DiffusionKernel": "rankcut.estimators.kernel_objects",
    "GPClassifier": "rankcut.estimators.gp.classifier",
    "GraphCutFeatures": "rankcut.estimators.graph_cut",
    "GraphCutKernel": "rankcut.estimators.kernel_objects",
    "ItemGraph": "rankcut.graphs.item_graph",
    "KendallFeatures": "rankcut.estimators.pair_features",
    "KendallKernel": "rankcut.estimators.kernel_objects",
    "MallowsKernel": "rankcut.estimators.kernel_objects",
    "NeighborGraph": "rankcut.graphs.recipes",
    "SimilarityGraph": "rankcut.graphs.recipes",
    "SpearmanKernel": "rankcut.estimators.kernel_objects",
    "WeightedKendallFeatures": "rankcut.estimators.pair_features",
    "WeightedKendallKernel": "rankcut.estimators.kernel_objects",
    "diffusion_kernel": "rankcut.kernels.diffusion",
    "from_long": "rankcut.long_tables",
    "from_orders": "rankcut.orders",
    "from_ratings": "rankcut.ratings",
    "graph_cut_features": "rankcut.features",
    "graph_cut_kernel": "rankcut.kernels.graph_cut",
    "kendall_features": "rankcut.kernels.kendall",
    "kendall_kernel": "rankcut.kernels.kendall",
    "lovasz_bregman_divergence": "rankcut.kernels.lovasz_bregman",
    "make_food": "rankcut.datasets.food",
    "mallows_kernel": "rankcut.kernels.mallows",
    "median_lambda": "rankcut.kernels.mallows",
    "spearman_kernel": "rankcut.kernels.spearman",
    "to_orders": "rankcut.orders",
    "weighted_kendall_features": "rankcut.kernels.weighted_kendall",
    "weighted_kendall_kernel": "rankcut.kernels.weighted_kendall",
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
