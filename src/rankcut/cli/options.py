"""Options that several commands have, declared once, and how a command takes them.

The words that an option can take are repeated here, because their modules take long to import;
a test compares them with those. Options of a *topic* are left out of a command's own help:
``rankcut help TOPIC`` explains them.
"""

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from itertools import chain
from typing import Annotated, Any, Literal, TypeAlias

import typer
from typer.core import TyperCommand

Format: TypeAlias = Literal[
    "soc", "soi", "toc", "toi", "cat", "csv", "tsv", "xlsx", "parquet", "blt", "order", "npy"
]
Layout: TypeAlias = Literal["wide", "ratings", "long", "ballots", "orders"]
Unranked: TypeAlias = Literal["error", "last", "anywhere"]


def option(help: str, *names: str, **more: Any) -> Any:  # noqa: A002 - Typer's name for it
    """An option, called as its field or by other names."""
    return typer.Option(*names, help=help, **more)


By: TypeAlias = Annotated[
    str | None,
    option("Column with the group of each ranking.", "--by", metavar="COLUMN"),
]
People: TypeAlias = Annotated[
    str | None,
    option(
        "Column with the person of each ranking, if people rank more than once.",
        "--people",
        metavar="COLUMN",
    ),
]
LeftOut: TypeAlias = Annotated[
    Unranked,
    option(
        "Items that a ranking leaves out: an error, last (a top-k list), or anywhere.", "--unranked"
    ),
]
Items: TypeAlias = Annotated[
    str | None,
    option(
        "Table of items, or a data set: similar items are connected in the item graph.",
        "--items",
        metavar="ITEMS.csv",
    ),
]
GraphFile: TypeAlias = Annotated[
    str | None,
    option("Item graph from 'rankcut graph'.", "--graph", metavar="GRAPH.npz"),
]
Seed: TypeAlias = Annotated[int, option("Seed of the random numbers.", "--seed", min=0)]
Explain: TypeAlias = Annotated[
    bool,
    option(
        "Say how each item's place, each pair's order and being listed change the prediction.",
        "--explain",
    ),
]
Folds: TypeAlias = Annotated[int, option("Folds of the cross-validation.", "--folds", min=2)]
FoldGroup: TypeAlias = Annotated[
    str | None,
    option("Rankings with the same value stay in one fold.", "--group", metavar="COLUMN"),
]
Bootstraps: TypeAlias = Annotated[
    int, option("Bootstrap samples of people (0 = no intervals).", "--n-bootstraps")
]
Confidence: TypeAlias = Annotated[
    float, option("Confidence of all intervals at once.", "--confidence")
]

TOPICS = {"reading": "reading files", "cluster": "a cluster"}
"""What the options of each topic are for."""


def topic_option(topic: str, *names: str, help: str, **more: Any) -> Any:  # noqa: A002 - Typer's
    """An option that ``rankcut help TOPIC`` explains."""
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
        own = {n: p for n, p in signature(command).parameters.items() if n not in groups}
        fields = {name: signature(kind).parameters for name, kind in groups.items()}

        @functools.wraps(command)
        def run(**given: Any) -> None:
            made = {
                name: kind(**{field: given[field] for field in fields[name]})
                for name, kind in groups.items()
            }
            command(**{name: given[name] for name in own}, **made)

        every = dict(own)
        for option in chain.from_iterable(options.values() for options in fields.values()):
            every.setdefault(option.name, option)
        taken = [option.replace(kind=Parameter.KEYWORD_ONLY) for option in every.values()]
        # Typer reads it; type stubs do not know that any function may have one.
        run.__signature__ = Signature(taken)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in taken}
        return run

    return decorate


class TopicCommand(TyperCommand):
    """A command whose help ends with the topics of its other options."""

    def topics(self) -> dict[str, list[Any]]:
        """The options of each topic."""
        found: dict[str, list[Any]] = {}
        for option in self.params:
            if getattr(option, "hidden", False):
                found.setdefault(option.rich_help_panel, []).append(option)  # type: ignore[attr-defined]
        return found

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write a line for each topic."""
        for topic in self.topics():
            formatter.write_paragraph()
            formatter.write_text(f"Options for {TOPICS[topic]}: rankcut help {topic}")


@dataclass(frozen=True)
class Computing:
    """Where to compute, and how much at once."""

    scheduler: Annotated[
        str | None,
        topic_option(
            "cluster",
            "--scheduler",
            metavar="ADDRESS",
            help="Compute on the Dask cluster with this scheduler, such as tcp://10.0.0.1:8786; "
            "files must have the same paths there.",
        ),
    ] = None
    workers: Annotated[
        int | None,
        topic_option(
            "cluster", "--workers", min=1, metavar="N", help="Number of worker processes."
        ),
    ] = None
    restart: Annotated[
        bool,
        topic_option(
            "cluster", "--restart", help="Replace parts that were made with other settings."
        ),
    ] = False
    block: Annotated[
        int,
        topic_option("cluster", "--block", min=1, help="Rows computed at once (default: 16384)."),
    ] = 16384

    @property
    def on_cluster(self) -> bool:
        """Whether the user names a cluster."""
        return self.scheduler is not None or self.workers is not None

    def cluster(self) -> AbstractContextManager[Any]:
        """The cluster that the user names, within a ``with`` statement."""
        from rankcut.dask.tasks import cluster

        return cluster(self.scheduler, self.workers)


@dataclass(frozen=True)
class ComputingInParts(Computing):
    """The same, for vectors that may be kept."""

    parts: Annotated[
        str | None,
        topic_option(
            "cluster",
            "--parts",
            metavar="DIR",
            help="Directory to keep the vectors of Parquet files in, for the next time.",
        ),
    ] = None

    def vectors(self, rankings: Any, features: Any) -> Any:
        """The vectors of a Parquet data set in blocks, kept in the directory if one is named."""
        from rankcut.cli.terminal import steps
        from rankcut.dask.vectors import computed_vectors, write_features

        if self.parts is None:
            return computed_vectors(rankings, features)
        with steps("features") as step:
            return write_features(
                rankings, features, self.parts, restart=self.restart, progress=step
            )
