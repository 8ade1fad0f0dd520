"""ABIF, the aggregated ballot information format: a count and an order on each line."""

import json
import re

import numpy as np

from rankcut.errors import RankingFileError
from rankcut.files.text import Source, decoded, read_all, source_name, whole_number
from rankcut.rankings.orders import from_orders
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
