"""How loops are compiled: at their first call, with a cache on disk, without the interpreter lock.

The plain Python function of a loop is ``loop.py_func``; tests use it as an oracle.
"""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile ``function`` at its first call; threads may run it in parallel."""
    return _compile(function)


def compiled_in_any_order(function: Function) -> Function:
    """Compile a sum whose terms may be added in any order, so that it is made of vectors.

    The order depends on the processor and on the number of terms, but on nothing else.
    """
    return _compile(function, fastmath={"reassoc"})


def _compile(function: Function, **options: Any) -> Function:
    options |= {"nogil": True, "error_model": "numpy"}
    try:
        return cast(Function, njit(cache=True, **options)(function))
    except RuntimeError:
        # Numba finds no place for its cache, as in a container without a home.
        _warn_of_no_cache()
        return cast(Function, njit(**options)(function))


@cache
def _warn_of_no_cache() -> None:
    # Explicitly, because a line of source would only be a second line of the message.
    warnings.warn_explicit(
        "there is no writable directory for compiled code, so each process compiles it again; "
        "set NUMBA_CACHE_DIR to a writable directory",
        RuntimeWarning,
        "rankcut",
        1,
    )
