# The names of this package and their homes, which __init__.py loads when they are first used.

from rankcut.kernels.diffusion import DiffusionKernel as DiffusionKernel
from rankcut.kernels.graph_cut import GraphCutKernel as GraphCutKernel
from rankcut.kernels.graph_cut import SpearmanKernel as SpearmanKernel
from rankcut.kernels.graph_cut import lovasz_bregman_divergence as lovasz_bregman_divergence
from rankcut.kernels.kendall import GaussianKernel as GaussianKernel
from rankcut.kernels.kendall import KendallFeatures as KendallFeatures
from rankcut.kernels.kendall import KendallKernel as KendallKernel
from rankcut.kernels.lists import RBOKernel as RBOKernel
from rankcut.kernels.mallows import MallowsKernel as MallowsKernel
from rankcut.kernels.mallows import median_lambda as median_lambda
from rankcut.kernels.weighted_kendall import WeightedKendallKernel as WeightedKendallKernel

__all__: list[str]
