"""Kernels between rankings: called with rank matrices, and passed to scikit-learn."""

from rankcut.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
