"""Kernels between rankings: objects for scikit-learn, and functions for their Gram matrices."""

from rankcut.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
