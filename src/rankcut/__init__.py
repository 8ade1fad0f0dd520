"""Learn from rankings of any kind: full orders, top-k lists, ties, incomplete orders.

A graph over the items turns a ranking into a short vector, its graph cut features; vectors plug
into scikit-learn. The names that most people use are here. The rest is in packages:
:mod:`~rankcut.datasets`, :mod:`~rankcut.graphs`, :mod:`~rankcut.kernels` and others, which
``__init__.pyi`` lists. A name is loaded when it is first used, so ``import rankcut`` is quick.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.1.0"

# From each public name to the module it is imported from.
_HOMES = {
    alias.name: statement.module
    for statement in ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    if isinstance(statement, ast.ImportFrom) and statement.module is not None
    for alias in statement.names
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rankcut' has no attribute {name!r}")
    home = _HOMES[name]
    is_room = home == "rankcut"
    value = import_module(f"rankcut.{name}") if is_room else getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
