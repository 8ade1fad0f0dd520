# The names of this package and their homes, which __init__.py loads when they are first used.

from rankcut.kernels.diffusion import DiffusionKernel as DiffusionKernel
from rankcut.kernels.diffusion import diffusion_kernel as diffusion_kernel
from rankcut.kernels.graph_cut import GraphCutKernel as GraphCutKernel
from rankcut.kernels.graph_cut import SpearmanKernel as SpearmanKernel
from rankcut.kernels.graph_cut import graph_cut_kernel as graph_cut_kernel
from rankcut.kernels.graph_cut import lovasz_bregman_divergence as lovasz_bregman_divergence
from rankcut.kernels.graph_cut import spearman_kernel as spearman_kernel
from rankcut.kernels.kendall import GaussianKernel as GaussianKernel
from rankcut.kernels.kendall import KendallFeatures as KendallFeatures
from rankcut.kernels.kendall import KendallKernel as KendallKernel
from rankcut.kernels.kendall import gaussian_kernel as gaussian_kernel
from rankcut.kernels.kendall import kendall_features as kendall_features
from rankcut.kernels.kendall import kendall_kernel as kendall_kernel
from rankcut.kernels.mallows import MallowsKernel as MallowsKernel
from rankcut.kernels.mallows import mallows_kernel as mallows_kernel
from rankcut.kernels.mallows import median_lambda as median_lambda
from rankcut.kernels.overlap import RBOKernel as RBOKernel
from rankcut.kernels.overlap import rbo_kernel as rbo_kernel
from rankcut.kernels.weighted_kendall import WeightedKendallKernel as WeightedKendallKernel
from rankcut.kernels.weighted_kendall import weighted_kendall_kernel as weighted_kendall_kernel

__all__: list[str]
