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
    from rankcut.estimators.graph_cut import GraphCutFeatures as GraphCutFeatures
    from rankcut.estimators.submodular import SubmodularFeatures as SubmodularFeatures
    from rankcut.features import graph_cut_features as graph_cut_features
    from rankcut.graphs.item_graph import ItemGraph as ItemGraph
    from rankcut.graphs.recipes import NeighborGraph as NeighborGraph
    from rankcut.graphs.recipes import SimilarityGraph as SimilarityGraph
    from rankcut.kernels.graph_cut import graph_cut_kernel as graph_cut_kernel
    from rankcut.long_tables import from_long as from_long
    from rankcut.lovasz import lovasz_extension as lovasz_extension
    from rankcut.lovasz import lovasz_subgradient as lovasz_subgradient
    from rankcut.orders import from_orders as from_orders
    from rankcut.orders import to_orders as to_orders
    from rankcut.polytopes.base_polytope import BasePolytope as BasePolytope
    from rankcut.polytopes.cones import MajorantCone as MajorantCone
    from rankcut.polytopes.cones import TangentCone as TangentCone
    from rankcut.polytopes.ordered_partitions import ordered_partitions as ordered_partitions
    from rankcut.ratings import from_ratings as from_ratings
    from rankcut.setfunctions.cardinality import ConcaveOfCardinality as ConcaveOfCardinality
    from rankcut.setfunctions.combined import Complement as Complement
    from rankcut.setfunctions.combined import Multiple as Multiple
    from rankcut.setfunctions.combined import SumOfFunctions as SumOfFunctions
    from rankcut.setfunctions.coverage import Coverage as Coverage
    from rankcut.setfunctions.facility import FacilityLocation as FacilityLocation
    from rankcut.setfunctions.from_callable import FromCallable as FromCallable
    from rankcut.setfunctions.gaussian import GaussianEntropy as GaussianEntropy
    from rankcut.setfunctions.gaussian import GaussianMutualInformation as GaussianMutualInformation
    from rankcut.setfunctions.graph_cuts import GraphCut as GraphCut
    from rankcut.setfunctions.hypergraph import HypergraphCut as HypergraphCut
    from rankcut.setfunctions.modular import Modular as Modular
    from rankcut.setfunctions.set_function import SetFunction as SetFunction
    from rankcut.setfunctions.submodularity import check_submodular as check_submodular

__version__ = "0.1.0"

_HOMES = {
    "BasePolytope": "rankcut.polytopes.base_polytope",
    "Complement": "rankcut.setfunctions.combined",
    "ConcaveOfCardinality": "rankcut.setfunctions.cardinality",
    "Coverage": "rankcut.setfunctions.coverage",
    "FacilityLocation": "rankcut.setfunctions.facility",
    "FromCallable": "rankcut.setfunctions.from_callable",
    "GaussianEntropy": "rankcut.setfunctions.gaussian",
    "GaussianMutualInformation": "rankcut.setfunctions.gaussian",
    "GraphCut": "rankcut.setfunctions.graph_cuts",
    "GraphCutFeatures": "rankcut.estimators.graph_cut",
    "HypergraphCut": "rankcut.setfunctions.hypergraph",
    "ItemGraph": "rankcut.graphs.item_graph",
    "MajorantCone": "rankcut.polytopes.cones",
    "Modular": "rankcut.setfunctions.modular",
    "Multiple": "rankcut.setfunctions.combined",
    "NeighborGraph": "rankcut.graphs.recipes",
    "SetFunction": "rankcut.setfunctions.set_function",
    "SimilarityGraph": "rankcut.graphs.recipes",
    "SubmodularFeatures": "rankcut.estimators.submodular",
    "SumOfFunctions": "rankcut.setfunctions.combined",
    "TangentCone": "rankcut.polytopes.cones",
    "check_submodular": "rankcut.setfunctions.submodularity",
    "from_long": "rankcut.long_tables",
    "from_orders": "rankcut.orders",
    "from_ratings": "rankcut.ratings",
    "graph_cut_features": "rankcut.features",
    "graph_cut_kernel": "rankcut.kernels.graph_cut",
    "lovasz_extension": "rankcut.lovasz",
    "lovasz_subgradient": "rankcut.lovasz",
    "make_food": "rankcut.datasets.food",
    "ordered_partitions": "rankcut.polytopes.ordered_partitions",
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
