"""Pictures drawn with Matplotlib, and pages that need no other library."""

from rankcut.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
