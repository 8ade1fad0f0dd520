"""When loops are compiled, and where there is no place for a cache."""

import os
import pickle
import platform
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import rankcut
from rankcut._loops import compilation


def double(number):
    return 2 * number


def test_without_a_place_for_the_cache_loops_are_compiled_all_the_same(monkeypatch):
    given = []

    def refuse_cache(**options):
        given.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function 'double': no locator available")
        return lambda function: function

    monkeypatch.setattr(compilation, "_njit", lambda: refuse_cache)
    compilation.warn_of_no_cache.cache_clear()
    with pytest.warns(RuntimeWarning, match="set NUMBA_CACHE_DIR to a writable directory"):
        assert compilation.compiled(double)(4) == 8
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compilation.compiled(double)(4) == 8
    compilation.warn_of_no_cache.cache_clear()
    assert [options.get("cache", False) for options in given] == [True, False, True, False]
    assert all(options["nogil"] for options in given)


@compilation.compiled
def quadruple(number):
    return doubled(doubled(number))


@compilation.compiled
def doubled(number):
    return 2 * number


def widely(number):
    compilation.wide_vectors()
    return 2 * number


def test_a_loop_may_use_wide_vectors():
    assert widely(2) == 4
    code = compilation.compiled(widely)._compile()
    assert code(2) == 4
    own = numba.njit(widely)
    assert own(2) == 4
    (assembly,) = own.inspect_llvm().values()
    assert '"prefer-vector-width"="512"' in assembly
    # Within another function, that one's width would hold.
    assert "noinline" in assembly


def larger(first, second):
    return compilation.choose(first > second, first, second)


def test_a_choice_without_a_branch():
    code = compilation.compiled(larger)._compile()
    for first, second in [(1.5, 2.5), (2.5, 1.5), (0.0, np.nan), (np.nan, 0.0)]:
        expected = first if first > second else second
        assert_array_equal(larger(first, second), expected)
        assert_array_equal(code(first, second), expected)


def total(table):
    found = 0.0
    for row in range(table.shape[0]):
        compilation.prefetch(table, row + 2)
        for column in range(table.shape[1]):
            found += table[row, column]
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_is_asked_for_in_time(dtype):
    table = np.arange(35.0, dtype=dtype).reshape(5, 7)
    own = numba.njit(total)
    assert total(table) == own(table) == compilation.compiled(total)(table) == 595.0
    (assembly,) = own.inspect_asm().values()
    assert "prefetch" in assembly or platform.machine() not in ("x86_64", "AMD64")


def test_a_loop_is_plain_or_compiled():
    with compilation.plain_loops():
        # Machine code has no integers as large as this.
        assert quadruple(2**70) == 2**72
    assert quadruple(3) == 12
    assert quadruple.signatures
    assert pickle.loads(pickle.dumps(quadruple)) is quadruple


@pytest.mark.parametrize("broken", [False, True])
def test_cached_loops_are_loaded_without_what_only_compiling_needs(monkeypatch, tmp_path, broken):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    kept = compilation.compiled(double)
    assert kept(4) == 8
    refreshed = []
    refresh = type(kept._code.targetctx).refresh

    def watch(context):
        refreshed.append(context)
        refresh(context)

    monkeypatch.setattr(type(kept._code.targetctx), "refresh", watch)
    if broken:
        # Another version of Numba may name its parts otherwise; then its own way is taken.
        monkeypatch.setattr("numba.core.runtime.rtsys", None)
    again = compilation.compiled(double)
    assert again(4) == 8
    assert sum(again._code.stats.cache_hits.values()) == 1
    assert bool(refreshed) == broken


@pytest.mark.slow
def test_a_package_without_any_writable_directory(tmp_path):
    # Permissions do not bind root, but a file where a directory is needed does.
    package = tmp_path / "rankcut"
    shutil.copytree(Path(rankcut.__file__).parent, package, ignore=lambda *_: ["__pycache__"])
    (package / "_loops" / "__pycache__").touch()
    nowhere = str(package / "__init__.py" / "cache")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    places = {"HOME": nowhere, "XDG_CACHE_HOME": nowhere, "PYTHONPATH": str(tmp_path)}
    code = (
        "import numpy as np, rankcut\n"
        "from rankcut._loops import pairs, slopes\n"
        "from rankcut._loops.linear_algebra import multiply_rows\n"
        "out = np.empty((1, 2))\n"
        "multiply_rows(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [5.0, 6.0]]), out)\n"
        "print(out.tolist(), len(multiply_rows.signatures), rankcut.__file__)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], env=kept | places, capture_output=True, text=True, check=True
    )
    assert shown.stdout == f"[[13.0, 16.0]] 1 {package / '__init__.py'}\n"
    (line,) = shown.stderr.splitlines()
    assert "set NUMBA_CACHE_DIR to a writable directory" in line
