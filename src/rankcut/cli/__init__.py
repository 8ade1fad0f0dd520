"""The command ``rankcut``: one module for each command."""

import typer

from rankcut.cli.demo import demo

app = typer.Typer(
    name="rankcut",
    help="Learn from rankings of any kind.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def main() -> None:
    """Learn from rankings of any kind."""


app.command()(demo)
