"""How a loop is compiled: lazily, cached on disk, without the interpreter's lock.

The plain Python function stays reachable as ``loop.py_func``: tests run it as an oracle for the
machine code.
"""

import warnings
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile ``function`` at its first call; threads may run it side by side.

    Where no directory is writable, such as in a container without a home, it is compiled in each
    process.
    """
    options = {"nogil": True, "error_model": "numpy"}
    try:
        loop: Function = njit(cache=True, **options)(function)
    except RuntimeError:
        # Numba finds no place for its cache.
        warn_of_no_cache()
        loop = njit(**options)(function)
    return loop


@cache
def warn_of_no_cache() -> None:
    """Say once how to have a cache."""
    # Explicitly, since no line of source helps: it would be a second line of the message.
    warnings.warn_explicit(
        "there is no writable directory for compiled code, so each process compiles it again; "
        "set NUMBA_CACHE_DIR to a writable directory",
        RuntimeWarning,
        "rankcut",
        1,
    )
