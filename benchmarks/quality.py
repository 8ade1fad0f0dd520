"""Does it beat what you have? Methods side by side on real tasks, with the same splits for all.

    python benchmarks/quality.py DATA_DIR [--quick] [--fresh] [--report] [--page PAGE]

DATA_DIR has the folders sushi, movielens-100k, eurovision, starwars and preflib. Results are
kept split by split in results/quality/splits, so that an interrupted run goes on, and a new
method is judged without judging the others again; --fresh forgets those of the tasks of this
run. At the end, or with --report at once, a table (Markdown and CSV), a
summary (JSON) and a figure are written beside them, and a short table into the documentation
with --page docs/which-graph.md; the whole table with --table docs/results/quality.md.
"""

import argparse
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from quality_classifiers import CLASSIFIERS
from quality_finders import FINDERS
from quality_measures import (
    Judged,
    agreement_of_nearest,
    area_under_curve,
    foresight_of_agreement,
)
from quality_methods import quietly
from quality_report import BEGIN, END, write_report
from quality_scores import Split, TaskScores, load_split, save_split, split_path
from quality_tasks import Classification, Neighbours, all_tasks
from record import header, own_command
from threadpoolctl import threadpool_limits

# Earlier splits were used while the recipe was being chosen.
FIRST_SPLIT = 1000

# Where the data of tasks are.
FOLDERS = {
    "sushi": "sushi",
    "films": "movielens-100k",
    "eurovision": "eurovision",
    "star wars": "starwars",
    "dublin north": "preflib",
    "dublin west": "preflib",
}

Task = Classification | Neighbours


def methods_of(task: Task) -> list[str]:
    return list(CLASSIFIERS if isinstance(task, Classification) else FINDERS)


def numbers(task: Task) -> range:
    return range(FIRST_SPLIT, FIRST_SPLIT + task.n_splits)


def judging(task: Task, number: int) -> Callable[[str], Judged]:
    """How a method is judged on one split."""
    if isinstance(task, Classification):
        lists, target = task.lists(), task.target()
        train, test = task.split(number)
        known, labels, unknown = lists.ranks[train], target[train], lists.ranks[test]

        def area(method: str) -> Judged:
            scores = quietly(CLASSIFIERS[method], lists, known, labels, unknown)
            return area_under_curve(target[test], scores, lists.people[test], lists.n_people)

        return area
    lists, agreement = task.draw(number)

    def found(method: str) -> Judged:
        alike = quietly(FINDERS[method], lists, len(agreement))
        if task.measure == "all":
            return foresight_of_agreement(alike, agreement, lists.people, lists.n_people)
        return agreement_of_nearest(alike, agreement, lists.people, lists.n_people, number)

    return found


def judge(data: str, quick: bool, home: Path, name: str, number: int) -> str:
    """All methods that a split of a task lacks; in a process of its own."""
    task = next(task for task in all_tasks(data, quick=quick) if task.name == name)
    path = split_path(home, name, number)
    judged = {method: row for method, *row in load_split(path).rows()} if path.exists() else {}
    # One thread per process, because there are as many processes as cores.
    with threadpool_limits(1):
        judge_by = judging(task, number)
        for method in methods_of(task):
            if method not in judged:
                began = time.perf_counter()
                found = judge_by(method)
                judged[method] = [*found, time.perf_counter() - began]
    save_split(path, Split.of_rows([(method, *judged[method]) for method in methods_of(task)]))
    return name


def is_known(home: Path, task: Task, number: int) -> bool:
    """Whether a split was judged with the methods that there are now."""
    path = split_path(home, task.name, number)
    return path.exists() and load_split(path).methods == methods_of(task)


def run(data: str, home: Path, tasks: list[Task], *, quick: bool, processes: int) -> None:
    # The first split of each task, then the second, …: a run that is cut off has some of all.
    todo = sorted(
        (number, place)
        for place, task in enumerate(tasks)
        for number in numbers(task)
        if not is_known(home, task, number)
    )
    began = time.monotonic()
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        futures = [
            pool.submit(judge, data, quick, home, tasks[place].name, number)
            for number, place in todo
        ]
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                left = (time.monotonic() - began) / done * (len(todo) - done)
                text = f"{done} of {len(todo)} splits, {left / 60:.0f} min left: {future.result()}"
                if sys.stderr.isatty():
                    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
                elif done % 50 == 0:
                    print(text, file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    if sys.stderr.isatty():
        print(file=sys.stderr)


def read_scores(home: Path, tasks: list[Task]) -> list[TaskScores]:
    scores = []
    for task in tasks:
        splits = [
            load_split(split_path(home, task.name, number))
            for number in numbers(task)
            if is_known(home, task, number)
        ]
        if splits:
            scores.append(TaskScores(task.name, task.family, task.data, task.trained, splits))
    return scores


def forget(home: Path, tasks: list[Task]) -> None:
    for task in tasks:
        for number in numbers(task):
            split_path(home, task.name, number).unlink(missing_ok=True)


def mistake_in(options: argparse.Namespace, tasks: list[Task]) -> str | None:
    """What cannot be done as asked, before hours are spent on it or anything is forgotten."""
    if not tasks:
        return f"no task has {options.only!r} in its name"
    folders = dict.fromkeys(FOLDERS[task.data] for task in tasks)
    missing = [name for name in folders if not (Path(options.data) / name).is_dir()]
    if missing:
        return f"{options.data} has no folder {', '.join(missing)}"
    if options.processes < 1:
        return f"--processes is {options.processes}, but must be at least 1"
    if options.fresh and options.report:
        return "--fresh forgets what --report would show"
    if options.page is not None:
        if not options.page.is_file():
            return f"there is no page {options.page}"
        text = options.page.read_text(encoding="utf-8")
        if BEGIN not in text or END not in text:
            return f"{options.page} has no markers {BEGIN} and {END} to write a table between"
    return None


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
    parser.add_argument("--table", type=Path, help="a page to write the whole table to")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    tasks = [
        task for task in all_tasks(options.data, quick=options.quick) if options.only in task.name
    ]
    if mistake := mistake_in(options, tasks):
        parser.error(mistake)
    home = Path("results") / ("quality-quick" if options.quick else "quality")
    home.mkdir(parents=True, exist_ok=True)
    if options.fresh:
        forget(home, tasks)
    if not options.report:
        try:
            run(options.data, home, tasks, quick=options.quick, processes=options.processes)
        except KeyboardInterrupt:
            sys.exit("\nstopped; the same command goes on from here")
    scores = read_scores(home, tasks)
    if not scores:
        parser.error("nothing is known yet; run without --report first")
    table = write_report(scores, home, options.page)
    print(table)
    if options.table is not None:
        fewest, most = (extreme(task.n_splits for task in scores) for extreme in (min, max))
        said = f"{fewest} to {most} splits of each task."
        opening = header("Classifiers side by side", own_command())
        options.table.write_text(f"{opening}\n{said}\n\n{table}", encoding="utf-8")


if __name__ == "__main__":
    main()
