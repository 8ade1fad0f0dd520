"""Cast vote records in JSON: Dominion's, alone or zipped, and NIST's common data format."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from rankcut.errors import RankingFileError
from rankcut.files.disk import reading_as, unpack_archive
from rankcut.files.tables import OVERVOTE, Cells, TableBlock
from rankcut.files.text import Source, read_all, source_name

Ballot: TypeAlias = dict[tuple[Any, int], str]
"""The candidate, or an overvote, in each place of each contest."""


def record_blocks(source: Source) -> list[TableBlock]:
    """The table of a zip archive of Dominion's cast vote records, with a column for each place."""
    name = source_name(source)
    with reading_as("a zip archive of cast vote records (CvrExport.json)", name):
        members = {
            file.rpartition("/")[2]: json.loads(content.decode("utf-8-sig"))
            for file, content in unpack_archive(read_all(source), name).items()
            if file.endswith(".json")
        }
        exports = [
            export for file, export in sorted(members.items()) if file.startswith("CvrExport")
        ]
        manifests = (members.get(f"{what}Manifest.json") for what in ("Contest", "Candidate"))
        titles, people = map(_described, manifests)
        ballots = [ballot for export in exports for ballot in _dominion(export, people)]
    return [_table(ballots, titles, name)]


def single_records(data: Mapping[str, Any], name: str) -> TableBlock | None:
    """The table of one JSON file of records; None if the data are no such records."""
    if isinstance(data.get("Sessions"), list):
        return _table(list(_dominion(data, {})), {}, name)
    if isinstance(data.get("CVR"), list):
        elections = [
            election for election in data.get("Election", ()) if isinstance(election, dict)
        ]
        contests = [contest for election in elections for contest in election.get("Contest", ())]
        titles = {contest["@id"]: contest.get("Name", contest["@id"]) for contest in contests}
        return _table(list(_common_format(data["CVR"], elections, contests)), titles, name)
    return None


def _table(ballots: list[Ballot], titles: Mapping[Any, str], name: str) -> TableBlock:
    places = sorted({place for ballot in ballots for place in ballot})
    ranked = {contest for contest, rank in places if rank > 1}
    places = [place for place in places if place[0] in ranked]
    if not places:
        raise RankingFileError("no contest in these records is ranked", name)
    return TableBlock(
        name,
        [f"{titles.get(contest, contest)} choice {rank}" for contest, rank in places],
        [Cells.of(ballot.get(place) for ballot in ballots) for place in places],
        np.arange(len(ballots)) + 1,
    )


def _mark(ballot: Ballot, contest: Any, rank: int, candidate: str) -> None:
    place = (contest, rank)
    ballot[place] = OVERVOTE if place in ballot else candidate


def _dominion(export: Mapping[str, Any], people: Mapping[int, str]) -> Iterator[Ballot]:
    for session in export["Sessions"]:
        # What a person settled replaces what the machine read.
        record = next(r for key in ("Modified", "Original") if (r := session.get(key)))
        ballot: Ballot = {}
        for contest in (
            part for card in record.get("Cards") or [record] for part in card["Contests"]
        ):
            for mark in contest["Marks"]:
                if mark.get("IsVote", True) and not mark.get("IsAmbiguous", False):
                    candidate = people.get(mark["CandidateId"], str(mark["CandidateId"]))
                    _mark(ballot, contest["Id"], mark["Rank"], candidate)
        yield ballot


def _described(manifest: Any) -> dict[int, str]:
    return {entry["Id"]: entry["Description"] for entry in (manifest or {"List": []})["List"]}


def _common_format(
    records: Iterable[Mapping[str, Any]],
    elections: Iterable[Mapping[str, Any]],
    contests: Iterable[Mapping[str, Any]],
) -> Iterator[Ballot]:
    """The ballots of NIST's common data format, as their current snapshots have them."""
    people = {
        candidate["@id"]: candidate.get("Name", candidate["@id"])
        for election in elections
        for candidate in election.get("Candidate", ())
    }
    selections = {
        selection["@id"]: selection
        for each in contests
        for selection in each.get("ContestSelection", ())
    }
    for record in records:
        snapshots = record["CVRSnapshot"]
        current = record.get("CurrentSnapshotId")
        snapshot = next((each for each in snapshots if each.get("@id") == current), snapshots[-1])
        ballot: Ballot = {}
        for contest in snapshot.get("CVRContest", ()):
            for chosen_item in contest.get("CVRContestSelection", ()):
                label = _selection(chosen_item, selections, people)
                for position in chosen_item.get("SelectionPosition", ()):
                    rank = position.get("Rank", chosen_item.get("Rank"))
                    if rank is not None and position.get("HasIndication", "yes") == "yes":
                        _mark(ballot, contest["ContestId"], int(rank), label)
        yield ballot


def _selection(
    chosen_item: Mapping[str, Any],
    selections: Mapping[str, Mapping[str, Any]],
    people: Mapping[str, str],
) -> str:
    """Whom a selection is for: candidates by name, or a write-in."""
    key = chosen_item.get("ContestSelectionId")
    selection = selections.get(str(key), {})
    if selection.get("IsWriteIn"):
        return "Write-in"
    ids = selection.get("CandidateIds") or [key]
    return " / ".join(str(people.get(person, person)) for person in ids)
