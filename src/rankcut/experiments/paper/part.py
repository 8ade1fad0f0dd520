"""A part of the reproduction: tasks give records, records tables, tables figures and verdicts."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from rankcut.reports.findings import Claim, Picture, Sheet, Table, Verdict

Task: TypeAlias = dict[str, Any]
"""Settings of one piece of work, as JSON knows them. They alone say what is computed."""

Record: TypeAlias = dict[str, Any]
"""A result, as JSON knows it; NaN is allowed and comes back as NaN."""

Tables: TypeAlias = Mapping[str, Table]


@dataclass(frozen=True)
class Settings:
    """How much to do: a quick look, or all of it."""

    quick: bool = False


class Part(ABC):
    """One part of the paper.

    A part's tasks are the unit of caching, of running in parallel, of progress and of going on
    after an interruption: one seed of one experiment, say, that takes a few seconds. All that
    follows from their records (tables, figures, verdicts, prose) is computed anew for each report,
    so it should be quick.

    Parts are named in :mod:`rankcut.experiments.paper.parts`.
    """

    name: ClassVar[str]
    """As typed at the command line, and in the names of files."""

    title: ClassVar[str]

    claims: ClassVar[Mapping[str, Claim]]
    """What the paper states, by a key. A claim without a verdict is reported as not checked."""

    needs_sushi: ClassVar[bool] = False
    """Whether the tasks read the sushi data; they are skipped where there is none."""

    alone: ClassVar[bool] = False
    """Whether tasks measure time, and so run one after the other with nothing beside them."""

    @abstractmethod
    def tasks(self, settings: Settings) -> list[Task]:
        """What is to be done. Sizes, seeds and the like are in the tasks."""

    @abstractmethod
    def run(self, task: Task, data: Path | None) -> list[Record]:
        """Do one task, in a process of its own with BLAS in one thread.

        The result depends on the task (and on the sushi data in ``data``) alone.
        """

    @abstractmethod
    def tables(self, records: Sequence[Record]) -> dict[str, Table]:
        """Numbers to be kept, each table as NAME.csv and NAME.json; records of all tasks, in order.

        Names begin with the part's name.
        """

    def figures(self, tables: Tables) -> dict[str, Picture]:
        """Pictures by the names of their files, which begin with the part's name."""
        return {}

    def sheets(self, tables: Tables) -> list[Sheet]:
        """Tables to be shown in the report."""
        return []

    @abstractmethod
    def verdicts(self, tables: Tables) -> dict[str, Verdict]:
        """What became of each claim, computed from the numbers."""

    @abstractmethod
    def prose(self, tables: Tables) -> str:
        """What was done, and where the text and the published experiments differ; Markdown.

        Without data ``tables`` is empty.
        """
