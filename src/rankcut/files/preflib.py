"""PrefLib files: soc, soi, toc, toi and cat (only read).

They open with lines ``# KEY: value``. The first letters say whether orders are strict (so) or may
have ties (to), the last whether they are complete (c) or may leave items out (i). In a cat file a
line sorts the items into categories, which are read as groups, the first the best.
"""

import re
from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from rankcut.errors import RankingFileError
from rankcut.files.text import Source, decoded, read_all, source_name, whole_number
from rankcut.rankings.orders import to_orders
from rankcut.rankings.ranking_set import RankingSet, distinct_labels, fitting_ranks

_NAME = re.compile(r"ALTERNATIVE NAME (\d{1,15})")

_STRICT = re.compile(r"[0-9, \t]+")
_GROUP = r"(?:[ \t]*\{[0-9, \t]*\}[ \t]*|[0-9 \t]+)"
_TIED = re.compile(rf"{_GROUP}(?:,{_GROUP})*")


class _Header(NamedTuple):
    """The lines before the orders."""

    n_lines: int
    numbers: range  #: of the items
    names: dict[int, str]
    fields: dict[str, str]


def read_preflib(source: Source) -> RankingSet:
    """Read a PrefLib file of orders; ``metadata`` has the header's fields.

    >>> import io
    >>> votes = read_preflib(io.StringIO('''# TITLE: lunch
    ... # DATA TYPE: toi
    ... # NUMBER ALTERNATIVES: 3
    ... # ALTERNATIVE NAME 1: toro
    ... # ALTERNATIVE NAME 2: uni
    ... # ALTERNATIVE NAME 3: ika
    ... 2: 3,{1,2}
    ... 1: 2
    ... '''))
    >>> votes.ranks
    array([[ 2.,  2.,  1.],
           [nan,  1., nan]])
    >>> votes.counts, votes.items
    (array([2, 1]), ('toro', 'uni', 'ika'))
    """
    name = source_name(source)
    lines = [line.strip() for line in decoded(read_all(source)).split("\n")]
    header = _read_header(lines, name)
    is_cat = header.fields.get("DATA TYPE", name.removesuffix(".gz")[-3:]) == "cat"
    numbers = header.numbers
    starts, columns, ranks, counts = array("q", [0]), array("q"), array("q"), array("q")
    order_lines = array("q")
    for line, text in enumerate(lines[header.n_lines :], start=header.n_lines + 1):
        if not text or text.startswith("#"):
            continue
        try:
            count, order, places = _read_line(text, is_cat)
            if len({*order}) < len(order):
                twice = next(item for i, item in enumerate(order) if item in order[:i])
                raise ValueError(f"item {twice} appears twice; an order lists each item once")
            if order and (min(order) not in numbers or max(order) not in numbers):
                unknown = next(item for item in order if item not in numbers)
                raise ValueError(
                    f"there is no item {unknown}: the header says that there are {len(numbers)} "
                    f"alternatives, counted from {numbers.start}"
                )
        except ValueError as problem:
            raise RankingFileError(str(problem), name, line) from None
        order_lines.append(line)
        counts.append(count)
        columns.extend(order)
        ranks.extend(places)
        starts.append(len(columns))
    if not counts:
        last = len(lines) - (lines[-1] == "")
        raise RankingFileError("the file has a header and no orders", name, last)
    items, notes = distinct_labels([header.names.get(i, str(i)) for i in numbers])
    entries = (np.array(ranks, dtype=float), np.array(columns) - numbers.start, starts)
    return RankingSet(
        fitting_ranks(csr_array(entries, shape=(len(counts), len(numbers)))),
        items,
        counts=np.array(counts),
        title=header.fields.get("TITLE", ""),
        metadata=header.fields,
        notes=notes,
        lines=np.array(order_lines),
    )


def _read_line(text: str, is_cat: bool) -> tuple[int, list[int], Sequence[int]]:
    """The count of a line, its items and the number of each one's group, from 1.

    >>> _read_line("25: 3,{1,2},4", False)
    (25, [3, 1, 2, 4], [1, 2, 2, 3])
    """
    first, _, rest = text.partition(":")
    count = whole_number(first.strip())
    if not count or not rest:
        raise ValueError(
            "a line has a count from 1 to 2⁵³, ':' and an order, best first, as in '25: 3,1,2'"
        )
    try:
        if _STRICT.fullmatch(rest):
            order = list(map(int, rest.split(",")))
            return count, order, range(1, len(order) + 1)
        groups = [] if _TIED.fullmatch(rest) is None else re.findall(_GROUP, rest)
        listed = [
            [int(item) for item in group.strip("{} \t").split(",")] if group.strip("{} \t") else []
            for group in groups
        ]
    except ValueError:
        listed = []
    if not listed:
        raise ValueError(
            "an order has the numbers of items, separated by commas, and tied items in braces, as "
            "in '3,{1,2},4'"
        )
    if not is_cat and [] in listed:
        raise ValueError("the group {} is empty; leave it out (only a cat file may have one)")
    places = [place for place, group in enumerate(listed, start=1) for _ in group]
    return count, [item for group in listed for item in group], places


def _read_header(lines: Sequence[str], name: str) -> _Header:
    above = list(takewhile(lambda line: not line or line.startswith("#"), lines))
    names: dict[int, str] = {}
    fields: dict[str, str] = {}
    n_items, items_line = -1, 1

    def refuse(problem: str, line: int) -> NoReturn:
        raise RankingFileError(problem, name, line)

    for line, text in enumerate(above, start=1):
        key, _, value = (part.strip() for part in text.lstrip("# ").partition(":"))
        if (numbered := _NAME.fullmatch(key.upper())) is not None:
            if int(numbered[1]) in names:
                refuse(f"{key.lower()} is given twice; keep one", line)
            names[int(numbered[1])] = value
        elif key.upper() == "NUMBER ALTERNATIVES":
            n_items, items_line = whole_number(value) or 0, line
            if not n_items:
                refuse(
                    f"the number of alternatives must be a number, 1 or more; got {value[:40]!r}; "
                    "is this a PrefLib file?",
                    line,
                )
        elif key:
            fields[key.upper()] = value
    if n_items < 0:
        refuse(
            "this is not a PrefLib file: its header has no line '# NUMBER ALTERNATIVES: …'",
            min(len(above) + 1, len(lines)),
        )
    if n_items > sum(map(len, lines)):
        refuse(
            f"the header says that there are {n_items} alternatives, more than the file has "
            "characters; correct NUMBER ALTERNATIVES",
            items_line,
        )
    # Some files number their alternatives from 0.
    first = 0 if 0 in names and n_items not in names else 1
    numbers = range(first, first + n_items)
    beyond = [i for i in names if i not in numbers]
    if beyond:
        refuse(
            f"the header names alternative {beyond[0]}, but says there are {n_items}; correct "
            "NUMBER ALTERNATIVES",
            items_line,
        )
    return _Header(len(above), numbers, names, fields)


OrderType: TypeAlias = Literal["soc", "soi", "toc", "toi"]


def format_preflib(rankings: RankingSet, name: str, kind: OrderType) -> bytes:
    """The bytes of a PrefLib file.

    Equal orders become one line, with the sum of their counts, the most frequent first. What
    PrefLib has no place for, ids and columns, is left out.

    >>> import numpy as np
    >>> votes = RankingSet(np.array([[1.0, 2.0], [1.0, 2.0]]), ("toro", "uni"))
    >>> print(format_preflib(votes, "lunch.soc", "soc").decode())
    # FILE NAME: lunch.soc
    # TITLE:
    # DATA TYPE: soc
    # NUMBER ALTERNATIVES: 2
    # NUMBER VOTERS: 2
    # NUMBER UNIQUE ORDERS: 1
    # ALTERNATIVE NAME 1: toro
    # ALTERNATIVE NAME 2: uni
    2: 1,2
    <BLANKLINE>
    """
    names = [" ".join(str(item).split()) for item in rankings.items]
    if len(set(names)) < len(names) or "" in names:
        raise RankingFileError(
            "two items have the same name, or one has none, once white space is removed; "
            "rename the items",
            name,
        )
    lines: Counter[str] = Counter()
    orders = to_orders(rankings.ranks, range(1, len(names) + 1))
    for row, (order, count) in enumerate(zip(orders, rankings.counts.tolist(), strict=True)):
        _check_kind(order, len(names), row, name, kind)
        lines[",".join(map(_group, order))] += count
    fields = {
        "FILE NAME": Path(name).name,
        "TITLE": " ".join(rankings.title.split()),
        "DATA TYPE": kind,
        "NUMBER ALTERNATIVES": len(names),
        "NUMBER VOTERS": rankings.n_rankings,
        "NUMBER UNIQUE ORDERS": len(lines),
        **{f"ALTERNATIVE NAME {i}": label for i, label in enumerate(names, start=1)},
    }
    head = [f"# {key}: {value}".rstrip() for key, value in fields.items()]
    body = [f"{count}: {order}" for order, count in lines.most_common()]
    return "\n".join([*head, *body, ""]).encode()


def _group(tied: Any) -> str:
    return "{" + ",".join(map(str, tied)) + "}" if isinstance(tied, tuple) else str(tied)


def _check_kind(order: list[Any], n_items: int, row: int, name: str, kind: OrderType) -> None:
    if not order:
        raise RankingFileError(
            f"row {row} ranks no item, which a PrefLib file cannot say; leave out such rows",
            name,
        )
    ties = any(isinstance(group, tuple) for group in order)
    if ties and kind[0] == "s":
        raise RankingFileError(
            f"row {row} has ties, and {kind} is for strict orders; write .to{kind[2]}", name
        )
    if kind[2] == "c":
        listed = sum(len(group) if isinstance(group, tuple) else 1 for group in order)
        if listed < n_items:
            raise RankingFileError(
                f"row {row} leaves out {n_items - listed} of {n_items} items, and {kind} is for "
                f"complete orders; write .{kind[:2]}i",
                name,
            )
