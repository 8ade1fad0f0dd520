"""``rankcut reproduce``: the experiments of the paper, and a report of what holds."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer


def reproduce(
    output: Annotated[
        Path, typer.Option("--output", "-o", file_okay=False, help="Directory for the report.")
    ],
    figures: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FIGURE]...", help="Parts to run; all if none is named."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Directory with the sushi files; if not given, RANKCUT_DATA names it."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer seeds and smaller sizes: about a minute.")
    ] = False,
) -> None:
    """Run the experiments of "The Graph Cut Kernel for Ranked Data" and report what holds.

    Writes report.html, report.md, all numbers as CSV and JSON, and the figures. What is finished
    is kept in the directory: run it again after an interruption, and it goes on.

    Parts: example, theory, statements, kinds, synthetic, sushi, time, scale.

    Example: rankcut reproduce --data downloads/sushi -o reproduction
    """
    from rankcut.datasets.downloads import VARIABLE
    from rankcut.datasets.sushi import ADDRESS, TERMS, sushi_files
    from rankcut.experiments.paper.parts import NAMES
    from rankcut.pictures.extras import import_figure

    for name in figures or ():
        if name not in NAMES:
            raise typer.BadParameter(f"there is no part {name!r}; there are {', '.join(NAMES)}")
    home = data or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    try:
        sushi_files(home)
    except FileNotFoundError as problem:
        if data is not None:
            raise ValueError(
                f"{data}: the sushi files are not there. Get them from {ADDRESS} ({TERMS}), and "
                "name their directory by --data"
            ) from problem
        home = None
    # Before the work, not after it.
    import_figure()
    output.mkdir(parents=True, exist_ok=True)
    _try_to_write(output)

    from rankcut.cli.progress import steps
    from rankcut.experiments.paper.part import Settings
    from rankcut.experiments.paper.parts import part
    from rankcut.experiments.paper.reproduction import reproduce as run
    from rankcut.reports.findings import Outcome

    names = [name for name in NAMES if not figures or name in figures]
    skipped = [name for name in names if home is None and part(name).needs_sushi]
    if skipped:
        print(
            f"without the sushi data: {', '.join(skipped)} skipped. Get it from {ADDRESS} "
            f"({TERMS}), and name its directory by --data"
        )
    try:
        with steps("reproduction") as (begin, step):
            document = run(
                names,
                output,
                data=home,
                settings=Settings(quick=quick),
                started=begin,
                done=step,
            )
    except KeyboardInterrupt:
        print(
            f"rankcut: interrupted; what is finished is in {output}, and the same command goes on "
            "from there",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
    for outcome in Outcome:
        print(f"{outcome + ':':<15}{document.count(outcome):3} claims")
    print(f"{'report:':<15}{output / 'report.html'}")


def _try_to_write(directory: Path) -> None:
    """A directory that takes no file is told before any work."""
    probe = directory / ".rankcut"
    probe.touch()
    probe.unlink()
