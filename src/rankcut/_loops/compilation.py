"""How a loop is compiled: lazily, cached on disk, without the interpreter's lock.

The plain Python function stays reachable as ``loop.py_func``: tests run it as an oracle for the
machine code.
"""

from collections.abc import Callable
from typing import TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile ``function`` at its first call; threads may run it side by side."""
    loop: Function = njit(cache=True, nogil=True, error_model="numpy")(function)
    return loop
