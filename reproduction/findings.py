"""The pieces of a report: claims and verdicts, pictures and tables, sections."""

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, Any]
"""One line of a table: text, a number, True, False or None for each column."""

Table: TypeAlias = Sequence[Row]


class Outcome(StrEnum):
    """The verdict on a claim."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    #: It was checked, but the numbers do not decide.
    UNDECIDED = "not decided"
    #: It was not checked.
    UNCHECKED = "not checked"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, in a sentence of ours, and where it is made: "Section 4.2"."""

    statement: str
    where: str


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim, with one or two sentences that give the numbers.

    ``published`` is the verdict of the published experiments, run as published.
    """

    outcome: Outcome
    because: str
    published: "Verdict | None" = None


@dataclass(frozen=True)
class Key:
    """The meaning of a line in a figure, its colour and its Matplotlib style."""

    label: str
    colour: str
    style: str = "-"


@dataclass(frozen=True)
class Picture:
    """Panels, side by side if there is room, and below each other on a phone.

    ``panels`` are Matplotlib figures by their name, which says what they show; each is read at the
    width of a phone, so it holds one pair of axes, or two. ``caption`` is Markdown. ``legend`` is
    that of all panels.
    """

    panels: Mapping[str, Any]
    caption: str
    legend: Sequence["Key"] = ()


@dataclass(frozen=True)
class Sheet:
    """A table to show; ``formats`` has the number format of each column, such as ".3f"."""

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
    """A report; ``lead`` is Markdown, and explains what it is and how it was made.

    ``bibtex`` cites the paper.
    """

    title: str
    lead: str
    sections: Sequence[Section]
    bibtex: str = ""

    def count(self, outcome: Outcome) -> int:
        """The number of claims with this verdict."""
        return sum(
            verdict.outcome is outcome for section in self.sections for _, verdict in section.claims
        )


def columns_of(rows: Table) -> list[str]:
    """All columns, in order of first appearance."""
    return list(dict.fromkeys(column for row in rows for column in row))


def as_csv(rows: Table) -> str:
    """A header and one line per row; missing values are empty.

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
    """A list of objects; NaN and infinity become null.

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
    """A cell as text: numbers in the given format, nothing for missing values.

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
    # Seconds up to two minutes, then minutes up to two hours.
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
    """A number of times, to about two digits.

    >>> as_count(0.8312), as_count(1234.5), as_count(29_917_694)
    ('0.83', '1,234', '30 million')
    """
    if number >= 1e6:
        return f"{number / 1e6:,.0f} million"
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"
