"""``rankcut help``: a command, or the options that many commands share."""

from copy import copy
from typing import Annotated, Any

import typer

from rankcut.cli.options import TOPICS
from rankcut.errors import InputError


def help(  # noqa: A001 - the command is called so
    context: typer.Context,
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="TOPIC",
            help=f"A command, or one of: {', '.join(TOPICS)}.",
            show_default=False,
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
    options = {option.name: option for own in takers.values() for option in own}
    formatter = context.make_formatter()
    formatter.write_text(f"Options for {TOPICS[topic]}, taken by: {', '.join(takers)}.")
    records = []
    for option in map(copy, options.values()):
        option.hidden = False
        records.append(option.get_help_record(context))
    with formatter.section("Options"):
        formatter.write_dl([record for record in records if record is not None])
    return formatter.getvalue().rstrip()
