"""Compile loops at their first call, with a cache on disk and without the interpreter lock.

Numba takes long to import, so it is imported at the first call of any loop. The plain Python
function stays available as ``loop.py_func``; tests use it as an oracle for the machine code.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, partial, update_wrapper
from threading import Lock
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., object])

_making = Lock()
_plain = False


def compiled(function: Function) -> Function:
    """Compile ``function`` at its first call; threads may run it in parallel.

    If no directory is writable, as in a container without a home, each process compiles it again.
    """
    return cast(Function, _Loop(function))


@contextmanager
def plain_loops() -> Iterator[None]:
    """Run loops that are not yet compiled as plain Python, within a ``with`` statement.

    For little data, this is faster than importing Numba. It holds for all threads.
    """
    global _plain
    before, _plain = _plain, True
    try:
        yield
    finally:
        _plain = before


class _Loop:
    """A function, and its machine code once that is needed."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.py_func = function
        self._code: Any = None
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        if self._code is None:
            if _plain:
                return self.py_func(*arguments)
            self._compile()
        return self._code(*arguments)

    def _compile(self) -> Any:
        with _making:
            if self._code is None:
                self._code = _compile(self.py_func)
        return self._code

    @property
    def _numba_type_(self) -> Any:
        # Numba asks for it where another loop calls this one.
        return self._compile()._numba_type_

    @property
    def signatures(self) -> list[Any]:
        """The argument types that have been compiled."""
        return [] if self._code is None else list(self._code.signatures)

    def __reduce__(self) -> str:
        return str(self.py_func.__qualname__)


class Instruction:
    """A function that loops call: plain Python, or an instruction of LLVM's.

    ``define`` takes the types of the arguments, and returns a signature and what generates code.
    """

    def __init__(self, function: Callable[..., object], define: Callable[..., object]) -> None:
        self._function = function
        self._define = define

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    @cached_property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target
        from numba.extending import intrinsic

        instruction = intrinsic(self._define)
        context = cpu_target.typing_context
        context.refresh()
        return context.resolve_value_type(instruction)


def _ignore() -> None:
    pass


def _define_wide_vectors(typing_context: Any) -> Any:
    from numba.core import types

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        attributes = builder.function.attributes
        # Not inlined, because the attribute belongs to the whole function. LLVM knows more
        # attributes than llvmlite, which refuses this one unless it is added as to any set.
        attributes.add("noinline")
        set.add(attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.none(), generate


def _choose(condition: bool, first: float, second: float) -> float:
    return first if condition else second


def _define_choose(typing_context: Any, condition: Any, first: Any, second: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(*arguments)

    return first(condition, first, first), generate


def _prefetch(table: Any, row: int) -> None:
    pass


def _define_prefetch(typing_context: Any, table: Any, row: Any) -> Any:
    from llvmlite import ir
    from numba.core import cgutils, types

    if table.layout != "C":
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rows = context.make_array(table)(context, builder, arguments[0])
        height, width = cgutils.unpack_tuple(builder, rows.shape)
        size, pointer, flag = ir.IntType(64), ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
        hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        # To be read, into the nearest cache, as data.
        how = [flag(0), flag(3), flag(1)]
        number = context.cast(builder, arguments[1], row, types.int64)
        there = builder.icmp_signed("<", number, height)
        start = builder.mul(number, width)
        stop = builder.add(start, builder.select(there, width, size(0)))
        line = size(512 // table.dtype.bitwidth)
        with cgutils.for_range_slice(builder, start, stop, line, size) as (at, _):
            builder.call(hint, [builder.bitcast(builder.gep(rows.data, [at]), pointer), *how])
        return context.get_dummy_value()

    return types.none(table, row), generate


# ``wide_vectors()`` lets a loop use the widest vectors that the processor has. For Intel's, LLVM
# takes vectors of half that width otherwise.
wide_vectors = Instruction(_ignore, _define_wide_vectors)

# ``choose(condition, first, second)`` is one of two numbers, both computed, without a branch.
choose = Instruction(_choose, _define_choose)

# ``prefetch(table, row)`` asks the processor for a row that a loop will need soon, if there is one.
# In loops that compute much for each row, processors do not foresee it. AHEAD rows are enough.
prefetch = Instruction(_prefetch, _define_prefetch)
AHEAD = 8


def _compile(function: Callable[..., object]) -> Any:
    # Nothing calls loops from C; a wrapper for that takes a tenth of the time to compile.
    options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    try:
        code = _njit()(cache=True, **options)(function)
    except RuntimeError:
        # Numba finds no place for its cache.
        warn_of_no_cache()
        return _njit()(**options)(function)
    # With NUMBA_DISABLE_JIT there is no cache.
    if (cached := getattr(code, "_cache", None)) is not None:
        cached.load_overload = partial(_load, cached)
    return code


def _load(cache: Any, signature: Any, context: Any) -> Any:
    """Machine code from the cache, or None, without all that Numba loads to compile.

    Numba imports what it knows of Python and NumPy first, which takes as long as importing Numba
    itself. Only compiling needs it, and asks for it. Its runtime, which allocates arrays, is enough
    here. Whatever goes wrong, Numba's own way is right.
    """
    try:
        from numba.core.runtime import rtsys

        rtsys.initialize(context)
        return cache._load_overload(signature, context)
    except Exception:
        return type(cache).load_overload(cache, signature, context)


def _njit() -> Any:
    from numba import njit

    return njit


@cache
def warn_of_no_cache() -> None:
    """Say once how to get a cache."""
    # Explicitly, because a line of source would only be a second line of the message.
    warnings.warn_explicit(
        "there is no writable directory for compiled code, so each process compiles it again; "
        "set NUMBA_CACHE_DIR to a writable directory",
        RuntimeWarning,
        "rankcut",
        1,
    )
