# The public names and their homes: the only list of them. __init__.py reads it to load each name
# when it is first used, type checkers and editors read it as it is.

from rankcut import cuts as cuts
from rankcut import dask as dask
from rankcut import datasets as datasets
from rankcut import files as files
from rankcut import graphs as graphs
from rankcut import kernels as kernels
from rankcut import label_ranking as label_ranking
from rankcut import leaderboard as leaderboard
from rankcut import maps as maps
from rankcut import report as report
from rankcut import results as results
from rankcut import similar as similar
from rankcut import strengths as strengths
from rankcut import theory as theory
from rankcut import utilities as utilities
from rankcut.blocs.estimator import RankingBlocs as RankingBlocs
from rankcut.comparison.group_differences import compare_groups as compare_groups
from rankcut.completion.estimator import RankingCompleter as RankingCompleter
from rankcut.consensus.estimator import Consensus as Consensus
from rankcut.consensus.result import GroupedConsensus as GroupedConsensus
from rankcut.cuts.feature_map import graph_cut_features as graph_cut_features
from rankcut.cuts.options import Completions as Completions
from rankcut.cuts.options import Smoothing as Smoothing
from rankcut.cuts.rating_features import RatingFeatures as RatingFeatures
from rankcut.cuts.transformers import GraphCutFeatures as GraphCutFeatures
from rankcut.cuts.transformers import SubmodularFeatures as SubmodularFeatures
from rankcut.datasets.made_up import make_food as make_food
from rankcut.datasets.made_up import make_mallows as make_mallows
from rankcut.datasets.made_up import make_plackett_luce as make_plackett_luce
from rankcut.files.feature_tables import read_items as read_items
from rankcut.files.formats import from_frame as from_frame
from rankcut.files.formats import read_file as read_file
from rankcut.files.formats import to_frame as to_frame
from rankcut.files.formats import write_file as write_file
from rankcut.gp.classifier import GPClassifier as GPClassifier
from rankcut.gp.regressor import GPRegressor as GPRegressor
from rankcut.graphs.item_graph import ItemGraph as ItemGraph
from rankcut.graphs.learned import AgreementGraph as AgreementGraph
from rankcut.graphs.learned import CoListingGraph as CoListingGraph
from rankcut.graphs.recipes import DissimilarityGraph as DissimilarityGraph
from rankcut.graphs.recipes import NeighborGraph as NeighborGraph
from rankcut.graphs.recipes import SimilarityGraph as SimilarityGraph
from rankcut.kernels.graph_cut import GraphCutKernel as GraphCutKernel
from rankcut.kernels.kendall import KendallKernel as KendallKernel
from rankcut.kernels.mallows import MallowsKernel as MallowsKernel
from rankcut.label_ranking.estimator import RankingRegressor as RankingRegressor
from rankcut.leaderboard.estimator import Leaderboard as Leaderboard
from rankcut.ranking_regression.estimator import BradleyTerry as BradleyTerry
from rankcut.ranking_regression.estimator import PlackettLuce as PlackettLuce
from rankcut.ranking_regression.estimator import StrengthRegression as StrengthRegression
from rankcut.rankings.orders import from_orders as from_orders
from rankcut.rankings.orders import to_orders as to_orders
from rankcut.rankings.orders import to_ranking as to_ranking
from rankcut.rankings.ranking_set import RankingSet as RankingSet
from rankcut.rankings.ratings import from_long as from_long
from rankcut.rankings.ratings import from_ratings as from_ratings
from rankcut.regression.effects import explain as explain
from rankcut.regression.estimators import RankingClassifier as RankingClassifier
from rankcut.regression.estimators import ViewFeatures as ViewFeatures
from rankcut.similar.estimator import SimilarRankings as SimilarRankings
from rankcut.utilities.conjoint import Conjoint as Conjoint
from rankcut.utilities.estimator import Utilities as Utilities

__version__: str
__all__: list[str]
