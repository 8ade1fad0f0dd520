"""What a command is: options declared as fields of classes, mistakes in one line, help on topics.

To add a command, write a function of its name, and name it and its module in ``COMMANDS``, or in
:data:`rankcut.answers.ANSWERS` if it is an answer about rankings. Declare
its options as fields of a class, take those of other classes by :func:`with_options`, end its
docstring with an ``Example:`` line, and import what it computes with inside the function, so that
``rankcut --help`` stays quick. ``output`` says where results go.
"""

import codecs
import errno
import functools
import os
import pickle
import signal
import sys
import threading
import unicodedata
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from copy import copy
from inspect import Parameter, Signature, signature
from itertools import chain
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from rankcut.answers import ANSWERS
from rankcut.cli.output import READ_AS, note, say_mistake
from rankcut.errors import InputError, Setting, in_shell

COMMANDS = {
    "demo": "report",
    "open": "report",
    "info": "files",
    "convert": "files",
    **{name: answer.module for name, answer in ANSWERS.items()},
    "regress-ranking": "regress_ranking",
    "classify": "learning",
    "regress": "learning",
    "learn-ranking": "learning",
    "predict": "learning",
    "graph": "graph",
    "features": "vectors",
    "gram": "vectors",
    "help": "command",
}
"""Each command, in the order of the help, and the module that has it."""

TOPICS = {"reading": "reading files", "cluster": "a cluster", "board": "a leaderboard"}
"""What the options of each topic are for; ``rankcut help TOPIC`` explains them."""

# Parameters of the library whose options have other names.
_OPTIONS = {
    "counts": "count",
    "data_set": "ranking",
    "n_jobs": "workers",
    "n_neighbors": "neighbors",
    "random_state": "seed",
    "sample_weight": "weight",
}


def option(help: str, *names: str, **more: Any) -> Any:  # noqa: A002 - Typer's name for it
    """An option, called as its field or by other names."""
    return typer.Option(*names, help=help, **more)


def topic_option(topic: str, *names: str, help: str, **more: Any) -> Any:  # noqa: A002 - Typer's
    """An option that ``rankcut help TOPIC`` explains, and the command's own help leaves out."""
    return typer.Option(
        *names, help=help, rich_help_panel=topic, hidden=True, show_default=False, **more
    )


def with_options(**groups: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options that the fields of some classes declare.

    ``@with_options(reading=Reading)`` is for a command with a parameter ``reading``. The types of
    the fields say how Typer takes them. If two classes declare an option, the words of the first
    count, and both get its value.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        plain = {n: p for n, p in signature(command).parameters.items() if n not in groups}
        fields = {name: signature(kind).parameters for name, kind in groups.items()}

        @functools.wraps(command)
        def run(**values: Any) -> None:
            arguments = {
                name: kind(**{field: values[field] for field in fields[name]})
                for name, kind in groups.items()
            }
            command(**{name: values[name] for name in plain}, **arguments)

        every = dict(plain)
        for option in chain.from_iterable(options.values() for options in fields.values()):
            every.setdefault(option.name, option)
        keywords = [option.replace(kind=Parameter.KEYWORD_ONLY) for option in every.values()]
        # Typer reads it; type stubs do not know that any function may have one.
        run.__signature__ = Signature(keywords)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in keywords}
        return run

    return decorate


class TopicCommand(TyperCommand):
    """A command whose help ends with the topics of its other options."""

    def topics(self) -> dict[str, list[Any]]:
        """The options of each topic."""
        topics: dict[str, list[Any]] = {}
        for option in self.params:
            if getattr(option, "hidden", False):
                topics.setdefault(option.rich_help_panel, []).append(option)  # type: ignore[attr-defined]
        return topics

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write a line for each topic."""
        for topic in self.topics():
            formatter.write_paragraph()
            formatter.write_text(f"Options for {TOPICS[topic]}: rankcut help {topic}")


class OneLineErrors(TyperGroup):
    """The group of all commands: a mistake is one line on standard error, never a traceback."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command."""
        alone = options.pop("standalone_mode", True)
        options["standalone_mode"] = False
        READ_AS.clear()
        if not alone:
            return super().main(*args, **options)
        _open_streams()
        # A process that is asked to end should leave no half-written file either.
        in_main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGTERM, _stop) if in_main else None
        try:
            with _quiet_libraries():
                code = super().main(*args, **options)
            # What cannot be written is known when it leaves the buffer.
            sys.stdout.flush()
        except (ValueError, OSError, ModuleNotFoundError, MemoryError) as problem:
            say_mistake(_message(problem))
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
                say_mistake(problem.format_message().replace("Value error, ", ""))
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
            spellings = {
                name
                for each in getattr(command, "params", ())
                for name in (*each.opts, *each.secondary_opts)
            }
            raise ValueError(error.render(option_words(spellings))) from error
        except (EOFError, pickle.UnpicklingError) as problem:
            # What Numba raises where its cache on disk is cut off; nothing else is pickled.
            from rankcut._loops.pairs import mirror

            folder = mirror.stats.cache_path  # type: ignore[attr-defined]
            raise ValueError(f"cannot read compiled code ({problem}); delete {folder}") from problem


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
        spelled = setting.as_option(_OPTIONS)
        return " ".join(map(in_shell, spelled)) if spelled[0] in options else str(setting)

    return words


# What stands for signs that a terminal without Unicode cannot show.
_PLAIN = {"█": "#", "●": "o", "━": "-", "·": ".", "–": "-", "−": "-", "≤": "<=", "≥": ">="}


def _open_streams() -> None:
    """Let standard streams take any text, and be there even if the shell has closed them."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115 - for as long as the process lives
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        say_mistake("standard output is closed; send it to /dev/null if nobody is to read it")
        sys.exit(1)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="rankcut-plain")


def _plainly(problem: UnicodeError) -> tuple[str, int]:
    """The nearest plain text to what an encoding lacks: letters without accents, or ``?``."""
    assert isinstance(problem, UnicodeEncodeError)
    lacking = problem.object[problem.start : problem.end]
    plain = (
        _PLAIN.get(sign)
        or unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
        or "?"
        for sign in lacking
    )
    return "".join(plain), problem.end


codecs.register_error("rankcut-plain", _plainly)


@contextmanager
def _quiet_libraries() -> Iterator[None]:
    """Turn warnings of ours into notes, and keep those of other libraries from the user.

    Whoever turns warnings into errors, as our tests do, gets them all.
    """
    if any(action == "error" for action, *_ in warnings.filters):
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in (UserWarning, RuntimeWarning):
            ours = r"rankcut\b" if kind is UserWarning else "rankcut$"
            warnings.filterwarnings("default", category=kind, module=ours)
        warnings.showwarning = lambda message, *_: note(str(message))
        yield


def _stop(number: int, frame: Any) -> None:
    sys.exit(128 + number)


def _message(problem: BaseException) -> str:
    # Python's own has no message, and NumPy's is about one array.
    if isinstance(problem, MemoryError) and (type(problem) is not MemoryError or not str(problem)):
        return "there is not enough memory for this; try fewer rankings, or features in blocks"
    if isinstance(problem, OSError) and problem.errno is not None:
        where = f"{problem.filename}: " if problem.filename else ""
        return where + (
            os.strerror(problem.errno) if problem.errno in errno.errorcode else str(problem)
        )
    return str(problem)


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
        import rankcut

        print(f"rankcut {rankcut.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, option("Print the version.", "--version", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Learn from rankings of any kind."""


def help(  # noqa: A001 - the command is called so
    context: typer.Context,
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="TOPIC", help=f"A command, or one of: {', '.join(TOPICS)}.", show_default=False
        ),
    ] = None,
) -> None:
    """Explain a command, or options that many commands have.

    Example: rankcut help reading
    """
    group: Any = context.parent.command  # type: ignore[union-attr]
    commands: dict[str, Any] = group.commands
    if topic is None:
        print(group.get_help(context.parent))
    elif topic in commands:
        inner = typer.Context(commands[topic], info_name=topic, parent=context.parent)
        print(commands[topic].get_help(inner))
    elif topic in TOPICS:
        print(_about(context, topic, commands))
    else:
        raise InputError(
            f"there is no topic {topic!r}", remedy=f"name a command, or {' or '.join(TOPICS)}"
        )


def _about(context: typer.Context, topic: str, commands: dict[str, Any]) -> str:
    """The options of a topic, and the commands that take them."""
    takers = {
        name: command.topics()[topic]
        for name, command in commands.items()
        if topic in command.topics()
    }
    options = {option.name: option for of_command in takers.values() for option in of_command}
    formatter = context.make_formatter()
    formatter.write_text(f"Options for {TOPICS[topic]}, taken by: {', '.join(takers)}.")
    records = []
    for option in map(copy, options.values()):
        option.hidden = False
        records.append(option.get_help_record(context))
    with formatter.section("Options"):
        formatter.write_dl([record for record in records if record is not None])
    return formatter.getvalue().rstrip()
