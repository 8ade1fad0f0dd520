"""Estimators: what plugs into scikit-learn.

``__init__.pyi`` lists them; each is loaded when it is first used.
"""

from typing import Any

from rankcut.public_names import homes_beside, load

_HOMES = homes_beside(__file__)

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    value = globals()[name] = load(name, _HOMES, __name__)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
