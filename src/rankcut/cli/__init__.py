"""The command ``rankcut``: one module for each command, which imports what it runs when it runs.

``output`` says how to add a command.
"""

import sys
from importlib import import_module
from typing import Annotated

import typer

from rankcut.cli.errors import OneLineErrors
from rankcut.cli.options import TopicCommand

COMMANDS = (
    "demo",
    "info",
    "convert",
    "consensus",
    "graph",
    "features",
    "gram",
    "similar",
    "compare",
    "blocs",
    "complete",
    "classify",
    "regress",
    "learn-ranking",
    "predict",
    "map",
    "report",
    "help",
)

app = typer.Typer(
    name="rankcut",
    help="Learn from rankings of any kind.",
    cls=OneLineErrors,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain help, in a tenth of the time that Rich takes to draw boxes.
    rich_markup_mode=None,
    # Its options belong to ``rankcut`` itself; subcommands save the time to read them.
    add_completion=not any(argument in COMMANDS for argument in sys.argv[1:2]),
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"rankcut {version('rankcut')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Learn from rankings of any kind."""


for _name in COMMANDS:
    _module = _name.replace("-", "_")
    app.command(_name, cls=TopicCommand)(getattr(import_module(f"rankcut.cli.{_module}"), _module))
