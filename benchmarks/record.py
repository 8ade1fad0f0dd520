"""Run a benchmark and keep what it prints for the page of results.

    python benchmarks/record.py startup
    python benchmarks/record.py consensus --quick

The file, ``docs/results/NAME.md``, says when, with which version, on which kind of processor with
how many cores, and by which command.
"""

import os
import platform
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import rankcut

HOME = Path(__file__).parents[1]
sys.path.append(str(HOME / "docs"))

from boxes import with_tables  # noqa: E402 - found in the directory of pages

RESULTS = HOME / "docs" / "results"
# All files together stay under 200 kB.
MOST_CHARACTERS = 16_000

TITLES = {
    "blocs": "Blocs",
    "command": "The command",
    "comparison": "Comparison of groups",
    "comparison_data": "Groups in real data",
    "consensus_coverage": "Coverage of a consensus",
    "coverage": "Coverage of leaderboards",
    "few_people": "Few people in a regression of rankings",
    "gp": "Gaussian processes",
    "graph_coverage": "Coverage with an item graph",
    "growth": "Growth with size",
    "next_votes": "What to ask next",
    "oracles": "Agreement with other programs",
    "over_time": "Strengths over time",
    "peers": "Beside other tools",
    "ranking_regression": "Regression of rankings",
    "issues": "Utilities of people in a real survey",
    "respondents": "Utilities of people",
    "spread": "Coverage of strengths far apart",
    "strengths_coverage": "Coverage of strengths",
    "strengths_graph": "What the item graph is worth",
    "tested_lines": "What tests reach",
}
"""Titles of pages; for other programs, the name."""


def processor():
    """The kind of processor, as the machine calls it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def header(name, command):
    """The opening of a page of results."""
    title = TITLES.get(name, (name[0].upper() + name[1:]).replace("_", " "))
    facts = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "version": f"rankcut {rankcut.__version__}, Python {platform.python_version()}",
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "command": f"`{command}`",
    }
    rows = "\n".join(f"| {key} | {value} |" for key, value in facts.items())
    return f"# {title}\n\n| | |\n|---|---|\n{rows}\n"


def shown(arguments):
    """Arguments for a page; where the data are on this machine is of no use to others."""
    outside = [Path(word).is_absolute() or word.startswith("..") for word in arguments]
    return ["DATA_DIR" if out else word for out, word in zip(outside, arguments, strict=True)]


def module_of(program):
    """How Python calls a program of these folders."""
    return ".".join(Path(program).resolve().relative_to(HOME).with_suffix("").parts)


def own_command():
    """The command that runs this program, for programs that write a page themselves."""
    return " ".join(["python -m", module_of(sys.argv[0]), *shown(sys.argv[1:])])


def program_named(name):
    """The one program of that name, whichever room it is about."""
    try:
        (program,) = Path(__file__).parent.rglob(f"{name}.py")
    except ValueError:
        sys.exit(f"no program, or more than one, is called {name}.py")
    return program


def spaced(text):
    """The text with 5 %, where Python writes 5%."""
    return re.sub(r"(?<=\d)%", " %", text)


def record(name, arguments):
    """Run the program of that name and write its page."""
    program = program_named(name)
    opening = program.read_text(encoding="utf-8").split('"""')[1].strip().partition("\n\n")[0]
    command = " ".join(["python -m", module_of(program), *shown(arguments)])
    # Its progress goes to standard error and what it finds to a page, both to the screen as well.
    running = subprocess.Popen(
        [sys.executable, "-u", "-m", module_of(program), *arguments],
        cwd=HOME,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    lines = []
    for line in running.stdout:
        sys.stdout.write(line)
        sys.stdout.flush()
        lines.append(line)
    if running.wait():
        sys.exit(f"{command} failed")
    printed = "".join(lines)
    if len(printed) > MOST_CHARACTERS:
        sys.exit(f"{command} prints more than {MOST_CHARACTERS:,} characters, too much for a page")
    RESULTS.mkdir(exist_ok=True)
    printed = spaced(printed.strip("\n").rstrip())
    # Tables in Markdown are shown as tables; boxes become such tables, which are smaller.
    found = printed if "\n|---" in printed else with_tables(printed)
    page = f"{header(name, command)}\n{opening}\n\n{found.rstrip()}\n"
    (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    record(sys.argv[1].removesuffix(".py"), sys.argv[2:])
