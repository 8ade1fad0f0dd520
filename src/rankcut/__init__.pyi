# The public names and their homes: the only list of them. __init__.py reads it to load each name
# when it is first used, type checkers and editors read it as it is.

from rankcut import dask as dask
from rankcut import datasets as datasets
from rankcut import estimators as estimators
from rankcut import features as features
from rankcut import files as files
from rankcut import graphs as graphs
from rankcut import kernels as kernels
from rankcut import label_ranking as label_ranking
from rankcut import pictures as pictures
from rankcut import setfunctions as setfunctions
from rankcut import theory as theory
from rankcut.comparison.group_differences import compare_groups as compare_groups
from rankcut.comparison.independence import independence_test as independence_test
from rankcut.comparison.kernel_evidence import compare_kernels as compare_kernels
from rankcut.consensus.decoding import to_ranking as to_ranking
from rankcut.datasets.food import make_food as make_food
from rankcut.datasets.ranking_models import make_mallows as make_mallows
from rankcut.datasets.ranking_models import make_plackett_luce as make_plackett_luce
from rankcut.estimators.consensus import Consensus as Consensus
from rankcut.estimators.gp.classifier import GPClassifier as GPClassifier
from rankcut.estimators.gp.regressor import GPRegressor as GPRegressor
from rankcut.estimators.graph_cut import GraphCutFeatures as GraphCutFeatures
from rankcut.estimators.graph_cut_kernel import GraphCutKernel as GraphCutKernel
from rankcut.estimators.kernel_objects import KendallKernel as KendallKernel
from rankcut.estimators.kernel_objects import MallowsKernel as MallowsKernel
from rankcut.estimators.kernel_objects import RBOKernel as RBOKernel
from rankcut.estimators.ranking_classifier import RankingClassifier as RankingClassifier
from rankcut.estimators.ranking_clusters import RankingClusters as RankingClusters
from rankcut.estimators.ranking_completer import RankingCompleter as RankingCompleter
from rankcut.estimators.ranking_regressor import RankingRegressor as RankingRegressor
from rankcut.estimators.rating_features import RatingFeatures as RatingFeatures
from rankcut.estimators.similar_rankings import SimilarRankings as SimilarRankings
from rankcut.estimators.submodular import SubmodularFeatures as SubmodularFeatures
from rankcut.estimators.view_features import ViewFeatures as ViewFeatures
from rankcut.explanation.effects import explain as explain
from rankcut.explanation.importance import covariate_importance as covariate_importance
from rankcut.features.completions import Completions as Completions
from rankcut.features.graph_cut import graph_cut_features as graph_cut_features
from rankcut.features.smoothing import Smoothing as Smoothing
from rankcut.files.feature_tables import read_items as read_items
from rankcut.files.formats import read_file as read_file
from rankcut.files.formats import write_file as write_file
from rankcut.graphs.derived import DissimilarityGraph as DissimilarityGraph
from rankcut.graphs.item_graph import ItemGraph as ItemGraph
from rankcut.graphs.learned import AgreementGraph as AgreementGraph
from rankcut.graphs.learned import CoListingGraph as CoListingGraph
from rankcut.graphs.recipes import NeighborGraph as NeighborGraph
from rankcut.graphs.recipes import SimilarityGraph as SimilarityGraph
from rankcut.kernels.graph_cut import graph_cut_kernel as graph_cut_kernel
from rankcut.kernels.overlap import rbo_kernel as rbo_kernel
from rankcut.long_tables import from_long as from_long
from rankcut.orders import from_orders as from_orders
from rankcut.orders import to_orders as to_orders
from rankcut.pictures.consensus import plot_consensus as plot_consensus
from rankcut.pictures.graph_figure import plot_graph as plot_graph
from rankcut.pictures.map_figure import plot_map as plot_map
from rankcut.pictures.polytope_figure import plot_polytope as plot_polytope
from rankcut.pictures.ranking_report import report as report
from rankcut.ranking_set import RankingSet as RankingSet
from rankcut.ratings import from_ratings as from_ratings

__version__: str
__all__: list[str]
