"""``rankcut open``: a page on which files are dropped and answers appear."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from rankcut.cli.command import option
from rankcut.cli.reading import is_dataset
from rankcut.errors import RankingFileError


def open(  # noqa: A001 - the command is called so
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...", help="Rankings, or lunch:full and the like.", show_default=False
        ),
    ] = None,
    port: Annotated[int, option("Port on this machine (0: any that is free).", min=0)] = 0,
    browser: Annotated[bool, option("Open it in the browser.", "--browser/--no-browser")] = True,
) -> None:
    """Open a page on which to drop files.

    Everything else happens there, in the browser: the page says how a file was read, and shows the
    answers of the other commands, with pictures to save, and each as a command and in Python. It is
    for you alone: nobody else on this machine or beyond can ask it, and it sends nothing anywhere.

    Example: rankcut open votes.csv
    """
    for name in files or ():
        if not (is_dataset(name) and name.startswith("lunch:")) and not Path(name).is_file():
            raise RankingFileError("there is no such file, nor example", name)
    if not (find_spec("starlette") and find_spec("uvicorn")):
        raise ModuleNotFoundError('it needs Starlette and uvicorn: pip install "rankcut[app]"')
    from rankcut.app.server import serve

    serve(files or [], port, browser=browser)
