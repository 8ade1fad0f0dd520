"""Text that is no table: lines of ballots without a header, and profiles that programs write.

================= ================================================================================
Scottish councils ``5,3`` for candidates and seats, then ``12,4,1,2`` for a count and candidates'
                  numbers, then the candidates' names
VoteKit           ``VoteKit RankProfile`` or ``ScoreProfile``, candidates and their keys,
                  ``Ranking_1, …, &, Weight``, or a column of scores for each candidate
lines of ballots  ``Ann,Bob`` and ``Cy,Ann,Dee``: each as long as its voter made it
================= ================================================================================
"""

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np

from rankcut.errors import RankingFileError
from rankcut.files.abif import is_cef
from rankcut.files.tables import Cells, Header, TableBlock, number_of
from rankcut.files.text import (
    DELIMITERS,
    SEEN_FOR_HEADER,
    RaggedError,
    Source,
    decoded,
    open_text,
    read_all,
    source_name,
    text_blocks,
)

_CANDIDATE = re.compile(r"(?i)candidate\s*(\d+)")
_KEYED = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*):([^:()]+)\)")
_GROUP = re.compile(r"'((?:[^'\\]|\\.)*)'|\"([^\"]*)\"|([^\s{},'\"]+)")

# "5,3,,": how many candidates and seats.
_SIZES = re.compile(r"\d+,\s*\d+,*")
# "27: Ann > Bob", "3:Ann/5,Bob/2".
_COUNTED = re.compile(r"\d+\s*[:*]\s*(?!\d+\s*(,|$))")
# "1:7,2:4,3:1".
_RANKED = re.compile(r"\d+\s*[:=][^:=,;]+([,;]\s*\d+\s*[:=][^:=,;]+)+")
# A sign that no text has: each line is one cell.
_UNDIVIDED = "\x1f"

# Of two cells none may be missing, and in wider tables than this it would be too many.
_MOST_COLUMNS = 64

# Lines without a header are ballots if at least this many name candidates of a common set.
_FEWEST_LINES = 4


def ballots_in(content: bytes, name: str) -> TableBlock | None:
    """The table of a text of ballots; None if it is none."""
    text = decoded(content)
    if text.startswith("VoteKit "):
        return _votekit(text, name)
    if "\0" in text:
        return None
    try:
        rows = list(csv.reader(io.StringIO(text)))
    except csv.Error:
        return None
    numbered = [
        (line, [cell.strip() for cell in row])
        for line, row in enumerate(rows, start=1)
        if any(cell.strip() for cell in row)
    ]
    return _council(numbered, name) or _lines(numbered, name)


def _council(rows: Sequence[tuple[int, list[str]]], name: str) -> TableBlock | None:
    """A ward of a Scottish council: sizes, counted ballots, and one line for each candidate."""
    filled = [(line, [cell for cell in row if cell]) for line, row in rows]
    if len(filled) < 4 or len(filled[0][1]) != 2 or not _numbers(filled[0][1]):
        return None
    n_candidates = int(filled[0][1][0])
    votes = [(line, row) for line, row in filled[1:] if _numbers(row)]
    others = [row for _, row in filled[1:] if not _numbers(row)]
    if not n_candidates or not votes or len(others) not in (n_candidates, n_candidates + 1):
        return None
    named = [row[1:] if _CANDIDATE.fullmatch(row[0]) else row for row in others[:n_candidates]]
    names = [row[0] for row in named if row]
    orders = [[int(cell) for cell in row[1:]] for _, row in votes]
    if len({*names}) < n_candidates or any(
        not all(0 < k <= n_candidates for k in order) or len({*order}) < len(order)
        for order in orders
    ):
        return None
    ballots = [[names[k - 1] for k in order] for order in orders]
    counts = [row[0] for _, row in votes]
    title = others[n_candidates][0] if len(others) > n_candidates else ""
    return _block(name, title, ballots, [line for line, _ in votes], {"count": counts})


def _numbers(row: Sequence[str]) -> bool:
    return all(cell.isascii() and cell.isdecimal() for cell in row)


def _votekit(text: str, name: str) -> TableBlock | None:
    """What VoteKit's profiles write as CSV: sets of candidates in places, or their scores.

    A ballot without ranks has those of its scores, of which more are better.
    """
    lines = text.splitlines()
    head = next((i for i, line in enumerate(lines) if line.startswith("=,")), None)
    if head is None or head + 1 == len(lines):
        return None
    titles = next(csv.reader([lines[head + 1]]))
    if "Weight" not in titles:
        return None
    weight = titles.index("Weight")
    people = {key.strip(): each for each, key in _KEYED.findall(lines[2])}
    places = [i for i, title in enumerate(titles) if title.startswith("Ranking_")]
    scored = {i: key for i, key in enumerate(titles) if key in people}
    ranks, weights, at = list[list[float]](), list[float](), list[int]()
    for line, row in enumerate(csv.reader(lines[head + 2 :]), start=head + 3):
        if len(row) <= weight:
            continue
        rank = {a or b or c: k for k, i in enumerate(places) for a, b, c in _GROUP.findall(row[i])}
        scores = {key: float(row[i] or 0) for i, key in scored.items()}
        if not rank and any(scores.values()):
            rank = {key: sum(s > score for s in scores.values()) for key, score in scores.items()}
        if unknown := [key for key in rank if key not in people]:
            raise RankingFileError(f"no candidate has the key {unknown[0]!r}", name, line)
        levels = sorted({*rank.values()})
        places_taken = {key: 1.0 + levels.index(level) for key, level in rank.items()}
        ranks.append([places_taken.get(key, np.nan) for key in people])
        weights.append(float(Fraction(row[weight])))
        at.append(line)
    counted = all(each % 1 == 0 for each in weights)
    columns = [np.array(weights), *np.array(ranks).T]
    return TableBlock(
        name,
        ["count" if counted else "weight", *people.values()],
        columns,
        np.array(at),
        marked=[*range(1, len(columns))],
        weighted=None if counted else 0,
    )


def _lines(rows: Sequence[tuple[int, list[str]]], name: str) -> TableBlock | None:
    """Ballots of different lengths, whose candidates are a common set, each once on a ballot."""
    ballots = [row for _, row in rows]
    while ballots and all(len(row) and row[-1] == "" for row in ballots):
        ballots = [row[:-1] for row in ballots]
    ballots = [[cell for cell in row if cell] for row in ballots]
    times = Counter(cell for row in ballots for cell in row)
    notes: tuple[str, ...] = ()
    if ballots and all(times[cell] == 1 for cell in ballots[0]):
        # A remark, whose words nobody chooses.
        notes = (f"line {rows[0][0]} names nobody and is left out",)
        rows, ballots = rows[1:], ballots[1:]
        times = Counter(cell for row in ballots for cell in row)
    if ballots and {*ballots[0]} == {*times} and any(len(row) < len(times) for row in ballots):
        notes = (*notes, f"line {rows[0][0]} names everybody, and counts as a ballot")
    listed = sum(times.values())
    again = any(len({*row}) < len(row) for row in ballots)
    common = sum(number for number in times.values() if number > 1)
    if len(ballots) < _FEWEST_LINES or again or len(times) < 3 or 4 * common < 3 * listed:
        return None
    # Numbers may be counts, codes or scores as well.
    if any(number_of(cell) is not None for cell in times) or 2 * len(times) > listed:
        return None
    block = _block(name, "", ballots, [line for line, _ in rows], {})
    if any("=" in cell for cell in times):
        orders = Cells.of(" > ".join(row) for row in ballots)
        block = replace(block, names=["order"], columns=[orders])
    return replace(block, notes=notes)


def _block(
    name: str,
    title: str,
    ballots: Sequence[Sequence[str]],
    lines: Sequence[int],
    others: dict[str, list[str]],
) -> TableBlock:
    width = max(map(len, ballots))
    places = [Cells.of(row[k] if k < len(row) else "" for row in ballots) for k in range(width)]
    names = [f"{title} choice {k + 1}".strip() for k in range(width)]
    columns = [*(Cells.of(cells) for cells in others.values()), *places]
    return TableBlock(name, [*others, *names], columns, np.array(lines))


class _Named(io.BytesIO):
    """What a stream holds, to be read again, under its name."""

    def __init__(self, source: Source):
        super().__init__(read_all(source))
        self.name = source_name(source)


def read_again(source: Source) -> Source:
    """The source, or a copy of a stream or pipe that cannot be read from its beginning again."""
    if isinstance(source, str | os.PathLike):
        return _Named(source) if Path(source).is_fifo() else source
    again = isinstance(source, io.BufferedReader) and source.seekable() and source.tell() == 0
    return source if again or isinstance(source, _Named) else _Named(source)


def _opened(source: Source) -> Source:
    if not isinstance(source, str | os.PathLike):
        source.seek(0)
    return source


def format_of_text(source: Source) -> Literal["abif", "cef", "trec", "soi", "txt"]:
    r"""What a text file without a telling suffix is.

    >>> format_of_text(io.StringIO("27: Ann > Bob\n3: Bob\n"))
    'abif'
    """
    lines = _sample(source)
    if any(line.startswith("# NUMBER ALTERNATIVES") for line in lines):
        return "soi"
    votes = [line for line in lines if not line.startswith(("#", "{", "="))]
    if votes and all(map(_COUNTED.match, votes)):
        return "abif"
    if any(map(is_cef, lines)):
        return "cef"
    fields = [line.split() for line in votes]
    return "trec" if fields and all(len(o) == 6 and o[1] == "Q0" for o in fields) else "txt"


def _sample(source: Source) -> list[str]:
    """The first lines of a source, which is at its beginning again."""
    with open_text(_opened(source)) as text:
        lines = [line.strip() for line in islice(text, SEEN_FOR_HEADER) if line.strip()]
    _opened(source)
    return lines


def text_file_blocks(
    source: Source,
    *,
    delimiter: str | None,
    header: Header,
    rows: int | None,
    plain: bool = False,
) -> Iterator[TableBlock]:
    r"""The blocks of a text file: a table, or lines of ballots; ``plain`` ones have no suffix.

    >>> import io
    >>> block, = text_file_blocks(
    ...     io.StringIO("Ann,Bob,Cy\nBob\nCy,Ann\nAnn,Cy\nBob,Cy\n"),
    ...     delimiter=None, header=None, rows=None)
    >>> block.names, len(block)
    (['choice 1', 'choice 2', 'choice 3'], 5)
    """
    lines = []
    if header is None and delimiter in (None, ","):
        source = read_again(source)
        lines = _sample(source)
    ballots = None
    if lines and (lines[0].startswith("VoteKit ") or _SIZES.fullmatch(lines[0])):
        ballots = ballots_in(read_all(_opened(source)), source_name(source))
    if ballots is not None:
        yield ballots
        return
    if plain and lines:
        delimiter, header = _plain_dialect(lines)
    source = _opened(source) if lines else source
    blocks = text_blocks(source, delimiter=delimiter, header=header, rows=rows)
    try:
        first = next(blocks)
    except RaggedError:
        ballots = ballots_in(read_all(_opened(source)), source_name(source)) if lines else None
        if ballots is None:
            width = max(map(lines[0].count, DELIMITERS)) + 1 if lines else 0
            if not 2 < width <= _MOST_COLUMNS:
                raise
            blocks = text_blocks(
                _opened(source), delimiter=delimiter, header=header, rows=rows, ragged=True
            )
            notes = ("rows that lack cells at their end are filled with empty ones",)
            yield from (replace(block, notes=notes) for block in blocks)
            return
        yield ballots
        return
    yield first
    yield from blocks


def _plain_dialect(lines: Sequence[str]) -> tuple[str | None, Header]:
    """What divides the cells of a text, and whether it has no header."""
    orders = sum(">" in line for line in lines)
    if 2 * orders > len(lines):
        return _UNDIVIDED, 0 if ">" in lines[0] else None
    if all(map(_RANKED.fullmatch, lines)):
        return _UNDIVIDED, 0
    if any(mark in lines[0] for mark in DELIMITERS):
        return None, None
    widths = {len(re.split(r"\t|\s{2,}" if "  " in line else r"\s+", line)) for line in lines}
    return (" " if len(widths) == 1 and widths != {1} else _UNDIVIDED), None


def log_blocks(source: Source) -> Iterator[TableBlock]:
    """The table of a TREC run, or of a MovieLens file without a header."""
    name = source_name(source)
    with open_text(source) as text:
        lines = [(n, line.strip()) for n, line in enumerate(text, start=1) if line.strip()]
    rows = [re.split(r"::|\s+", line) for _, line in lines]
    titles = {
        6: ["query", "Q0", "document", "rank in the run", "score", "run"],
        4: ["user", "item", "rating", "timestamp"],
    }
    width = len(rows[0]) if rows else 0
    is_run = width == 6 and all(row[1:2] in (["Q0"], ["0"]) for row in rows)
    if not is_run and not (width == 4 and all(len(r) == 4 and r[1].isdigit() for r in rows)):
        raise RankingFileError(
            "neither a TREC run ('query Q0 document rank score tag') nor ratings of MovieLens "
            "('user::film::rating::time')",
            name,
            1,
            remedy="if it is a table, name its format: csv or tsv",
        )
    for (line, _), row in zip(lines, rows, strict=True):
        if len(row) != width:
            raise RankingFileError(f"this line has {len(row)} fields, not {width}", name, line)
    columns = [Cells.of(column) for column in zip(*rows, strict=True)]
    yield TableBlock(name, titles[width], columns, np.array([line for line, _ in lines]))
