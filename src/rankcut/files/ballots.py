"""Ranked ballots: tables with a row for each, Dominion's records, and ABIF.

Cells follow the usual rules of RCTab: blanks, ``skipped`` and ``undervote`` are passed over, an
``overvote`` ends the ballot, and of a candidate who is chosen again the first choice counts
(``repeats``). Write-ins are one candidate.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rankcut.errors import RankingFileError
from rankcut.files.disk import reading_as, unpack_archive
from rankcut.files.guessing import (
    BLANK,
    OVERVOTE,
    PLACE,
    are_places,
    check_ranks,
    number_of_place,
)
from rankcut.files.roles import Guess, told_columns
from rankcut.files.tables import TableBlock, shown
from rankcut.files.text import Source, decoded, read_all, source_name, whole_number
from rankcut.rankings.orders import from_orders
from rankcut.rankings.ranking_set import RankingSet, fitting_ranks

_WRITE_IN = re.compile(r"(?i)(undeclared )?write[\s-]?ins?\b.*|uwi")
_NUMBERED = re.compile(r"(\D+?)[\s_]*(\d+)")
_OF_PLACES = re.compile(r"(?i)^\s*(choice\b)?\s*(of \d+)?|\s*\(\d+\)$")
_TOKEN = r"(?:\[[^\]]*\]|[^\s\[\]>=,/:*]+)"
_VOTES = re.compile(rf"(\d+)\s*[:*]\s*({_TOKEN}(?:/\S+?)?(?:\s*[>=,]\s*{_TOKEN}(?:/\S+?)?)*)?")
_VOTE = re.compile(rf"\s*([>=,]?)\s*({_TOKEN})(?:/([0-9.]+))?\s*")


def contests(block: TableBlock) -> list[Guess]:
    """The contests of a table with a column for each place, such as ``Mayor Choice 1 of 5``."""
    groups: dict[str, dict[float, int]] = {}
    for i, name in enumerate(block.names):
        if found := PLACE.search(name):
            # "Mayor Choice 1 of 5 Citywide (0269)" is about "Mayor Citywide".
            rest = f"{name[: found.start()]} {_OF_PLACES.sub('', name[found.end() :])}"
            contest = " ".join(rest.split()).strip(" :-_/")
            groups.setdefault(contest, {})[number_of_place(found)] = i
    for contest, places in _numbered(block).items() if not groups else ():
        cells = {cell for i in places.values() for cell in block.objects(i)} - {None}
        # Two words may be yes and no.
        if len(cells) > 2 and are_places(block, list(places.values())):
            groups[contest] = places
    guesses: list[Guess] = []
    for contest, places in groups.items():
        columns = [places[place] for place in sorted(places)]
        if len(columns) > 1:
            guesses.extend(_ballots(block, columns, contest))
    return guesses


def _numbered(block: TableBlock) -> dict[str, dict[float, int]]:
    """Columns of text whose names are numbered: ``Mayor 1``, ``Mayor 2``."""
    groups: dict[str, dict[float, int]] = {}
    for i, name in enumerate(block.names):
        found = _NUMBERED.fullmatch(name.strip())
        if found and not block.is_numeric(i):
            groups.setdefault(found[1], {})[float(found[2])] = i
    return {name: own for name, own in groups.items() if len(own) > 1}


def _ballots(block: TableBlock, columns: list[int], contest: str) -> list[Guess]:
    """The ways to read columns named like places: as ballots, as ranks of such items, or both."""
    cells = {i: [None if c is None else shown(c) for c in block.objects(i)] for i in columns}
    named = [{cell for cell in own if cell is not None} for own in cells.values()]
    every = set[str]().union(*named) - {*BLANK, OVERVOTE}
    numeric = [block.is_numeric(i) for i in columns]
    ranks = None
    if all(numeric):
        values = np.column_stack([block.numbers(i, "the rank") for i in columns])
        ranks = check_ranks(values, [block.names[i] for i in columns])
    guesses = []
    # Places share their items; otherwise these are answers to different questions.
    if sum(map(len, named)) > len(every) > 1:
        block_columns = list(block.columns)
        for i, own in cells.items():
            block_columns[i] = tuple(None if c is None else _candidate(c, block.codes) for c in own)
        with_names = replace(block, columns=block_columns)
        told = told_columns("ballots", columns, block) | {"question": contest, "title": contest}
        said = _rules(cells.values())
        guesses.append(Guess("ranked ballots", with_names, **told, noun="ballot", said=said))
    if all(numeric) and ranks is None:
        told = told_columns("wide", columns, block)
        guesses.append(Guess("ranks of items with these names", block, **told, question=contest))
    return guesses


def _candidate(cell: str, codes: Mapping[str, str]) -> str:
    return "Write-in" if _WRITE_IN.fullmatch(cell) else codes.get(cell, cell)


def _rules(columns: Any) -> tuple[str, ...]:
    """What the ballots have that the rules are about."""
    seen = {cell.lower() for cells in columns for cell in cells if cell is not None}
    said = []
    if seen & BLANK:
        said.append("blanks are passed over")
    if OVERVOTE in seen:
        said.append("an overvote ends a ballot")
    if any(map(_WRITE_IN.fullmatch, seen)):
        said.append("write-ins are one candidate")
    return tuple(said)


def record_blocks(source: Source) -> list[TableBlock]:
    """The table of a zip archive of Dominion's cast vote records, with a column for each place."""
    name = source_name(source)
    with reading_as("a zip archive of cast vote records (CvrExport.json)", name):
        members = {
            file.rpartition("/")[2]: json.loads(content.decode("utf-8-sig"))
            for file, content in unpack_archive(read_all(source), name).items()
            if file.endswith(".json")
        }
        exports = [own for file, own in sorted(members.items()) if file.startswith("CvrExport")]
        titles = _described(members.get("ContestManifest.json"))
        people = _described(members.get("CandidateManifest.json"))
        ballots: list[dict[tuple[int, int], str]] = []
        for session in (session for export in exports for session in export["Sessions"]):
            # What a person settled replaces what the machine read.
            record = next(r for key in ("Modified", "Original") if (r := session.get(key)))
            cards = record.get("Cards") or [record]
            ballots.append({})
            for contest in (contest for card in cards for contest in card["Contests"]):
                for mark in contest["Marks"]:
                    if mark.get("IsVote", True) and not mark.get("IsAmbiguous", False):
                        place = (contest["Id"], mark["Rank"])
                        candidate = people.get(mark["CandidateId"], str(mark["CandidateId"]))
                        ballots[-1][place] = OVERVOTE if place in ballots[-1] else candidate
    places = sorted({place for ballot in ballots for place in ballot})
    ranked = {contest for contest, rank in places if rank > 1}
    places = [place for place in places if place[0] in ranked]
    if not places:
        raise RankingFileError("no contest in these records is ranked", name)
    return [
        TableBlock(
            name,
            [f"{titles.get(contest, contest)} choice {rank}" for contest, rank in places],
            [tuple(ballot.get(place) for ballot in ballots) for place in places],
            np.arange(len(ballots)) + 1,
        )
    ]


def _described(manifest: Any) -> dict[int, str]:
    return {entry["Id"]: entry["Description"] for entry in (manifest or {"List": []})["List"]}


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
            with reading_as("a line of metadata in JSON", name):
                title = json.loads(line).get("title", title)
        elif line.startswith("="):
            token, _, full = line[1:].partition(":")
            names[token.strip().strip("[]")] = full.strip().strip("[]")
        elif line:
            found = _VOTES.fullmatch(line)
            count = None if found is None else whole_number(found[1])
            if not found or not count:
                raise RankingFileError(
                    "a line has a count and an order, as in '27: Ann > Bob = Cy'", name, number
                )
            order = _abif_order(found[2] or "")
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


def _abif_order(text: str) -> list[tuple[str, ...]]:
    """The groups of an order; where commas separate candidates, their scores order them."""
    votes = [(mark, token.strip("[]"), score) for mark, token, score in _VOTE.findall(text)]
    if any(mark == "," for mark, _, _ in votes):
        scores = {token: float(score or 0) for _, token, score in votes}
        levels = sorted({*scores.values()}, reverse=True)
        return [tuple(t for t, own in scores.items() if own == level) for level in levels]
    groups: list[tuple[str, ...]] = []
    for mark, token, _ in votes:
        if mark == "=":
            groups[-1] = (*groups[-1], token)
        else:
            groups.append((token,))
    return groups
