# The public names and their homes: the only list of them. __init__.py reads it to load each name
# when it is first used, type checkers and editors read it as it is.

from rankcut import datasets as datasets
from rankcut import estimators as estimators
from rankcut import files as files
from rankcut import graphs as graphs
from rankcut import kernels as kernels
from rankcut import setfunctions as setfunctions
from rankcut import theory as theory
from rankcut.comparison.groups import compare_groups as compare_groups
from rankcut.comparison.independence import independence_test as independence_test
from rankcut.consensus.decoding import to_ranking as to_ranking
from rankcut.datasets.downloads import load_preflib as load_preflib
from rankcut.datasets.eurovision import load_eurovision as load_eurovision
from rankcut.datasets.food import make_food as make_food
from rankcut.datasets.lunch import load_lunch as load_lunch
from rankcut.datasets.movielens import load_movielens as load_movielens
from rankcut.datasets.ranking_models import make_mallows as make_mallows
from rankcut.datasets.ranking_models import make_plackett_luce as make_plackett_luce
from rankcut.datasets.starwars import load_starwars as load_starwars
from rankcut.datasets.sushi import load_sushi as load_sushi
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
from rankcut.estimators.ranking_classifier import RankingClassifier as RankingClassifier
from rankcut.estimators.ranking_clusters import RankingClusters as RankingClusters
from rankcut.estimators.similar_rankings import SimilarRankings as SimilarRankings
from rankcut.estimators.submodular import SubmodularFeatures as SubmodularFeatures
from rankcut.features.completions import Completions as Completions
from rankcut.features.graph_cut import graph_cut_features as graph_cut_features
from rankcut.features.smoothing import Smoothing as Smoothing
from rankcut.files.formats import read_file as read_file
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
from rankcut.kernels.graph_cut import graph_cut_kernel as graph_cut_kernel
from rankcut.long_tables import from_long as from_long
from rankcut.orders import from_orders as from_orders
from rankcut.orders import to_orders as to_orders
from rankcut.ranking_set import RankingSet as RankingSet
from rankcut.ratings import from_ratings as from_ratings

__version__: str
__all__: list[str]
