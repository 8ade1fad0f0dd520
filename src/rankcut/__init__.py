"""Learn from rankings of any kind: full orders, top-k lists, ties, incomplete orders.

A graph over the items turns a ranking into a short vector, its graph cut features; vectors plug
into scikit-learn. The names that most people use are here. The rest is in packages:
:mod:`~rankcut.datasets`, :mod:`~rankcut.graphs`, :mod:`~rankcut.kernels` and others, which
``__init__.pyi`` lists. A name is loaded when it is first used, so ``import rankcut`` is quick.
"""

from typing import Any

from rankcut.public_names import homes_beside, load

__version__ = "0.1.0"

_HOMES = homes_beside(__file__)

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    value = globals()[name] = load(name, _HOMES, __name__)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
