"""How long each command takes on files of four kinds, from the start of Python to the last byte.

Run with: python -m benchmarks.command [--file votes] [--only info] [--cold]

The files are made up: a *survey* of 1,000 full rankings of 10 items with a group, 140,000 *votes*
between two of 100 models, 50,000 *ballots* that list some of 12 candidates, and 10,000 *lists* of
10 of 1,000 items. Processor time of a process of its own, and the most memory it holds. With
``--cold``, no loop was compiled before; otherwise each command runs once before it counts.

The time is split: *start* of Python, *import* of modules, *loops* that are compiled or taken from
their cache, *reading*, *writing*, and *computing*, which is the rest.
"""

import argparse
import builtins
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

PARTS = ("start", "import", "loops", "reading", "computing", "writing")

# What follows the command and the file. {out} is a folder.
COMMANDS: dict[str, list[str]] = {
    "info": [],
    "convert": ["{out}/converted.parquet"],
    "consensus": [],
    "leaderboard": [],
    "transfers": [],
    "similar": ["--to", "0"],
    "compare": ["--by", "group"],
    "map": ["-o", "{out}/map.svg"],
    "blocs": ["-o", "{out}/blocs.html"],
    "complete": ["-o", "{out}/complete.csv"],
    "graph": ["--learn", "agreement", "-o", "{out}/graph.npz"],
    "features": ["-o", "{out}/features.npy"],
    "report": ["-o", "{out}/report.html"],
}

# Commands that a kind of file is not for.
NOT_FOR = {
    "survey": {"transfers"},
    "votes": {"transfers", "complete", "features"},
    "ballots": set(),
    "lists": {"transfers", "leaderboard"},
}
UNRANKED = {"ballots": "last", "lists": "last"}
TAKES_UNRANKED = {"compare", "map", "blocs", "complete", "graph", "features", "report", "similar"}
TAKES_UNRANKED |= {"consensus", "leaderboard"}


def write_files(folder: Path) -> dict[str, Path]:
    """The four files, as tables."""
    rng = np.random.default_rng(0)
    files = {name: folder / f"{name}.csv" for name in NOT_FOR}

    def write(name: str, header: list[str], rows: Any) -> None:
        lines = [",".join(map(str, row)) for row in rows]
        files[name].write_text("\n".join([",".join(header), *lines, ""]), encoding="utf-8")

    groups = np.array(["old", "young"])[rng.integers(0, 2, 140_000)]
    items = [f"item {i}" for i in range(10)]
    worth = rng.normal(size=10) + rng.gumbel(size=(1_000, 10))
    ranks = (-worth).argsort(axis=1).argsort(axis=1) + 1
    rows = zip(*ranks.T, groups, strict=False)
    write("survey", [*items, "group"], rows)
    models = np.array([f"model {i}" for i in range(100)])
    pairs = rng.integers(0, 99, (140_000, 2))
    pairs[:, 1] += pairs[:, 1] >= pairs[:, 0]
    strengths = rng.normal(size=100)
    first = rng.logistic(size=140_000) < strengths[pairs[:, 0]] - strengths[pairs[:, 1]]
    winner = np.where(rng.random(140_000) < 0.1, "tie", np.where(first, "model_a", "model_b"))
    write(
        "votes",
        ["model_a", "model_b", "winner", "group"],
        zip(*models[pairs].T, winner, groups, strict=True),
    )
    people = [f"candidate {i}" for i in range(12)]
    order = (-rng.normal(size=12) - rng.gumbel(size=(50_000, 12))).argsort(axis=1)
    lengths = rng.integers(1, 7, 50_000)
    ballots = [
        [*(people[i] if place < k else "" for place, i in enumerate(row[:6])), group]
        for row, k, group in zip(order, lengths, groups, strict=False)
    ]
    write("ballots", [*(f"choice {i}" for i in range(1, 7)), "group"], ballots)
    likes = rng.normal(size=1_000) + rng.gumbel(size=(10_000, 1_000))
    best = np.argpartition(-likes, 10, axis=1)[:, :10]
    lists = [[*(f"song {i}" for i in row), group] for row, group in zip(best, groups, strict=False)]
    write("lists", [*(f"choice {i}" for i in range(1, 11)), "group"], lists)
    return files


class Clock:
    """Processor time by part; what is inside another part counts for itself alone."""

    def __init__(self) -> None:
        self.spent = dict.fromkeys(PARTS, 0.0)
        self.spent["start"] = self.since = time.process_time()
        self.inside = ["computing"]

    def turn(self) -> None:
        """Count the time since the last turn for the part that is open."""
        now = time.process_time()
        self.spent[self.inside[-1]] += now - self.since
        self.since = now

    @contextmanager
    def within(self, part: str) -> Any:
        """Count what happens inside for a part."""
        self.turn()
        self.inside.append(part)
        try:
            yield
        finally:
            self.turn()
            self.inside.pop()

    def around(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose time counts for a part."""

        def timed(*args: Any, **options: Any) -> Any:
            if self.inside[-1] == part:
                return function(*args, **options)
            with self.within(part):
                return function(*args, **options)

        return timed


def run_command(words: list[str]) -> None:
    """Run a command in this process, and print how its time was split to standard error."""
    clock = Clock()
    builtins.__import__ = clock.around("import", builtins.__import__)
    from numba.core.dispatcher import Dispatcher

    from rankcut.cli import app
    from rankcut.cli.output import Outputs
    from rankcut.cli.reading import Reading

    Dispatcher.compile = clock.around("loops", Dispatcher.compile)
    for name in ("read", "read_table"):
        setattr(Reading, name, clock.around("reading", getattr(Reading, name)))
    for name in ("write", "show", "save", "save_result", "write_table"):
        setattr(Outputs, name, clock.around("writing", getattr(Outputs, name)))
    code: Any = 0
    try:
        app(words)
    except SystemExit as end:
        code = end.code
    clock.turn()
    print("PARTS", code, peak(), *(clock.spent[part] for part in PARTS), file=sys.stderr)


def peak() -> float:
    """The most memory that this process held, in MB; what it was started from does not count."""
    about = Path("/proc/self/status")
    if about.exists():
        (line,) = (line for line in about.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(words: list[str], cache: str | None) -> tuple[list[float], float, str]:
    """Seconds of each part, the most memory in MB, and what went wrong, if anything."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.command", "--run", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        check=False,
    )
    said = process.stderr.splitlines()
    numbers = [line.split()[1:] for line in said if line.startswith("PARTS ")]
    if not numbers or numbers[0][0] not in ("0", "None"):
        return [], 0.0, next((line for line in reversed(said) if "PARTS" not in line), "failed")
    memory, *parts = map(float, numbers[0][1:])
    return parts, memory, ""


def print_file(name: str, path: Path, only: str, cold: bool, out: Path) -> None:
    """A line for each command."""
    print(f"\n{name}, {path.stat().st_size / 1e6:.1f} MB")
    heads = "".join(f"{part:>11}" for part in PARTS)
    print(f"  {'command':<12}{heads}{'all':>9}{'memory':>10}")
    for command, rest in COMMANDS.items():
        if command in NOT_FOR[name] or only not in command:
            continue
        words = [command, str(path), *(word.format(out=out) for word in rest)]
        if name in UNRANKED and command in TAKES_UNRANKED:
            words += ["--unranked", UNRANKED[name]]
        with tempfile.TemporaryDirectory() as cache:
            if not cold:
                measure(words, None)
            parts, memory, mistake = measure(words, cache if cold else None)
        if mistake:
            print(f"  {command:<12}  {mistake[:90]}", flush=True)
            continue
        numbers = "".join(f"{seconds:>9.2f} s" for seconds in parts)
        print(f"  {command:<12}{numbers}{sum(parts):>7.2f} s{memory:>7.0f} MB", flush=True)


def main() -> None:
    if sys.argv[1:2] == ["--run"]:
        run_command(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", choices=NOT_FOR, help="One file alone.")
    parser.add_argument("--only", default="", help="A part of the name of a command.")
    parser.add_argument("--cold", action="store_true", help="Compile all loops again.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        for name, path in write_files(Path(place)).items():
            if options.file in (None, name):
                print_file(name, path, options.only, options.cold, Path(place))


if __name__ == "__main__":
    main()
