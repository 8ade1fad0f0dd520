"""BLT files: ranked ballots as election offices and counting programs write them.

The first line has the number of candidates and of seats; then, if any, ``-2 -5`` for candidates who
withdrew; then one ballot per line, ``weight first second … 0``, where ``3=4`` is a tie, ``-`` a
rank left blank, and a ``(name)`` in front of a ballot is passed over; then ``0``; then the
candidates' names and a title, in quotes. From ``#`` on a line is a comment.
"""

import re
from collections import Counter
from itertools import chain
from typing import NoReturn

import numpy as np

from rankcut.errors import RankingFileError, amount
from rankcut.files.text import Source, decoded, read_all, source_name, whole_number
from rankcut.rankings.orders import from_orders, to_orders
from rankcut.rankings.ranking_set import RankingSet, distinct_labels, fitting_ranks

_NAME = re.compile(r"^\([^()]*\)")
_QUOTED = re.compile(r'"(.*?)"\s*(?:#.*)?')


def read_blt(source: Source) -> RankingSet:
    """Read a BLT file of ranked ballots.

    ``metadata`` has the number of ``SEATS`` and the numbers of the candidates ``WITHDRAWN``, who
    stay among the items.

    >>> import io
    >>> votes = read_blt(io.StringIO('''3 1
    ... 2 3 1=2 0
    ... 1 2 0
    ... 0
    ... "toro"
    ... "uni"
    ... "ika"
    ... "lunch"
    ... '''))
    >>> votes.ranks
    array([[ 2.,  2.,  1.],
           [nan,  1., nan]])
    >>> votes.counts, votes.title
    (array([2, 1]), 'lunch')
    """
    name = source_name(source)
    # A carriage return alone ends no line, and has no meaning within one.
    lines = decoded(read_all(source)).replace("\r", "").split("\n")

    def refuse(problem: str, line: int) -> NoReturn:
        raise RankingFileError(problem, name, line)

    place = iter(enumerate(lines, start=1))
    number, text = next(((n, t) for n, t in map(_uncommented, place) if t), (1, ""))
    opening = [whole_number(token) for token in text.split()]
    if len(opening) != 2 or None in opening or not opening[0]:
        refuse(
            "the first line should have the number of candidates and of seats, as in '4 1'; is "
            "this a BLT file?",
            number,
        )
    n_items = opening[0]
    if n_items > len(lines):
        refuse(
            f"{n_items} candidates cannot all be named in {amount(len(lines), 'line')}; correct "
            "the first number",
            number,
        )
    withdrawn: list[int] = []
    ballots: list[tuple[int, list[list[int]]]] = []
    ballot_lines: list[int] = []
    n_blank = 0
    for number, text in map(_uncommented, place):
        if text == "0":
            break
        try:
            if re.match(r"-\S", text):
                if ballots or not all(token.startswith("-") for token in text.split()):
                    raise ValueError(
                        "withdrawn candidates, as '-2 -5', stand before the ballots, on a line of "
                        "their own"
                    )
                withdrawn += [_item(token[1:], n_items) for token in text.split()]
            elif text:
                ballots.append(_read_ballot(text, n_items))
                ballot_lines.append(number)
                n_blank += text.split().count("-")
        except ValueError as problem:
            refuse(str(problem), number)
    else:
        refuse(
            "the file ends before the line '0', which separates the ballots from the names",
            len(lines),
        )
    quoted = [_unquoted(text.strip()) for line, text in place if _uncommented((line, text))[1]]
    if len(quoted) not in (n_items, n_items + 1):
        refuse(
            f"after the line '0' come the names of {n_items} candidates and a title, a line each; "
            f"got {amount(len(quoted), 'line')}",
            number,
        )
    if not ballots:
        refuse("the file has no ballots", number)
    items, notes = distinct_labels(quoted[:n_items])
    metadata = {"SEATS": str(opening[1])}
    if withdrawn:
        metadata["WITHDRAWN"] = " ".join(map(str, withdrawn))
        notes += (f"{', '.join(items[i - 1] for i in withdrawn)} withdrew, and is among the items",)
    if n_blank:
        notes += (f"{amount(n_blank, 'blank place')} left out",)
    orders = [[tuple(items[i - 1] for i in group) for group in groups] for _, groups in ballots]
    ranks, _ = from_orders(orders, items=items, sparse=True)
    return RankingSet(
        fitting_ranks(ranks),
        items,
        counts=[times for times, _ in ballots],
        title="".join(quoted[n_items:]),
        metadata=metadata,
        notes=notes,
        lines=np.array(ballot_lines),
    )


def _read_ballot(text: str, n_items: int) -> tuple[int, list[list[int]]]:
    """How many cast a ballot, and its groups of candidates."""
    tokens = _NAME.sub("", text).split()
    if len(tokens) < 2 or tokens[-1] != "0":
        raise ValueError(
            "a ballot has a weight, the numbers of candidates, best first, and 0 at its end, as in "
            "'1 3 2 0'"
        )
    count = whole_number(tokens[0])
    if not count:
        raise ValueError(
            f"the weight {tokens[0][:20]!r} should be a whole number from 1 up: how many cast this "
            "ballot"
        )
    listed = [token.split("=") for token in tokens[1:-1] if token != "-"]
    groups = [[_item(token, n_items) for token in group] for group in listed]
    twice, times = Counter(chain.from_iterable(groups)).most_common(1)[0] if groups else (0, 1)
    if times > 1:
        raise ValueError(f"candidate {twice} appears twice; a ballot lists each once")
    return count, groups


def _item(token: str, n_items: int) -> int:
    number = whole_number(token)
    if number is None or not 1 <= number <= n_items:
        raise ValueError(
            f"there is no candidate {token[:20]!r}: they are numbered from 1 to {n_items}"
        )
    return number


def _uncommented(numbered: tuple[int, str]) -> tuple[int, str]:
    return numbered[0], numbered[1].partition("#")[0].strip()


def _unquoted(text: str) -> str:
    quoted = _QUOTED.fullmatch(text)
    return (text.partition("#")[0] if quoted is None else quoted[1]).strip()


def format_blt(rankings: RankingSet, name: str) -> bytes:
    """The bytes of a BLT file; ids and columns, for which it has no place, are left out.

    >>> import numpy as np
    >>> votes = RankingSet(np.array([[2.0, 2.0, 1.0]]), ("toro", "uni", "ika"), title="lunch")
    >>> print(format_blt(votes, "lunch.blt").decode())
    3 1
    1 3 1=2 0
    0
    "toro"
    "uni"
    "ika"
    "lunch"
    <BLANKLINE>
    """
    names = _quotable([*map(str, rankings.items), rankings.title], name)
    n_items = len(rankings.items)
    lines = [f"{n_items} {rankings.metadata.get('SEATS', '1')}"]
    if "WITHDRAWN" in rankings.metadata:
        lines.append(" ".join(f"-{item}" for item in rankings.metadata["WITHDRAWN"].split()))
    orders = to_orders(rankings.ranks, range(1, n_items + 1))
    for count, order in zip(rankings.counts.tolist(), orders, strict=True):
        groups = [
            "=".join(map(str, group)) if isinstance(group, tuple) else str(group) for group in order
        ]
        lines.append(" ".join([str(count), *groups, "0"]))
    return "\n".join([*lines, "0", *names, ""]).encode()


def _quotable(names: list[str], source: str) -> list[str]:
    quoted = []
    for label in names:
        text = " ".join(label.split())
        if _unquoted(f'"{text}"') != text:
            raise RankingFileError(
                f"the name {label!r} cannot appear in a BLT file: a quotation mark before # ends "
                "it; rename it",
                source,
            )
        quoted.append(f'"{text}"')
    if len(set(quoted[:-1])) < len(quoted) - 1:
        raise RankingFileError(
            "two items have the same name once white space is removed; rename them", source
        )
    return quoted
