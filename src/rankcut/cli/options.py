"""Options that several commands have, declared once, and how a command takes them.

The words that an option can take are repeated here, because their modules take long to import;
a test compares them with those.
"""

import functools
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from itertools import chain
from typing import Annotated, Any, Literal, TypeAlias

import typer
from typer.core import TyperCommand

from rankcut.cli.output import styled

Format: TypeAlias = Literal[
    "soc", "soi", "toc", "toi", "cat", "csv", "tsv", "xlsx", "parquet", "blt", "order", "npy"
]
Layout: TypeAlias = Literal["wide", "ratings", "long", "ballots", "orders"]
MatrixFormat: TypeAlias = Literal["npy", "npz", "csv", "parquet"]
Unranked: TypeAlias = Literal["error", "last", "anywhere"]

Json: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON on standard output.")
]
By: TypeAlias = Annotated[
    str | None,
    typer.Option("--by", metavar="COLUMN", help="Column with the group of each ranking."),
]

People: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--people",
        metavar="COLUMN",
        help="Column with the person of each ranking, if people rank more than once.",
    ),
]
LeftOut: TypeAlias = Annotated[
    Unranked,
    typer.Option(
        "--unranked",
        help="Items that a ranking leaves out: an error, last (a top-k list), or anywhere.",
    ),
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", min=0, help="Seed of the random numbers.")]

Explain: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--explain",
        help="Say how each item's place, each pair's order and being listed change the prediction.",
    ),
]

Folds: TypeAlias = Annotated[
    int, typer.Option("--folds", min=2, help="Folds of the cross-validation.")
]
FoldGroup: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--group", metavar="COLUMN", help="Rankings with the same value stay in one fold."
    ),
]
Bootstraps: TypeAlias = Annotated[
    int, typer.Option("--n-bootstraps", help="Bootstrap samples of people (0 = no intervals).")
]

# The option --to, whose words differ between commands.
TO = typer.Option("--to", "-t", help="Format where no suffix names it, as on standard output.")

_COMPUTING = "Where to compute"


def with_options(**groups: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options that the fields of some classes declare.

    ``@with_options(reading=Reading)`` is for a command with a parameter ``reading``. The types of
    the fields say how Typer takes them; they follow the command's own options. If the command
    declares an option of the class itself, in its own words, the class gets that value.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        fields = {name: signature(kind).parameters for name, kind in groups.items()}
        own = {n: p for n, p in signature(command).parameters.items() if n not in groups}

        @functools.wraps(command)
        def run(**given: Any) -> None:
            made = {
                name: kind(**{field: given[field] for field in fields[name]})
                for name, kind in groups.items()
            }
            command(**{name: given[name] for name in own}, **made)

        others = chain.from_iterable(options.values() for options in fields.values())
        theirs = [option for option in others if option.name not in own]
        every = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in (*own.values(), *theirs)]
        # Typer reads it; type stubs do not know that any function may have one.
        run.__signature__ = Signature(every)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
        return run

    return decorate


class PanelCommand(TyperCommand):
    """A command whose help lists options in the panels that they are declared in."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each panel, in order of appearance."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
            panel = getattr(parameter, "rich_help_panel", None) or usual
            if record is not None:
                panels.setdefault(panel, []).append(record)
        for panel, records in panels.items():
            with formatter.section(styled(panel, sys.stdout, bold=True)):
                formatter.write_dl(records)


@dataclass(frozen=True)
class Computing:
    """Where to compute."""

    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="Compute on the Dask cluster with this scheduler, such as tcp://10.0.0.1:8786; "
            "files must have the same paths there.",
            rich_help_panel=_COMPUTING,
            show_default=False,
        ),
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            metavar="N",
            help="Number of worker processes.",
            rich_help_panel=_COMPUTING,
            show_default=False,
        ),
    ] = None
    restart: Annotated[
        bool,
        typer.Option(
            "--restart",
            help="Replace parts that were made with other settings.",
            rich_help_panel=_COMPUTING,
        ),
    ] = False

    @property
    def on_cluster(self) -> bool:
        """Whether the user names a cluster."""
        return self.scheduler is not None or self.workers is not None

    def cluster(self) -> AbstractContextManager[Any]:
        """The cluster that the user names, within a ``with`` statement."""
        from rankcut.dask.workers import cluster

        return cluster(self.scheduler, self.workers)
