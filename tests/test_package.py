"""The package from outside."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rankcut
from rankcut.public_names import homes_beside


def test_every_name_is_there_and_no_other():
    for name in rankcut.__all__:
        assert getattr(rankcut, name) is not None
    assert set(rankcut.__all__) <= set(dir(rankcut))
    with pytest.raises(AttributeError, match="module 'rankcut' has no attribute 'graphcut'"):
        _ = rankcut.graphcut


def said_by(code):
    """What a program prints in a process of its own."""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return shown.stdout.strip()


def test_import_loads_nothing_heavy():
    heavy = "numpy", "scipy", "sklearn", "numba", "narwhals", "pandas", "polars", "matplotlib"
    code = f"import sys, rankcut; print([m for m in {heavy} if m in sys.modules])"
    assert said_by(code) == "[]"


def test_the_plain_function_needs_no_scikit_learn():
    """It takes longer to import than all the rest together."""
    code = (
        "import sys, rankcut\n"
        "rankcut.graph_cut_features([[1, 2, 3], [2, 1, 3]], [[0, 1, 2], [1, 0, 1], [2, 1, 0]])\n"
        "print([m for m in ('sklearn', 'joblib', 'pandas', 'scipy.stats') if m in sys.modules])"
    )
    assert said_by(code) == "[]"


def test_answers_need_no_scikit_learn_until_an_estimator_is_asked_for():
    code = (
        "import sys\n"
        "from rankcut import Leaderboard, RankingBlocs, RankingSet, compare_groups\n"
        "from rankcut.answers import ANSWERS\n"
        "from rankcut.consensus.combining import combine\n"
        "from rankcut.consensus.description import describe\n"
        "from rankcut.consensus.transfers import count_transfers\n"
        "from rankcut.datasets.made_up import read_lunch\n"
        "from rankcut.maps import map_rankings\n"
        "from rankcut.rankings import read_rankings\n"
        "from rankcut.strengths import fit_strengths\n"
        "lunch = read_lunch('full')\n"
        "for answer in (\n"
        "    combine(read_rankings(lunch)), fit_strengths(read_rankings(lunch)),\n"
        "    compare_groups(lunch, lunch['guest'], n_permutations=19), count_transfers(lunch),\n"
        "    map_rankings(lunch), RankingBlocs(2).fit(lunch), Leaderboard().fit(lunch),\n"
        "): assert answer.page()\n"
        "describe(lunch)\n"
        "print([m for m in ('sklearn', 'joblib', 'pandas', 'scipy.stats') if m in sys.modules])"
    )
    assert said_by(code) == "[]"


def test_commands_need_no_scikit_learn(tmp_path):
    page = str(tmp_path / "out.html")
    answers = [
        [name, "lunch:full", "-o", page] for name in ("leaderboard", "map", "blocs", "report")
    ]
    commands = [["info", "lunch:full"], ["convert", "lunch:full", page[:-4] + "csv"], *answers]
    code = (
        "import sys\n"
        "from rankcut.cli import app\n"
        f"for words in {commands}:\n"
        "    try: app(words)\n"
        "    except SystemExit as end: assert not end.code\n"
        "print()\n"
        "print([m for m in ('sklearn', 'joblib', 'pandas', 'scipy.stats') if m in sys.modules])"
    )
    assert said_by(code).splitlines()[-1] == "[]"


def test_pages_need_no_matplotlib():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from rankcut import datasets\n"
        "from rankcut import maps\n"
        "print(maps.map_rankings(datasets.load_lunch()).page()[:15])\n"
        "try: maps.map_rankings(datasets.load_lunch()).plot()\n"
        "except ModuleNotFoundError as error: print(error)"
    )
    page, remedy = said_by(code).splitlines()
    assert page.lower() == "<!doctype html>"
    assert remedy == "pictures need matplotlib: pip install matplotlib"


def test_nothing_compiles_when_the_loops_are_imported():
    code = (
        "import importlib, pkgutil, rankcut._loops as package\n"
        "names = [m.name for m in pkgutil.iter_modules(package.__path__, 'rankcut._loops.')]\n"
        "modules = [importlib.import_module(name) for name in names]\n"
        "loops = [v for m in modules for v in vars(m).values() if hasattr(v, 'py_func')]\n"
        "print(len(loops) > 5, [loop for loop in loops if loop.signatures])"
    )
    assert said_by(code) == "True []"


ROOMS = [name for name, home in homes_beside(rankcut.__file__).items() if home == "rankcut"]


def test_the_documentation_lists_the_public_names_and_no_others():
    page = Path(__file__).parents[1] / "docs" / "names.md"
    top, rooms = page.read_text(encoding="utf-8").split("The rest is in packages")
    listed = re.findall(r"`(\w+)`", top.partition("|---|")[2])
    public = {name for name in rankcut.__all__ if name not in ROOMS} - {"__version__"}
    assert sorted(listed) == sorted(public)
    for room in ROOMS:
        names = importlib.import_module(f"rankcut.{room}").__all__
        (row,) = re.findall(rf"^\| `rankcut\.{room}` \|(.*)$", rooms, re.M)
        assert sorted(re.findall(r"`(\w+)`", row)) == sorted(set(names) - public), room
