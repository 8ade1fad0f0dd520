# The estimators and their homes, which __init__.py loads when they are first used.

from rankcut.estimators.consensus import Consensus as Consensus
from rankcut.estimators.gp.classifier import GPClassifier as GPClassifier
from rankcut.estimators.gp.regressor import GPRegressor as GPRegressor
from rankcut.estimators.graph_cut import GraphCutFeatures as GraphCutFeatures
from rankcut.estimators.graph_cut_kernel import GraphCutKernel as GraphCutKernel
from rankcut.estimators.kernel_objects import DiffusionKernel as DiffusionKernel
from rankcut.estimators.kernel_objects import GaussianKernel as GaussianKernel
from rankcut.estimators.kernel_objects import KendallKernel as KendallKernel
from rankcut.estimators.kernel_objects import LaplaceKernel as LaplaceKernel
from rankcut.estimators.kernel_objects import MallowsKernel as MallowsKernel
from rankcut.estimators.kernel_objects import RBOKernel as RBOKernel
from rankcut.estimators.kernel_objects import SpearmanKernel as SpearmanKernel
from rankcut.estimators.kernel_objects import WeightedKendallKernel as WeightedKendallKernel
from rankcut.estimators.likeness import LikenessFeatures as LikenessFeatures
from rankcut.estimators.pair_features import KendallFeatures as KendallFeatures
from rankcut.estimators.pair_features import WeightedKendallFeatures as WeightedKendallFeatures
from rankcut.estimators.ranking_classifier import RankingClassifier as RankingClassifier
from rankcut.estimators.ranking_clusters import RankingClusters as RankingClusters
from rankcut.estimators.ranking_completer import RankingCompleter as RankingCompleter
from rankcut.estimators.ranking_regressor import RankingRegressor as RankingRegressor
from rankcut.estimators.rating_features import RatingFeatures as RatingFeatures
from rankcut.estimators.rating_features import RatingKernel as RatingKernel
from rankcut.estimators.similar_rankings import SimilarRankings as SimilarRankings
from rankcut.estimators.smoothing import GraphSmoothing as GraphSmoothing
from rankcut.estimators.submodular import SubmodularFeatures as SubmodularFeatures
from rankcut.estimators.view_features import ViewFeatures as ViewFeatures

__all__: list[str]
