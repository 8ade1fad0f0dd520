"""Orders in one cell: ``a > b = c``, ``A;B;C;``, ``a b c``, or ``1:7,2:4,…``.

Most cells list items of a common set, each once, and now in one order, now in another.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from rankcut.errors import RankingFileError, Setting
from rankcut.files.options import TableOptions, one_column
from rankcut.files.readings.way import CERTAIN, FITS, MOST_ODD, Evidence, Way, ranking_set
from rankcut.files.tables import TableBlock, is_empty, number_of
from rankcut.rankings.orders import parse_order
from rankcut.rankings.ranking_set import RankingSet

_TOOLS = {
    ";": "a Microsoft Forms ranking question",
    ",": "lists in one cell",
    "|": "lists in one cell",
    " ": "an ODK or Kobo ranking question",
}
_LISTED = re.compile(r"[,;|>]")
_BRACKETED = re.compile(r"\[.*\]|\(.*\)|\{.*\}")
_RANKED = re.compile(r"\s*(\d+)\s*[:=]\s*([^:=,;]+?)\s*")

# Of the pairs of items in lists, at least this share stand in the rarer order.
_LEAST_SWAPPED = 0.02

Order = list[tuple[str, ...]]


def recognise(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """Columns whose cells list items in order."""
    if len(block.names) == 1 and columns:
        codes, texts = block.labels(0)
        # Lines of names and numbers in turn are something else.
        alike = len({number_of(text) is None for text in texts}) == 1
        listed = any(map(_LISTED.search, texts))
        if alike and len(texts) > 1 and 2 * len(texts) <= len(codes) and not listed:
            choices: list[Order] = [[(text,)] for text in block.labels(0, is_empty).texts]
            return [_way(block, 0, "one choice a line", choices, FITS)]
    ways = []
    for i in columns:
        if not block.is_numeric(i):
            texts = block.labels(i, is_empty).texts
            times = np.bincount(block.labels(i, is_empty).codes + 1)[1:]
            ways += [_way(block, i, *form) for form in _forms(texts, times)][:1]
    best = max((way.evidence for way in ways), default=None)
    return [way for way in ways if way.evidence == best]


def _forms(texts: Sequence[str], times: Any) -> Iterator[tuple[str, list[Order], Evidence]]:
    """The orders that cells list, in each form that all have."""
    if texts and all(map(_BRACKETED.fullmatch, texts)):
        # As programs write lists: "['toro', 'uni']".
        texts = [re.sub(r"['\"]", "", text[1:-1]) for text in texts]
    if any(">" in text for text in texts):
        orders = [parse_order(text) for text in texts]
        listed = [[item for group in order for item in group] for order in orders]
        once = all(all(row) and len({*row}) == len(row) for row in listed)
        if once and (len(times) < 3 or _share_items(listed, times)):
            yield "orders in one column", orders, CERTAIN
    ranked = [[_RANKED.fullmatch(p) for p in re.split(r"[,;]", t.strip(" ,;{}"))] for t in texts]
    if texts and all(len(row) > 1 and all(row) for row in ranked):
        pairs = [sorted((int(m[1]), m[2]) for m in row if m) for row in ranked]
        if all([rank for rank, _ in row] == [*range(1, len(row) + 1)] for row in pairs):
            orders = [[(item,) for _, item in row] for row in pairs]
            yield "orders in one column, with the rank of each item", orders, CERTAIN
    tied = any("=" in text for text in texts)
    for mark, what in _TOOLS.items():
        lists = [[part.strip() for part in t.strip(f"{mark} ").split(mark)] for t in texts]
        lists = [[] if row == [""] else row for row in lists]
        orders = []
        if tied:
            alone = {item for row in lists for item in row if "=" not in item}
            orders = [[_tied(item, alone) for item in row] for row in lists]
            lists = [[item for group in row for item in group] for row in orders]
        items = {item for row in lists for item in row}
        if not lists or max(map(len, lists)) < 2 or "" in items:
            continue
        if any(len({*row}) < len(row) for row in lists):
            continue
        orders = orders or [[(item,) for item in row] for row in lists]
        closed = mark == ";" and all(text.rstrip().endswith(";") for text in texts)
        if all(len(row) == len(items) for row in lists):
            # Each cell lists all items. The same text in every row is a remark.
            if closed or len({*map(tuple, lists)}) > 1:
                yield what, orders, CERTAIN
        elif mark == " " or 2 * sum(times[[len(row) > 1 for row in lists]]) <= sum(times):
            continue  # most cells have one item
        elif _share_items(lists, times) and _change_places(lists, times):
            yield "lists in one cell, the first the best", orders, FITS


def _tied(text: str, items: set[str]) -> tuple[str, ...]:
    """The items that a text ties, as "toro=uni" does where both stand alone elsewhere."""
    parts = tuple(part.strip() for part in text.split("="))
    return parts if {*parts} <= items else (text,)


def _share_items(lists: Sequence[Sequence[str]], times: Any) -> bool:
    """Whether lists are of a common set: most items are listed often."""
    number: dict[str, int] = {}
    for row, weight in zip(lists, times, strict=True):
        for item in row:
            number[item] = number.get(item, 0) + int(weight)
    often = sum(n for n in number.values() if n > (2 if sum(times) > 5 else 1))
    return often > (1 - 2 * MOST_ODD) * sum(number.values())


def _change_places(lists: Sequence[Sequence[str]], times: Any) -> bool:
    """Whether items stand in one order here and in the other there, as nothing but ranks do.

    Parts of a sentence, of a sum of money or of a list of boxes always stand in one order.
    """
    number: dict[tuple[str, str], int] = {}
    for row, weight in zip(lists, times, strict=True):
        for pair in combinations(row, 2):
            number[pair] = number.get(pair, 0) + int(weight)
    swapped = sum(min(n, number.get((b, a), 0)) for (a, b), n in number.items()) // 2
    return swapped > _LEAST_SWAPPED * sum(number.values())


def _way(block: TableBlock, column: int, what: str, orders: list[Order], evidence: Evidence) -> Way:
    name = block.names[column]
    return Way(
        what=what,
        read=lambda options: _read(block, column, orders, options),
        evidence=evidence,
        settings=(Setting("order", name),),
        question=name,
        title="" if what == "orders in one column" else name,
        noun="respondent",
    )


def as_orders(block: TableBlock, options: TableOptions) -> Way:
    """The orders of the column that an option names, or its name."""
    column = one_column(options.order, "order", block)
    return Way(
        what="orders",
        read=lambda options: _read(block, column, _parsed(block, column, options.repeats), options),
        evidence=CERTAIN,
    )


def _parsed(block: TableBlock, column: int, repeats: str | None) -> list[Order]:
    """The order of each distinct cell."""
    orders = []
    codes, texts = block.labels(column, is_empty)
    for code, text in enumerate(texts):
        order = parse_order(text)
        listed = [label for group in order for label in group]
        row = int(np.argmax(codes == code))
        if "" in listed:
            block.refuse(row, column, f"{text[:40]!r} leaves out an item", "write Ann > Bob = Cy")
        if len({*listed}) < len(listed):
            if repeats in (None, "error"):
                twice = next(label for i, label in enumerate(listed) if label in listed[:i])
                block.refuse(
                    row,
                    column,
                    f"item {twice!r} appears twice",
                    ["pass ", Setting("repeats", "first"), " to count the first mention"],
                )
            order = _mentioned_once(order, repeats)
        orders.append(order)
    return orders


def _mentioned_once(order: Order, repeats: str | None) -> Order:
    """The order with the first or last mention of each item, or up to the first repetition.

    >>> order = [("Ann",), ("Bob", "Cy"), ("Ann",), ("Dee",)]
    >>> _mentioned_once(order, "last"), _mentioned_once(order, "end")
    ([('Bob', 'Cy'), ('Ann',), ('Dee',)], [('Ann',), ('Bob', 'Cy')])
    """
    mentioned: set[str] = set()
    groups = []
    for group in reversed(order) if repeats == "last" else order:
        new = tuple(label for label in dict.fromkeys(group) if label not in mentioned)
        if repeats == "end" and len(new) < len(group):
            break
        mentioned.update(new)
        if new:
            groups.append(new)
    return groups[::-1] if repeats == "last" else groups


def _read(
    block: TableBlock, column: int, orders: Sequence[Order], options: TableOptions
) -> RankingSet:
    """The rankings of rows that each have one of some orders, or none."""
    numbers: dict[str, int] = {}
    listed = [
        (numbers.setdefault(label, len(numbers)), rank)
        for order in orders
        for rank, group in enumerate(order, start=1)
        for label in group
    ]
    if not numbers:
        raise RankingFileError("no order names an item", block.source)
    sizes = [*(sum(map(len, order)) for order in orders), 0]
    entries = np.array(listed, dtype=np.float64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    matrix = csr_array(
        (entries[:, 1], entries[:, 0].astype(np.int64), starts), shape=(len(sizes), len(numbers))
    )
    codes = block.labels(column, is_empty).codes
    return ranking_set(matrix[codes], list(numbers), block, options, [column])
