"""How loops are compiled: at their first call, with a cache on disk, without the interpreter lock.

The plain Python function of a loop is ``loop.py_func``; tests use it as an oracle.
"""

import importlib.util
import inspect
import os
import pickle
import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile ``function`` at its first call; threads may run it in parallel."""
    return _compile(function)


def compiled_in_any_order(function: Function) -> Function:
    """The same for a sum whose terms may be added in any order, so that it is made of vectors.

    The order depends on the processor and on the number of terms, but on nothing else.
    """
    return _compile(function, fastmath={"reassoc"})


def _compile(function: Function, **options: Any) -> Function:
    options |= {"nogil": True, "error_model": "numpy"}
    try:
        loop: Any = njit(cache=True, **options)(function)
        _drop_unreadable(function, Path(loop.stats.cache_path))
        return cast(Function, loop)
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


def _drop_unreadable(function: Callable[..., object], folder: Path) -> None:
    """Delete the cached code of a loop that Numba could not read, so that it compiles it again.

    Numba notices when the file of the loop itself has changed, but not that a cache file is cut
    off, nor that a named tuple which the loop takes has changed in another file.
    """
    name = f"{Path(inspect.getfile(function)).stem}.{function.__qualname__}"
    own = f"{name}-{function.__code__.co_firstlineno}."
    files = [folder / file for file in _cached_files(folder) if file.startswith(own)]
    if not all(_is_readable(file, function.__module__.partition(".")[0]) for file in files):
        for file in files:
            with suppress(OSError):
                file.unlink()


@cache
def _cached_files(folder: Path) -> list[str]:
    """The files of compiled code when the first loop of the folder is defined."""
    if not folder.is_dir():
        return []
    return [name for name in os.listdir(folder) if name.endswith((".nbi", ".nbc"))]


def _is_readable(file: Path, package: str) -> bool:
    try:
        with file.open("rb") as stream:
            written = file.stat().st_mtime
            _NamesOnly(stream, package, written).load()
            # An index is two pickles, code is one.
            if file.suffix == ".nbi":
                _NamesOnly(stream, package, written).load()
    except OSError:
        return True  # gone, or not ours to read: Numba copes, or says why not
    except Exception:
        return False
    return True


class _NamesOnly(pickle.Unpickler):
    """Reads a pickle for the names in it; nothing is imported, and nothing is called."""

    def __init__(self, stream: Any, package: str, written: float) -> None:
        super().__init__(stream)
        self._package, self._written = package, written

    def find_class(self, module: str, name: str) -> Any:
        """A stand-in; an error for a class of the package that is younger than the file."""
        if module.partition(".")[0] == self._package:
            changed, text = _source(module)
            if changed > self._written or not re.search(rf"^class {name}\b", text, re.MULTILINE):
                raise pickle.UnpicklingError(f"{module}.{name} has changed")
        return _Anything


class _Anything:
    """Stands for any object of a pickle."""

    def __init__(self, *args: Any) -> None:
        pass

    def __call__(self, *args: Any) -> "_Anything":
        return self

    def __setstate__(self, state: Any) -> None:
        pass


@cache
def _source(module: str) -> tuple[float, str]:
    """When a module was written, and its text."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return 0.0, ""
    place = Path(spec.origin)
    return place.stat().st_mtime, place.read_text(encoding="utf-8")
