"""The command ``rankcut``: one module for each command."""

import typer

from rankcut.cli.classify import classify
from rankcut.cli.convert import convert
from rankcut.cli.demo import demo
from rankcut.cli.errors import OneLineErrors
from rankcut.cli.features import features
from rankcut.cli.gram import gram
from rankcut.cli.graph import graph
from rankcut.cli.info import info
from rankcut.cli.map import map as map_command
from rankcut.cli.predict import predict
from rankcut.cli.similar import similar

app = typer.Typer(
    name="rankcut",
    help="Learn from rankings of any kind.",
    cls=OneLineErrors,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def main() -> None:
    """Learn from rankings of any kind."""


for command in (demo, info, convert, graph, features, gram, similar, classify, predict):
    app.command()(command)
app.command("map")(map_command)
