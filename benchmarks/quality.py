"""Does it beat what you have? Methods side by side on real tasks, with the same splits for all.

    python benchmarks/quality.py DATA_DIR [--quick] [--fresh] [--report] [--page PAGE]

DATA_DIR has the folders sushi, movielens-100k, eurovision, starwars and preflib. Scores are kept
by task, split and method in results/quality/scores.jsonl, so that a run that was interrupted goes
on; --fresh forgets them. At the end, or with --report at once, a table (Markdown and CSV), a
summary (JSON) and a figure are written beside them, and a short table into the documentation
with --page docs/which-graph.md.
"""

import argparse
import json
import os
import sys
import time

# One thread for each process: set before NumPy is loaded, and inherited by the processes.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

from concurrent.futures import ProcessPoolExecutor, as_completed  # noqa: E402
from multiprocessing import get_context  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from quality_methods import CLASSIFIERS, FINDERS, quietly  # noqa: E402
from quality_report import write_report  # noqa: E402
from quality_tasks import Classification, all_tasks  # noqa: E402
from sklearn.metrics import roc_auc_score  # noqa: E402

N_NEIGHBOURS = 10

# Those before were looked at while the recipe was being chosen.
FIRST_SPLIT = 1000


def methods_of(task: Any) -> list[str]:
    return list(CLASSIFIERS if isinstance(task, Classification) else FINDERS)


def judge(data: str, quick: bool, name: str, number: int, methods: list[str]) -> list[dict]:
    """The scores of some methods on one split of a task; runs in a process of its own."""
    task = next(task for task in all_tasks(data, quick=quick) if task.name == name)
    if isinstance(task, Classification):
        lists, target = task.lists(), task.target()
        train, test = task.split(number)
        overlap = len(test) / len(target)

        def score(method: str) -> float:
            found = quietly(
                CLASSIFIERS[method], lists, lists.ranks[train], target[train], lists.ranks[test]
            )
            return float(roc_auc_score(target[test], found))
    else:
        lists, agreement = task.draw(number)
        overlap = task.overlap

        def score(method: str) -> float:
            alike = quietly(FINDERS[method], lists, len(agreement))
            # Whom there is nothing to judge by is nobody's neighbour. Ties are broken by chance.
            alike = np.where(np.isnan(agreement), -np.inf, alike)
            noise = np.random.default_rng(number).random(alike.shape)
            best = np.lexsort((noise, -alike), axis=1)[:, :N_NEIGHBOURS]
            return float(np.nanmean(np.take_along_axis(agreement, best, axis=1)))

    records = []
    for method in methods:
        began = time.perf_counter()
        result = score(method)
        records.append(
            {
                "task": name,
                "family": task.family,
                "split": number,
                "method": method,
                "score": result,
                "overlap": overlap,
                "seconds": round(time.perf_counter() - began, 3),
            }
        )
    return records


def read_scores(path: Path) -> list[dict]:
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    records = []
    for line in lines:
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            # The line at which a run was cut off; its split is judged again.
            continue
    return records


def run(data: str, path: Path, *, quick: bool, processes: int, only: str) -> None:
    known = {(r["task"], r["split"], r["method"]) for r in read_scores(path)}
    tasks = [task for task in all_tasks(data, quick=quick) if only in task.name]
    # The first split of each task, then the second, …: a run that is cut off has some of all.
    todo = [
        (task.name, number, missing)
        for turn in range(max(task.n_splits for task in tasks))
        for task in tasks
        if turn < task.n_splits
        for number in [FIRST_SPLIT + turn]
        for missing in [[m for m in methods_of(task) if (task.name, number, m) not in known]]
        if missing
    ]
    began = time.monotonic()
    context = get_context("spawn")
    with (
        ProcessPoolExecutor(processes, mp_context=context) as pool,
        path.open("a", encoding="utf-8") as file,
    ):
        futures = [pool.submit(judge, data, quick, *unit) for unit in todo]
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                records = future.result()
                file.writelines(json.dumps(record) + "\n" for record in records)
                file.flush()
                left = (time.monotonic() - began) / done * (len(todo) - done)
                text = (
                    f"{done} of {len(todo)} splits, {left / 60:.0f} min left: {records[0]['task']}"
                )
                if sys.stderr.isatty():
                    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
                elif done % 50 == 0:
                    print(text, file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    if sys.stderr.isatty():
        print(file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", help="directory with the data")
    parser.add_argument("--quick", action="store_true", help="few splits, to see that all works")
    parser.add_argument("--fresh", action="store_true", help="forget the scores of earlier runs")
    parser.add_argument("--report", action="store_true", help="write the report of what is known")
    parser.add_argument("--only", default="", help="only tasks whose name contains this")
    parser.add_argument("--page", type=Path, help="a page with markers to write a table into")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    home = Path("results") / ("quality-quick" if options.quick else "quality")
    home.mkdir(parents=True, exist_ok=True)
    path = home / "scores.jsonl"
    if options.fresh:
        path.unlink(missing_ok=True)
    if not options.report:
        run(
            options.data,
            path,
            quick=options.quick,
            processes=options.processes,
            only=options.only,
        )
    print(write_report(read_scores(path), home, options.page))


if __name__ == "__main__":
    main()
