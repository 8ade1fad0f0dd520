"""Kernels between rankings."""

from rankcut.kernels.graph_cut import graph_cut_kernel

__all__ = ["graph_cut_kernel"]
