"""Dask collections: recognised without Dask, and handed over to :mod:`rankcut.dask`.

A function that can work block by block is marked with :func:`takes_collections`. What it does with
a collection stands in :mod:`rankcut.dask`, which registers it with :func:`for_collections` when it
is imported. So nothing but that package knows Dask.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from rankcut.errors import InputError

Given = ParamSpec("Given")
Found = TypeVar("Found")

_HANDLERS: dict[str, Callable[..., Any]] = {}


def is_collection(X: Any) -> bool:
    """Whether X is a Dask collection.

    >>> is_collection([[1, 2, 3]])
    False
    """
    return type(X).__module__.partition(".")[0] == "dask"


def takes_collections(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """A function or method that passes calls with a Dask collection on to :mod:`rankcut.dask`."""

    @wraps(function)
    def entry(*args: Given.args, **options: Given.kwargs) -> Found:
        if any(map(is_collection, args)) or any(map(is_collection, options.values())):
            found: Found = _handler(function)(*args, **options)
            return found
        return function(*args, **options)

    return entry


def for_collections(function: Callable[..., Any]) -> Callable[[Found], Found]:
    """Register what a function marked with :func:`takes_collections` does with collections."""

    def register(handler: Found) -> Found:
        _HANDLERS[_name(function)] = handler  # type: ignore[assignment]
        return handler

    return register


def refuse_collection(X: Any) -> None:
    """Refuse a Dask collection where rankings must be in memory."""
    if is_collection(X):
        raise InputError(
            f"these rankings are a Dask {type(X).__name__}, and must be in memory here",
            remedy="call its compute() first",
        )


def _handler(function: Callable[..., Any]) -> Callable[..., Any]:
    if not _HANDLERS:
        raise InputError(
            "got a Dask collection, for which rankcut.dask must be imported",
            remedy="import rankcut.dask",
        )
    return _HANDLERS[_name(function)]


def _name(function: Callable[..., Any]) -> str:
    """A name that stays the same when a function is wrapped, as scikit-learn wraps methods."""
    return f"{function.__module__}.{function.__qualname__}"
