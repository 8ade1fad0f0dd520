"""Texts with a count and an order on each line.

ABIF, the aggregated ballot information format, has ``27: Ann > Bob = Cy``; the Condorcet Election
Format has ``Ann > Bob = Cy * 27``, with ``^ 2`` for a weight, and remarks behind ``#``.
"""

import json
import re

import numpy as np

from rankcut.errors import RankingFileError
from rankcut.files.text import Source, decoded, read_all, source_name, whole_number
from rankcut.rankings.orders import from_orders, parse_order
from rankcut.rankings.ranking_set import RankingSet, fitting_ranks

_TOKEN = r"(?:\[[^\]]*\]|[^\s\[\]>=,/:*]+)"
_VOTES = re.compile(rf"(\d+)\s*[:*]\s*({_TOKEN}(?:/\S+?)?(?:\s*[>=,]\s*{_TOKEN}(?:/\S+?)?)*)?")
_TITLE = re.compile(r'\{\s*title\s*:\s*"([^"]*)"')
_VOTE = re.compile(rf"\s*([>=,]?)\s*({_TOKEN})(?:/([0-9.]+))?\s*")


def read_abif(source: Source) -> RankingSet:
    r"""Read ABIF, the aggregated ballot information format: ``27: Ann > Bob = Cy``.

    >>> import io
    >>> votes = read_abif(io.StringIO("{\"title\": \"lunch\"}\n=A:[Ann Lee]\n27:A>B\n3:B/5,A/1\n"))
    >>> votes.ranks.tolist(), votes.items, votes.counts.tolist(), votes.title
    ([[1.0, 2.0], [2.0, 1.0]], ('Ann Lee', 'B'), [27, 3], 'lunch')
    """
    name = source_name(source)
    names: dict[str, str] = {}
    counts, lines, orders = list[int](), list[int](), list[list[tuple[str, ...]]]()
    title = ""
    for number, text in enumerate(decoded(read_all(source)).split("\n"), start=1):
        line = text.partition("#")[0].strip()
        if line.startswith("{"):
            title = _title(line) or title
        elif line.startswith("="):
            token, _, full = line[1:].partition(":")
            names[token.strip().strip("[]")] = full.strip().strip("[]")
        elif line:
            match = _VOTES.fullmatch(line)
            count = None if match is None else whole_number(match[1])
            if not match or not count:
                raise RankingFileError(
                    "a line has a count and an order, as in '27: Ann > Bob = Cy'", name, number
                )
            order = _abif_order(match[2] or "")
            listed = [token for group in order for token in group]
            if len({*listed}) < len(listed):
                raise RankingFileError("an order lists each candidate once", name, number)
            counts.append(count)
            lines.append(number)
            orders.append(order)
    if not any(orders):
        raise RankingFileError("the file has no votes", name, 1)
    named = [[tuple(names.get(t, t) for t in group) for group in order] for order in orders]
    ranks, items = from_orders(named, sparse=True)
    return RankingSet(
        fitting_ranks(ranks), tuple(items), counts=counts, title=title, lines=np.array(lines)
    )


_FACT = re.compile(r"(?i)#/\s*(candidates|implicit ranking|weight allowed)\s*:(.*)")
_TIMES = re.compile(r"(.*?)\s*(?:\^\s*(\d+))?\s*(?:\*\s*(\d+))?")


def read_cef(source: Source) -> RankingSet:
    r"""Read the Condorcet Election Format: ``Ann > Bob = Cy ^ 2 * 27``.

    >>> import io
    >>> text = "#/Candidates: A ; B ; C\nA > C * 3 # three of them\nann || C > A = B ^ 2\n"
    >>> votes = read_cef(io.StringIO(text))
    >>> votes.ranks.tolist(), votes.items, votes.counts.tolist()
    ([[1.0, nan, 2.0], [2.0, 2.0, 1.0]], ('A', 'B', 'C'), [3, 2])
    """
    name = source_name(source)
    facts: dict[str, str] = {}
    counts, lines, orders = list[int](), list[int](), list[list[tuple[str, ...]]]()
    for number, text in enumerate(decoded(read_all(source)).split("\n"), start=1):
        if fact := _FACT.match(text):
            facts[fact[1].lower()] = fact[2].strip()
        line = text.partition("#")[0].rpartition("||")[2].strip()
        if not line:
            continue
        match = _TIMES.fullmatch(line)
        assert match is not None
        order = [] if match[1] == "/EMPTY_RANKING/" else parse_order(match[1])
        listed = [label for group in order for label in group]
        if len({*listed}) < len(listed) or "" in listed:
            raise RankingFileError("an order lists each candidate once", name, number)
        times = whole_number(match[2] or "1"), whole_number(match[3] or "1")
        if not times[0] or not times[1]:
            raise RankingFileError("a count or weight is a whole number from 1", name, number)
        counts.append(times[0] * times[1])
        lines.append(number)
        orders.append(order)
    if not any(orders):
        raise RankingFileError("the file has no votes", name, 1)
    people = [each.strip() for each in facts.get("candidates", "").split(";") if each.strip()]
    unknown = [each for order in orders for group in order for each in group if each not in people]
    ranks, items = from_orders(orders, items=None if unknown else people, sparse=True)
    rankings = RankingSet(fitting_ranks(ranks), tuple(items), counts=counts, lines=np.array(lines))
    is_implicit = facts.get("implicit ranking", "true").lower() == "true"
    return rankings.meaning("last" if is_implicit else "anywhere")


def is_cef(line: str) -> bool:
    """Whether a line of text is one of the Condorcet Election Format, and of no other.

    >>> is_cef("Ann > Bob * 27"), is_cef("Ann > Bob")
    (True, False)
    """
    order = line.partition("#")[0].rpartition("||")[2]
    return _FACT.match(line) is not None or re.search(r">.*[*^]\s*\d+\s*$", order) is not None


def _title(line: str) -> str:
    """The title in a line of metadata, JSON or with a key that nobody quoted."""
    try:
        return str(json.loads(line).get("title", ""))
    except (ValueError, AttributeError):
        match = _TITLE.match(line)
        return match[1] if match else ""


def _abif_order(text: str) -> list[tuple[str, ...]]:
    """The groups of an order; where commas separate candidates, their scores order them."""
    votes = [(mark, token.strip("[]"), score) for mark, token, score in _VOTE.findall(text)]
    if any(mark == "," for mark, _, _ in votes):
        scores = {token: float(score or 0) for _, token, score in votes}
        levels = sorted({*scores.values()}, reverse=True)
        return [tuple(t for t, score in scores.items() if score == level) for level in levels]
    groups: list[tuple[str, ...]] = []
    for mark, token, _ in votes:
        if mark == "=":
            groups[-1] = (*groups[-1], token)
        else:
            groups.append((token,))
    return groups
