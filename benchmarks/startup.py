"""How long the library takes to the first answer, and the command to start.

Run ``python benchmarks/startup.py``; each process runs several times, and the least time counts.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rankcut.cli import COMMANDS

ONE_LOOP = """
import numba, numpy
@numba.njit(cache=True)
def total(x):
    return x.sum()
total(numpy.ones((2, 3)))
"""


def main() -> None:
    """Print a line for each process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="How often each process runs.")
    runs = parser.parse_args().runs
    command = [sys.executable, "-m", "rankcut"]
    processes = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import rankcut": [sys.executable, "-c", "import rankcut"],
        "rankcut --help": [*command, "--help"],
        **{f"rankcut {name} --help": [*command, name, "--help"] for name in COMMANDS},
        "rankcut info lunch:full": [*command, "info", "lunch:full"],
    }
    first_answers(runs)
    print(f"\n{'process':<26}{'processor time':>14}")
    for name, arguments in processes.items():
        seconds = min(times(arguments)[0] for _ in range(runs))
        print(f"{name:<26}{seconds:>12.2f} s", flush=True)


def first_answers(runs: int) -> None:
    """Import and first call: with loops to compile (cold), and with loops in the cache (warm)."""
    ranks, graph = "[[1, 2, 3], [2, 1, 3]]", "[[0, 1, 2], [1, 0, 1], [2, 1, 0]]"
    # The least that a function compiled by Numba takes, whoever wrote it.
    loop = "import sys; sys.path.insert(0, {place!r}); import one_loop"
    programs = {
        "import numba": "import numba",
        "import numba, sklearn.base": "import numba, sklearn.base",
        "a loop of one line": loop,
        "the same, sklearn.base": f"{loop}, sklearn.base",
        "graph_cut_features(...)": f"import rankcut; rankcut.graph_cut_features({ranks}, {graph})",
        "the same, 200 x 50": "import numpy, rankcut; numpy.random.seed(0); "
        "points = numpy.random.rand(50, 3); rankcut.graph_cut_features("
        "numpy.random.rand(200, 50).argsort(axis=1), rankcut.SimilarityGraph(points))",
        "GraphCutFeatures(...)": f"import rankcut; rankcut.GraphCutFeatures({graph})"
        f".fit_transform({ranks})",
    }
    print(f"{'':<28}{'processor time':>20}{'on the clock':>20}")
    print(f"{'import and first call':<28}" + 2 * f"{'cold':>10}{'warm':>10}")
    least = {name: [float("inf")] * 4 for name in programs}
    # In turns, so that all programs see the machine in the same moods.
    for _ in range(runs):
        for name, program in programs.items():
            with tempfile.TemporaryDirectory() as cache:
                Path(cache, "one_loop.py").write_text(ONE_LOOP, encoding="utf-8")
                arguments = [sys.executable, "-c", program.replace("{place!r}", repr(cache))]
                cold, warm = (times(arguments, NUMBA_CACHE_DIR=cache) for _ in range(2))
                spent = [cold[0], warm[0], cold[1], warm[1]]
                least[name] = [min(pair) for pair in zip(least[name], spent, strict=True)]
    for name, seconds in least.items():
        print(f"{name:<28}" + "".join(f"{value:>8.2f} s" for value in seconds), flush=True)


def times(arguments: list[str], **environment: str) -> tuple[float, float]:
    """Seconds that a process computes, and those on the clock."""
    # As where the library is installed, modules are compiled to bytecode once.
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before, began = os.times(), time.perf_counter()
    subprocess.run(
        arguments, check=True, stdout=subprocess.DEVNULL, env={**inherited, **environment}
    )
    after, ended = os.times(), time.perf_counter()
    spent = after.children_user - before.children_user
    return spent + after.children_system - before.children_system, ended - began


if __name__ == "__main__":
    main()
