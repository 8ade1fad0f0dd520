"""Learn from rankings of any kind: full orders, top-k lists, ties, incomplete orders.

A ranking becomes a short vector, the graph cut feature map, by way of a graph over the items;
vectors plug into scikit-learn. Names are loaded when first used, so that ``import rankcut`` is
quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankcut import datasets as datasets
    from rankcut.comparison.groups import compare_groups as compare_groups
    from rankcut.comparison.independence import independence_test as independence_test
    from rankcut.consensus.decoding import to_ranking as to_ranking
    from rankcut.datasets.downloads import load_preflib as load_preflib
    from rankcut.datasets.food import make_food as make_food
    from rankcut.datasets.lunch import load_lunch as load_lunch
    from rankcut.datasets.movielens import load_movielens as load_movielens
    from rankcut.datasets.ranking_models import make_mallows as make_mallows
    from rankcut.datasets.ranking_models import make_plackett_luce as make_plackett_luce
    from rankcut.datasets.sushi import load_sushi as load_sushi
    from rankcut.errors import RankingFileError as RankingFileError
    from rankcut.estimators.consensus import Consensus as Consensus
    from rankcut.estimators.gaussian_kernel import GaussianKernel as GaussianKernel
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
    from rankcut.estimators.ranking_classifier import RankingClassifier as RankingClassifier
    from rankcut.estimators.similar_rankings import SimilarRankings as SimilarRankings
    from rankcut.estimators.smoothing import GraphSmoothing as GraphSmoothing
    from rankcut.estimators.submodular import SubmodularFeatures as SubmodularFeatures
    from rankcut.estimators.taste import TasteFeatures as TasteFeatures
    from rankcut.features.graph_cut import graph_cut_features as graph_cut_features
    from rankcut.files.formats import from_frame as from_frame
    from rankcut.files.formats import read_file as read_file
    from rankcut.files.formats import scan_file as scan_file
    from rankcut.files.formats import to_frame as to_frame
    from rankcut.files.formats import write_file as write_file
    from rankcut.files.graph_files import read_graph as read_graph
    from rankcut.files.graph_files import write_graph as write_graph
    from rankcut.files.item_tables import read_items as read_items
    from rankcut.graphs.derived import DissimilarityGraph as DissimilarityGraph
    from rankcut.graphs.derived import NormalizedGraph as NormalizedGraph
    from rankcut.graphs.item_graph import ItemGraph as ItemGraph
    from rankcut.graphs.learned import AgreementGraph as AgreementGraph
    from rankcut.graphs.learned import CoListingGraph as CoListingGraph
    from rankcut.graphs.low_rank import LowRankGraph as LowRankGraph
    from rankcut.graphs.recipes import DistanceGraph as DistanceGraph
    from rankcut.graphs.recipes import NeighborGraph as NeighborGraph
    from rankcut.graphs.recipes import SimilarityGraph as SimilarityGraph
    from rankcut.kernels.diffusion import diffusion_kernel as diffusion_kernel
    from rankcut.kernels.gaussian import gaussian_kernel as gaussian_kernel
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
    from rankcut.ranking_set import RankingSet as RankingSet
    from rankcut.ratings import from_ratings as from_ratings
    from rankcut.setfunctions.base import SetFunction as SetFunction
    from rankcut.setfunctions.combined import Complement as Complement
    from rankcut.setfunctions.combined import Multiple as Multiple
    from rankcut.setfunctions.combined import SumOfFunctions as SumOfFunctions
    from rankcut.setfunctions.cuts import GraphCut as GraphCut
    from rankcut.setfunctions.cuts import HypergraphCut as HypergraphCut
    from rankcut.setfunctions.families import ConcaveOfCardinality as ConcaveOfCardinality
    from rankcut.setfunctions.families import Coverage as Coverage
    from rankcut.setfunctions.families import FacilityLocation as FacilityLocation
    from rankcut.setfunctions.families import FromCallable as FromCallable
    from rankcut.setfunctions.families import Modular as Modular
    from rankcut.setfunctions.gaussian import GaussianEntropy as GaussianEntropy
    from rankcut.setfunctions.gaussian import GaussianMutualInformation as GaussianMutualInformation
    from rankcut.setfunctions.submodularity import check_submodular as check_submodular
    from rankcut.theory.base_polytope import BasePolytope as BasePolytope
    from rankcut.theory.cones import MajorantCone as MajorantCone
    from rankcut.theory.cones import TangentCone as TangentCone
    from rankcut.theory.cones import ordered_partitions as ordered_partitions
    from rankcut.theory.lovasz import lovasz_extension as lovasz_extension
    from rankcut.theory.lovasz import lovasz_subgradient as lovasz_subgradient

__version__ = "0.1.0"

_HOMES = {
    "AgreementGraph": "rankcut.graphs.learned",
    "BasePolytope": "rankcut.theory.base_polytope",
    "CoListingGraph": "rankcut.graphs.learned",
    "Complement": "rankcut.setfunctions.combined",
    "ConcaveOfCardinality": "rankcut.setfunctions.families",
    "Consensus": "rankcut.estimators.consensus",
    "Coverage": "rankcut.setfunctions.families",
    "DiffusionKernel": "rankcut.estimators.kernel_objects",
    "DissimilarityGraph": "rankcut.graphs.derived",
    "DistanceGraph": "rankcut.graphs.recipes",
    "FacilityLocation": "rankcut.setfunctions.families",
    "FromCallable": "rankcut.setfunctions.families",
    "GPClassifier": "rankcut.estimators.gp.classifier",
    "GaussianEntropy": "rankcut.setfunctions.gaussian",
    "GaussianKernel": "rankcut.estimators.gaussian_kernel",
    "GaussianMutualInformation": "rankcut.setfunctions.gaussian",
    "GraphCut": "rankcut.setfunctions.cuts",
    "GraphCutFeatures": "rankcut.estimators.graph_cut",
    "GraphCutKernel": "rankcut.estimators.kernel_objects",
    "GraphSmoothing": "rankcut.estimators.smoothing",
    "HypergraphCut": "rankcut.setfunctions.cuts",
    "ItemGraph": "rankcut.graphs.item_graph",
    "KendallFeatures": "rankcut.estimators.pair_features",
    "KendallKernel": "rankcut.estimators.kernel_objects",
    "LowRankGraph": "rankcut.graphs.low_rank",
    "MajorantCone": "rankcut.theory.cones",
    "MallowsKernel": "rankcut.estimators.kernel_objects",
    "Modular": "rankcut.setfunctions.families",
    "Multiple": "rankcut.setfunctions.combined",
    "NeighborGraph": "rankcut.graphs.recipes",
    "NormalizedGraph": "rankcut.graphs.derived",
    "RankingClassifier": "rankcut.estimators.ranking_classifier",
    "RankingFileError": "rankcut.errors",
    "RankingSet": "rankcut.ranking_set",
    "SetFunction": "rankcut.setfunctions.base",
    "SimilarRankings": "rankcut.estimators.similar_rankings",
    "SimilarityGraph": "rankcut.graphs.recipes",
    "SpearmanKernel": "rankcut.estimators.kernel_objects",
    "SubmodularFeatures": "rankcut.estimators.submodular",
    "SumOfFunctions": "rankcut.setfunctions.combined",
    "TangentCone": "rankcut.theory.cones",
    "TasteFeatures": "rankcut.estimators.taste",
    "WeightedKendallFeatures": "rankcut.estimators.pair_features",
    "WeightedKendallKernel": "rankcut.estimators.kernel_objects",
    "check_submodular": "rankcut.setfunctions.submodularity",
    "compare_groups": "rankcut.comparison.groups",
    "diffusion_kernel": "rankcut.kernels.diffusion",
    "from_frame": "rankcut.files.formats",
    "from_long": "rankcut.long_tables",
    "from_orders": "rankcut.orders",
    "from_ratings": "rankcut.ratings",
    "gaussian_kernel": "rankcut.kernels.gaussian",
    "graph_cut_features": "rankcut.features.graph_cut",
    "graph_cut_kernel": "rankcut.kernels.graph_cut",
    "independence_test": "rankcut.comparison.independence",
    "kendall_features": "rankcut.kernels.kendall",
    "kendall_kernel": "rankcut.kernels.kendall",
    "load_lunch": "rankcut.datasets.lunch",
    "load_movielens": "rankcut.datasets.movielens",
    "load_preflib": "rankcut.datasets.downloads",
    "load_sushi": "rankcut.datasets.sushi",
    "lovasz_bregman_divergence": "rankcut.kernels.lovasz_bregman",
    "lovasz_extension": "rankcut.theory.lovasz",
    "lovasz_subgradient": "rankcut.theory.lovasz",
    "make_food": "rankcut.datasets.food",
    "make_mallows": "rankcut.datasets.ranking_models",
    "make_plackett_luce": "rankcut.datasets.ranking_models",
    "mallows_kernel": "rankcut.kernels.mallows",
    "median_lambda": "rankcut.kernels.mallows",
    "ordered_partitions": "rankcut.theory.cones",
    "read_file": "rankcut.files.formats",
    "read_graph": "rankcut.files.graph_files",
    "read_items": "rankcut.files.item_tables",
    "scan_file": "rankcut.files.formats",
    "spearman_kernel": "rankcut.kernels.spearman",
    "to_frame": "rankcut.files.formats",
    "to_orders": "rankcut.orders",
    "to_ranking": "rankcut.consensus.decoding",
    "weighted_kendall_features": "rankcut.kernels.weighted_kendall",
    "weighted_kendall_kernel": "rankcut.kernels.weighted_kendall",
    "write_file": "rankcut.files.formats",
    "write_graph": "rankcut.files.graph_files",
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
