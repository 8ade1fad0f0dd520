"""Kernels between rankings, as functions: one module for each."""

from rankcut.kernels.diffusion import diffusion_kernel
from rankcut.kernels.graph_cut import graph_cut_kernel
from rankcut.kernels.kendall import kendall_features, kendall_kernel
from rankcut.kernels.lovasz_bregman import lovasz_bregman_divergence
from rankcut.kernels.mallows import mallows_kernel, median_lambda
from rankcut.kernels.overlap import rbo_kernel
from rankcut.kernels.radial import gaussian_kernel, laplace_kernel
from rankcut.kernels.spearman import spearman_kernel
from rankcut.kernels.weighted_kendall import weighted_kendall_features, weighted_kendall_kernel

__all__ = [
    "diffusion_kernel",
    "gaussian_kernel",
    "graph_cut_kernel",
    "kendall_features",
    "kendall_kernel",
    "laplace_kernel",
    "lovasz_bregman_divergence",
    "mallows_kernel",
    "median_lambda",
    "rbo_kernel",
    "spearman_kernel",
    "weighted_kendall_features",
    "weighted_kendall_kernel",
]
