"""Learn from rankings of any kind: full orders, top-k lists, ties, incomplete orders.

A graph over the items turns a ranking into a short vector, its graph cut features; vectors plug
into scikit-learn. The names that most people use are here. The rest is in packages:
:mod:`~rankcut.datasets`, :mod:`~rankcut.graphs`, :mod:`~rankcut.kernels` and others, which
``__init__.pyi`` lists. A name is loaded when it is first used, so ``import rankcut`` is quick.
"""

from rankcut.public_names import lazy_names

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
