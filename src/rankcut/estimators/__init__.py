"""Estimators: what plugs into scikit-learn."""

from rankcut.estimators.consensus import Consensus
from rankcut.estimators.gaussian_kernel import GaussianKernel
from rankcut.estimators.gp import GPClassifier
from rankcut.estimators.graph_cut import GraphCutFeatures
from rankcut.estimators.kernel_objects import (
    DiffusionKernel,
    GraphCutKernel,
    KendallKernel,
    MallowsKernel,
    SpearmanKernel,
    WeightedKendallKernel,
)
from rankcut.estimators.pair_features import KendallFeatures, WeightedKendallFeatures
from rankcut.estimators.ranking_classifier import RankingClassifier
from rankcut.estimators.ranking_clusters import RankingClusters
from rankcut.estimators.similar_rankings import SimilarRankings
from rankcut.estimators.smoothing import GraphSmoothing
from rankcut.estimators.submodular import SubmodularFeatures
from rankcut.estimators.taste import TasteFeatures

__all__ = [
    "Consensus",
    "DiffusionKernel",
    "GPClassifier",
    "GaussianKernel",
    "GraphCutFeatures",
    "GraphCutKernel",
    "GraphSmoothing",
    "KendallFeatures",
    "KendallKernel",
    "MallowsKernel",
    "RankingClassifier",
    "RankingClusters",
    "SimilarRankings",
    "SpearmanKernel",
    "SubmodularFeatures",
    "TasteFeatures",
    "WeightedKendallFeatures",
    "WeightedKendallKernel",
]
