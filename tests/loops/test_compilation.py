"""When loops are compiled, where there is no place for a cache, and that they stay in bounds."""

import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import rankcut
from rankcut._loops import compilation


def treble(number):
    return 3 * number


def test_without_a_place_for_the_cache_loops_are_compiled_all_the_same(monkeypatch):
    given = []

    def refuse_cache(**options):
        given.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function 'treble': no locator available")
        return lambda function: function

    monkeypatch.setattr(compilation, "njit", refuse_cache)
    compilation._warn_of_no_cache.cache_clear()
    with pytest.warns(RuntimeWarning, match="set NUMBA_CACHE_DIR to a writable directory"):
        assert compilation.compiled(treble)(4) == 12
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compilation.compiled(treble)(4) == 12
    compilation._warn_of_no_cache.cache_clear()
    assert [options.get("cache", False) for options in given] == [True, False, True, False]
    assert all(options["nogil"] for options in given)


@compilation.compiled_in_any_order
def doubled_sum(numbers):
    total = 0.0
    for number in numbers:
        total += 2.0 * number
    return total


def test_sums_in_any_order_are_those_of_the_plain_loop():
    # Whole numbers, whose sums are exact in any order.
    numbers = np.arange(101.0)
    assert doubled_sum(numbers) == doubled_sum.py_func(numbers) == 10100.0
    assert doubled_sum.signatures


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
        "from rankcut._loops import pairs, partitions\n"
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


def entry(numbers, place):
    return numbers[place]


def main():
    """With checks of bounds, which Numba makes only if asked to, loops pass their tests."""
    with pytest.raises(IndexError):
        compilation.compiled(entry)(np.zeros(3), 3)
    loops = str(Path(__file__).parent)
    raise SystemExit(pytest.main(["-q", "-p", "no:cacheprovider", "-m", "not slow", loops]))


@pytest.mark.slow
def test_loops_stay_within_their_arrays(tmp_path):
    # Code from the usual cache would have no checks.
    checked = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    run = subprocess.run([sys.executable, __file__], env=checked, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]


if __name__ == "__main__":
    main()
