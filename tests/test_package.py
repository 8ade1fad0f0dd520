"""The package from outside."""

import subprocess
import sys

import pytest

import rankcut


def test_every_name_is_there():
    for name in rankcut.__all__:
        assert getattr(rankcut, name) is not None
    assert set(rankcut.__all__) <= set(dir(rankcut))


def test_no_other_name_is():
    with pytest.raises(AttributeError, match="module 'rankcut' has no attribute 'graphcut'"):
        _ = rankcut.graphcut


def test_import_loads_nothing_heavy():
    heavy = "numpy", "scipy", "sklearn", "numba", "narwhals", "pandas", "polars", "matplotlib"
    code = f"import sys, rankcut; print([m for m in {heavy} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_nothing_compiles_when_the_loops_are_imported():
    code = (
        "import importlib, pkgutil, rankcut._loops as package\n"
        "names = [m.name for m in pkgutil.iter_modules(package.__path__, 'rankcut._loops.')]\n"
        "modules = [importlib.import_module(name) for name in names]\n"
        "loops = [v for m in modules for v in vars(m).values() if hasattr(v, 'py_func')]\n"
        "print(len(loops) > 5, [loop for loop in loops if loop.signatures])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "True []"
