"""``python -m reproduction``: run the paper's experiments and report what holds."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from rankcut.datasets.downloads import VARIABLE
from rankcut.datasets.sushi import ADDRESS, TERMS, sushi_files
from rankcut.pictures.theme import import_figure
from reproduction.findings import Outcome
from reproduction.parts import NAMES, Settings, part_named
from reproduction.report import reproduce

_DESCRIPTION = (
    'Run the experiments of "The Graph Cut Kernel for Ranked Data" and report what holds. Writes '
    "report.html, report.md, all numbers as CSV and JSON, and the figures. Finished work is kept "
    "in the output directory, so that the same command continues after an interruption."
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; a mistake is one line on standard error and a non-zero exit code."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    for name in chosen.parts:
        if name not in NAMES:
            parser.error(f"there is no part {name!r}; the parts are {', '.join(NAMES)}")
    try:
        _run(chosen)
    except KeyboardInterrupt:
        _complain(f"interrupted; finished work is in {chosen.output}, run again to continue")
        sys.exit(130)
    except (ValueError, OSError, ModuleNotFoundError) as problem:
        _complain(" ".join(str(problem).split()))
        sys.exit(1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m reproduction", description=_DESCRIPTION)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"parts to run (default: all): {', '.join(NAMES)}"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="directory for the report")
    parser.add_argument(
        "--data", type=Path, help=f"directory with the sushi files (default: ${VARIABLE})"
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer seeds and smaller sizes: under a minute"
    )
    return parser


def _run(chosen: argparse.Namespace) -> None:
    data = _data_home(chosen.data)
    # Find out before the work, not after it.
    import_figure()
    _try_to_write(chosen.output)
    names = [name for name in NAMES if not chosen.parts or name in chosen.parts]
    skipped = [name for name in names if data is None and part_named(name).needs_sushi]
    if skipped:
        print(
            f"Skipping {', '.join(skipped)}: no sushi data. Get it from {ADDRESS} ({TERMS}) and "
            "name its directory with --data."
        )
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with progress:
        bar = progress.add_task("reproduction", total=None)
        document = reproduce(
            names,
            chosen.output,
            data=data,
            settings=Settings(quick=chosen.quick),
            started=lambda total: progress.update(bar, total=total),
            done=lambda part: progress.update(bar, advance=1, description=part),
        )
    for outcome in Outcome:
        print(f"{outcome + ':':<15}{document.count(outcome):3} claims")
    print(f"{'report:':<15}{chosen.output / 'report.html'}")


def _data_home(named: Path | None) -> Path | None:
    """Where the sushi files are, or None; they must be in a directory that was named."""
    home = named or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    try:
        sushi_files(home)
    except FileNotFoundError as problem:
        if named is None:
            return None
        raise ValueError(
            f"{named}: the sushi files are not there. Get them from {ADDRESS} ({TERMS}) and name "
            "their directory with --data"
        ) from problem
    return home


def _try_to_write(directory: Path) -> None:
    """Fail early if the directory takes no files."""
    directory.mkdir(parents=True, exist_ok=True)
    probe = directory / ".probe"
    probe.touch()
    probe.unlink()


def _complain(message: str) -> None:
    print(f"reproduction: {message}", file=sys.stderr)


if __name__ == "__main__":
    main()
