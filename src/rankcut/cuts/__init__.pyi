# The names of this package and their homes, which __init__.py loads when they are first used.

from rankcut.cuts.completions import CompletionReport as CompletionReport
from rankcut.cuts.completions import all_completions as all_completions
from rankcut.cuts.cut_functions import Algorithm as Algorithm
from rankcut.cuts.cut_functions import GraphCut as GraphCut
from rankcut.cuts.cut_functions import fastest_algorithm as fastest_algorithm
from rankcut.cuts.families import ConcaveOfCardinality as ConcaveOfCardinality
from rankcut.cuts.families import Coverage as Coverage
from rankcut.cuts.families import Entropy as Entropy
from rankcut.cuts.families import FromCallable as FromCallable
from rankcut.cuts.families import GaussianEntropy as GaussianEntropy
from rankcut.cuts.families import Modular as Modular
from rankcut.cuts.feature_map import FeatureMap as FeatureMap
from rankcut.cuts.feature_map import graph_cut_features as graph_cut_features
from rankcut.cuts.offset_rows import JoinedRows as JoinedRows
from rankcut.cuts.offset_rows import OffsetRows as OffsetRows
from rankcut.cuts.offset_rows import UncentredRows as UncentredRows
from rankcut.cuts.options import Completions as Completions
from rankcut.cuts.options import MapOptions as MapOptions
from rankcut.cuts.options import Smoothing as Smoothing
from rankcut.cuts.rating_features import RatingFeatures as RatingFeatures
from rankcut.cuts.set_function import Complement as Complement
from rankcut.cuts.set_function import Multiple as Multiple
from rankcut.cuts.set_function import SetFunction as SetFunction
from rankcut.cuts.set_function import SumOfFunctions as SumOfFunctions
from rankcut.cuts.submodularity import check_submodular as check_submodular
from rankcut.cuts.transformers import GraphCutFeatures as GraphCutFeatures
from rankcut.cuts.transformers import SubmodularFeatures as SubmodularFeatures

__all__: list[str]
