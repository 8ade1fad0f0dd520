"""Kernels between rankings, as functions: one module for each."""

from rankcut.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
