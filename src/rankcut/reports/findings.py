"""What a report of experiments is made of: claims and verdicts, pictures and tables, sections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, Any]
"""One line of a table: what stands in each column; text, a number, True or False, or None."""

Table: TypeAlias = Sequence[Row]


class Outcome(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    #: It was looked at, and the numbers do not tell.
    UNDECIDED = "not decided"
    #: It was not looked at.
    UNCHECKED = "not checked"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, in a sentence of ours, and where it is made: "Section 4.2"."""

    statement: str
    where: str


@dataclass(frozen=True)
class Verdict:
    """What became of a claim, and one or two sentences with the numbers that say so."""

    outcome: Outcome
    because: str


@dataclass(frozen=True)
class Picture:
    """Panels side by side where there is room, and below each other on a phone.

    ``panels`` are Matplotlib figures by their name, which says what they show; each is read at the
    width of a phone, so it holds one pair of axes, or two. ``caption`` is Markdown.
    """

    panels: Mapping[str, Any]
    caption: str


@dataclass(frozen=True)
class Sheet:
    """A table to be shown: numbers are shown as ``formats`` says for their column, as ".3f"."""

    rows: Table
    caption: str
    formats: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Section:
    """A part of the report.

    ``anchor`` is its name in addresses and files, ``prose`` Markdown: paragraphs, lists with "- ",
    **bold**, `code` and [links](address).
    """

    anchor: str
    title: str
    prose: str
    claims: Sequence[tuple[Claim, Verdict]] = ()
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    sheets: Sequence[Sheet] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)


@dataclass(frozen=True)
class Document:
    """A report: ``lead`` is Markdown and says what it is and how it came about."""

    title: str
    lead: str
    sections: Sequence[Section]

    def count(self, outcome: Outcome) -> int:
        """How many claims came out so."""
        return sum(
            verdict.outcome is outcome for section in self.sections for _, verdict in section.claims
        )
