"""What a report of experiments is made of: claims and verdicts, pictures and tables, sections."""

import csv
import io
import json
import math
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
    """What became of a claim, and one or two sentences with the numbers that say so.

    ``published`` is what the published experiments say of it when they are run as they were.
    """

    outcome: Outcome
    because: str
    published: "Verdict | None" = None


@dataclass(frozen=True)
class Key:
    """What a line of a figure stands for: its colour and, as Matplotlib says it, its style."""

    label: str
    colour: str
    style: str = "-"


@dataclass(frozen=True)
class Picture:
    """Panels side by side where there is room, and below each other on a phone.

    ``panels`` are Matplotlib figures by their name, which says what they show; each is read at the
    width of a phone, so it holds one pair of axes, or two. ``caption`` is Markdown. ``legend`` is
    that of all panels.
    """

    panels: Mapping[str, Any]
    caption: str
    legend: Sequence["Key"] = ()


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
    """A report: ``lead`` is Markdown and says what it is and how it came about.

    ``bibtex`` is how to cite what it is about.
    """

    title: str
    lead: str
    sections: Sequence[Section]
    bibtex: str = ""

    def count(self, outcome: Outcome) -> int:
        """How many claims came out so."""
        return sum(
            verdict.outcome is outcome for section in self.sections for _, verdict in section.claims
        )


def columns_of(rows: Table) -> list[str]:
    """All columns, in the order in which rows first have them."""
    return list(dict.fromkeys(column for row in rows for column in row))


def as_csv(rows: Table) -> str:
    """A header and a line for each row; what a row does not have is empty.

    >>> print(as_csv([{"kernel": "Kendall", "seconds": 0.25}, {"kernel": "none"}]), end="")
    kernel,seconds
    Kendall,0.25
    none,
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, columns_of(rows), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_json(rows: Table) -> str:
    """A list of objects; numbers that JSON does not have are null.

    >>> print(as_json([{"seconds": float("nan")}]), end="")
    [
     {
      "seconds": null
     }
    ]
    """
    return json.dumps(_finite(list(map(dict, rows))), ensure_ascii=False, indent=1) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def shown(value: Any, form: str = "") -> str:
    """A cell as a reader wants it: numbers in the given form, nothing for what is missing.

    >>> shown(0.12345, ".2f"), shown(True), shown(None), shown("–"), shown(1250, ",")
    ('0.12', 'yes', '', '–', '1,250')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return format(value, form or (".4g" if isinstance(value, float) else ","))
    return str(value)


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def in_words(seconds: float) -> str:
    """Seconds as a person would say them.

    >>> in_words(0.00231), in_words(75), in_words(8000), in_words(0.000212)
    ('2.3 ms', '75 s', '2.2 hours', '212 µs')
    """
    units = {"hours": 3600.0, "minutes": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6}
    # Up to two minutes are told in seconds, and up to two hours in minutes.
    fitting = (
        (seconds / size, unit)
        for unit, size in units.items()
        if seconds >= (2 * size if size >= 60 else size)
    )
    number, unit = next(fitting, (seconds * 1e9, "ns"))
    return f"{number:,.0f} {unit}" if number >= 9.95 else f"{number:.2g} {unit}"


def tiny(number: float) -> str:
    """A difference that should be 0, to its power of ten.

    >>> tiny(3.6e-16), tiny(0.0)
    ('4·10⁻¹⁶', '0')
    """
    if number == 0:
        return "0"
    digit, power = f"{number:.0e}".split("e")
    return f"{digit.replace('-', '−')}·10{str(int(power)).translate(_RAISED)}"


def as_count(number: float) -> str:
    """How many times, to two digits or so.

    >>> as_count(0.8312), as_count(1234.5), as_count(29_917_694)
    ('0.83', '1,234', '30 million')
    """
    if number >= 1e6:
        return f"{number / 1e6:,.0f} million"
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"
