"""The page about a set of rankings, made of the answers' own words and figures."""

from rankcut.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
