"""Estimators: what plugs into scikit-learn."""

from rankcut.estimators.consensus import Consensus
from rankcut.estimators.gp import GPClassifier, GPRegressor
from rankcut.estimators.graph_cut import GraphCutFeatures
from rankcut.estimators.graph_cut_kernel import GraphCutKernel
from rankcut.estimators.kernel_objects import (
    DiffusionKernel,
    KendallKernel,
    MallowsKernel,
    RBOKernel,
    SpearmanKernel,
    WeightedKendallKernel,
)
from rankcut.estimators.likeness import LikenessFeatures
from rankcut.estimators.pair_features import KendallFeatures, WeightedKendallFeatures
from rankcut.estimators.radial_kernels import GaussianKernel, LaplaceKernel
from rankcut.estimators.ranking_classifier import RankingClassifier
from rankcut.estimators.ranking_clusters import RankingClusters
from rankcut.estimators.ranking_completer import RankingCompleter
from rankcut.estimators.ranking_regressor import RankingRegressor
from rankcut.estimators.rating_features import RatingFeatures, RatingKernel
from rankcut.estimators.similar_rankings import SimilarRankings
from rankcut.estimators.smoothing import GraphSmoothing
from rankcut.estimators.submodular import SubmodularFeatures

__all__ = [
    "Consensus",
    "DiffusionKernel",
    "GPClassifier",
    "GPRegressor",
    "GaussianKernel",
    "GraphCutFeatures",
    "GraphCutKernel",
    "GraphSmoothing",
    "KendallFeatures",
    "KendallKernel",
    "LaplaceKernel",
    "LikenessFeatures",
    "MallowsKernel",
    "RBOKernel",
    "RankingClassifier",
    "RankingClusters",
    "RankingCompleter",
    "RankingRegressor",
    "RatingFeatures",
    "RatingKernel",
    "SimilarRankings",
    "SpearmanKernel",
    "SubmodularFeatures",
    "WeightedKendallFeatures",
    "WeightedKendallKernel",
]
