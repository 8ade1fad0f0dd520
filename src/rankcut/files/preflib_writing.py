"""PrefLib files written: soc, soi, toc and toi, with a current header."""

from collections import Counter
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from rankcut.files.errors import RankingFileError
from rankcut.files.ranking_set import RankingSet
from rankcut.orders import to_orders

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
    if kind not in get_args(OrderType):
        raise RankingFileError(
            f"rankings are written as soc, soi, toc or toi, not as {kind}: toc keeps categories "
            "as ties",
            name,
        )
    names = [" ".join(str(item).split()) for item in rankings.items]
    if len(set(names)) < len(names) or "" in names:
        raise RankingFileError(
            "two items have the same name, or one has none, once white space is taken out; "
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
