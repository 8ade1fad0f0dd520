"""Estimators: what plugs into scikit-learn."""

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
from rankcut.estimators.submodular import SubmodularFeatures

__all__ = [
    "DiffusionKernel",
    "GPClassifier",
    "GraphCutFeatures",
    "GraphCutKernel",
    "KendallFeatures",
    "KendallKernel",
    "MallowsKernel",
    "RankingClassifier",
    "RankingNeighbors",
    "SpearmanKernel",
    "SubmodularFeatures",
    "WeightedKendallFeatures",
    "WeightedKendallKernel",
]
