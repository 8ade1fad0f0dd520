"""Leaderboards: ratings of models, players or items, and which places are real."""

from rankcut.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
