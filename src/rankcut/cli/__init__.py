"""The command ``rankcut``: one module for each command, which imports what it runs when it runs.

``output`` says how to add a command. A user's mistake is one line on standard error and a non-zero
exit code, never a traceback.
"""

import errno
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Collection
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rankcut.cli.options import TopicCommand
from rankcut.cli.terminal import styled
from rankcut.errors import InputError, Setting

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

# Parameters of the library whose options have other names.
_OPTIONS = {
    "higher_is_better": "lower_is_better",
    "n_jobs": "workers",
    "n_neighbors": "neighbors",
    "random_state": "seed",
}


class OneLineErrors(TyperGroup):
    """The group of all commands: reports in one line what went wrong."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command; see the module."""
        alone = options.pop("standalone_mode", True)
        options["standalone_mode"] = False
        if not alone:
            return super().main(*args, **options)
        # A process that is asked to end should leave no half-written file either.
        before = signal.signal(signal.SIGTERM, _stop) if _in_main_thread() else None
        try:
            code = super().main(*args, **options)
        except (ValueError, OSError, ModuleNotFoundError, MemoryError) as problem:
            _say(_message(problem))
            sys.exit(1)
        except Exception as problem:
            # Typer's own complaints, such as an unknown option; without arguments it
            # complains by the whole help text.
            if not hasattr(problem, "format_message"):
                raise
            if type(problem).__name__ == "NoArgsIsHelpError":
                problem.show()  # type: ignore[attr-defined]
            else:
                # Typer reads options with Pydantic, which begins with the kind of the error.
                _say(problem.format_message().replace("Value error, ", ""))
            sys.exit(getattr(problem, "exit_code", 2))
        finally:
            if before is not None:
                signal.signal(signal.SIGTERM, before)
        sys.exit(code if isinstance(code, int) else 0)

    def get_help_option(self, ctx: Any) -> Any:
        """The option --help, which is False by default, not None.

        To turn None into False, Typer would import Pydantic, which takes as long as all the rest.
        """
        option = super().get_help_option(ctx)
        if option is not None:
            option.default = False
        return option

    def invoke(self, ctx: Any) -> Any:
        """Run the command; its errors name options, not parameters."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            command = self.commands.get(ctx.invoked_subcommand)
            known = {name for each in getattr(command, "params", ()) for name in each.opts}
            raise ValueError(error.render(option_words(known))) from error


def option_words(options: Collection[str]) -> Callable[[Setting], str]:
    """How to spell a setting in a command that has these options.

    >>> words = option_words(["--unranked", "--unlisted-weight"])
    >>> words(Setting("unranked", "last")), words(Setting("unlisted_weight"))
    ('--unranked last', '--unlisted-weight')
    >>> words(Setting("tolerance", 0.1))
    'tolerance=0.1'
    >>> option_words(["--scale"])(Setting("scale", "good > bad"))
    "--scale 'good > bad'"
    """

    def words(setting: Setting) -> str:
        option = f"--{_OPTIONS.get(setting.name, setting.name).replace('_', '-')}"
        if option not in options:
            return str(setting)
        flag = setting.value is None or isinstance(setting.value, bool)
        return option if flag else f"{option} {shlex.quote(str(setting.value))}"

    return words


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _stop(number: int, frame: Any) -> None:
    sys.exit(128 + number)


def _message(problem: BaseException) -> str:
    # Python's own has no message, and NumPy's is about one array.
    if isinstance(problem, MemoryError) and (type(problem) is not MemoryError or not str(problem)):
        return "there is not enough memory for this; try fewer rankings, or features in blocks"
    if isinstance(problem, OSError) and problem.errno is not None:
        where = f"{problem.filename}: " if problem.filename else ""
        return (
            f"{where}{os.strerror(problem.errno) if problem.errno in errno.errorcode else problem}"
        )
    return str(problem)


def _say(message: str) -> None:
    print(styled("rankcut:", sys.stderr, fg="red"), " ".join(message.split()), file=sys.stderr)


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
