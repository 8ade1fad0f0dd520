"""The blocks of a Parquet data set, each read by its place, and the parts of a result.

Results are written part by part into a directory: running again finishes an interrupted run.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankcut.errors import RankingFileError
from rankcut.files.drafts import atomic_file
from rankcut.files.layouts import JUDGED_ROWS, table_rankings
from rankcut.files.roles import NoSuchRowsError, TableOptions, meeting, roles_of
from rankcut.files.stored_tables import batches, check_columns, opened_parquet, parquet_files
from rankcut.files.tables import BLOCK_CELLS, TableBlock
from rankcut.rankings.ranking_set import RankingSet

_MANIFEST = "_rankcut.json"

_UNREADABLE = (
    "the file is damaged, so that nobody knows which settings the parts beside it were made with; "
    "name another directory, or start again with --restart"
)


class BlockPlace(NamedTuple):
    """Where a block of rows stands: a Parquet file and some of its row groups."""

    file: str
    groups: tuple[int, ...]
    first_row: int  #: of the file
    n_rows: int
    skipped: int = 0  #: rows of the groups before the first


def block_places(source: str, rows: int) -> list[BlockPlace]:
    """The blocks of a Parquet file, or of all files of a data set: at most ``rows`` rows each.

    Small row groups are read together, and large ones are cut.
    """
    files = parquet_files(source) or [source]
    places: list[BlockPlace] = []
    names: list[str] | None = None
    for file in files:
        with opened_parquet(file) as opened:
            names = names or opened.schema_arrow.names
            check_columns(opened.schema_arrow.names, names, file, files[0])
            sizes = [opened.metadata.row_group(i).num_rows for i in range(opened.num_row_groups)]
        places += _cut(str(Path(file).resolve()), sizes, rows)
    if not places:
        raise RankingFileError("the table has no rows", source)
    return places


def _cut(file: str, sizes: list[int], rows: int) -> Iterator[BlockPlace]:
    first, start = 0, 0
    groups: list[int] = []
    n_rows = 0
    for group, size in enumerate(sizes):
        if groups and n_rows + size > rows:
            yield BlockPlace(file, tuple(groups), start, n_rows)
            start, groups, n_rows = first, [], 0
        if size > rows:
            for skipped in range(0, size, rows):
                n_some = min(rows, size - skipped)
                yield BlockPlace(file, (group,), first + skipped, n_some, skipped)
            start = first + size
        elif size:
            groups.append(group)
            n_rows += size
        first += size
    if groups:
        yield BlockPlace(file, tuple(groups), start, n_rows)


@dataclass(frozen=True, eq=False)
class BlockReader:
    """Reads all blocks of a table in the same way; the first decides which columns are items."""

    options: TableOptions
    nothing: RankingSet  #: the result for a block without matching rows

    @classmethod
    def like(
        cls, places: Sequence[BlockPlace], options: TableOptions
    ) -> "tuple[BlockReader, RankingSet]":
        """A reader for all blocks of a data set, and the rankings of the first that has any."""
        block = next(_blocks(places[0]))
        layout = options.fitting(block)
        if layout not in ("wide", "ratings"):
            raise RankingFileError(
                f"a {layout} table cannot be read in blocks",
                places[0].file,
                remedy="write a wide one first: rankcut convert --to-layout wide",
            )
        blocks = _first_blocks(places, options)
        names = [blocks[0].names[i] for i in roles_of(TableBlock.joined(blocks), options).items]
        settled = replace(options, layout=layout, item_columns=names, columns=None)
        first = table_rankings(iter(blocks[:1]), settled)
        return cls(settled, first.rows(slice(0))), first

    def __call__(self, place: BlockPlace) -> RankingSet:
        """The rankings of a block."""
        try:
            return table_rankings(_blocks(place), self.options)
        except NoSuchRowsError:
            return self.nothing

    def row_of_file(self, place: BlockPlace, row: int) -> int:
        """The row of its file that a ranking of a block is in, from 0."""
        kept = meeting(_blocks(place), self.options.where)
        return int(np.concatenate([block.lines for block in kept])[row]) - 1


def _first_blocks(places: Sequence[BlockPlace], options: TableOptions) -> list[TableBlock]:
    """The first blocks that have rows, until these are enough to judge."""
    found: list[TableBlock] = []
    for last, place in enumerate(places, start=1):
        try:
            found.append(TableBlock.joined(list(meeting(_blocks(place), options.where))))
        except NoSuchRowsError:
            if last == len(places) and not found:
                raise
        if sum(map(len, found)) >= JUDGED_ROWS or (found and place.file != found[0].source):
            break
    if found[-1].source != found[0].source:
        found.pop()
    return found


def _blocks(place: BlockPlace) -> Iterator[TableBlock]:
    """The rows of a block, some at a time; the other rows of its row groups are passed over."""
    with opened_parquet(place.file) as opened:
        step = max(1, min(place.n_rows, BLOCK_CELLS // max(1, len(opened.schema_arrow))))
        start = place.skipped
        for block in batches(opened, place.file, step, place.groups):
            numbers = block.lines - 1
            if numbers[0] >= start + place.n_rows:
                break
            wanted = (numbers >= start) & (numbers < start + place.n_rows)
            if wanted.any():
                kept = block if wanted.all() else block.some(wanted)
                yield replace(kept, lines=kept.lines - start + place.first_row)


class Parts:
    """The parts of one result, and the settings that made them.

    Parameters
    ----------
    folder : path
        Where they are; created if missing.
    suffix : str
        How the name of a part ends.
    settings : mapping
        Everything the result depends on, as JSON.
    restart : bool
        Delete parts made with other settings, instead of raising an error.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> parts = Parts(folder, "txt", {"normalize": True})
    >>> _ = parts.path(0).write_text("done")
    >>> Parts(folder, "txt", {"normalize": True}).missing(3)
    [1, 2]
    >>> Parts(folder, "txt", {"normalize": False})
    Traceback (most recent call last):
        ...
    rankcut.errors.RankingFileError: ...: was begun with normalize=true, and now it is \
false; finish it as it was begun, name another directory, or start again with --restart
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        suffix: str,
        settings: Mapping[str, Any],
        *,
        restart: bool = False,
    ) -> None:
        self.folder = Path(folder)
        self._suffix = suffix
        wanted = json.loads(json.dumps(settings))
        self.folder.mkdir(parents=True, exist_ok=True)
        manifest = self.folder / _MANIFEST
        if manifest.exists():
            found = _read_settings(manifest)
            if found != wanted and self._any() and not restart:
                if found is None:
                    raise RankingFileError(_UNREADABLE, str(manifest))
                raise RankingFileError(_difference(found, wanted), str(folder))
            if found != wanted:
                self.clear()
        elif any(_MANIFEST not in file.name for file in self.folder.iterdir()):
            raise RankingFileError(
                "this directory has other files in it; name a new or an empty one", str(folder)
            )
        # Left by a process that was killed while writing.
        for name in ("part-", _MANIFEST):
            for draft in self.folder.glob(f".{name}*"):
                draft.unlink(missing_ok=True)
        with atomic_file(manifest) as file:
            file.write(json.dumps(wanted, indent=1).encode())

    def path(self, number: int) -> Path:
        """The file of a part."""
        return self.folder / f"part-{number:06d}.{self._suffix}"

    def missing(self, n_parts: int) -> list[int]:
        """The numbers of the parts that are not there yet."""
        return [number for number in range(n_parts) if not self.path(number).exists()]

    def clear(self) -> None:
        """Delete all parts."""
        for part in self.folder.glob(f"part-*.{self._suffix}"):
            part.unlink()

    def _any(self) -> bool:
        return any(self.folder.glob(f"part-*.{self._suffix}"))


def _read_settings(manifest: Path) -> dict[str, Any] | None:
    """The settings that parts were made with, None if the file does not say."""
    try:
        found = json.loads(manifest.read_bytes())
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _difference(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    # As text, in which a setting without a value is not one that is missing.
    texts = [{name: json.dumps(value) for name, value in each.items()} for each in (found, wanted)]
    name = next(name for name in {**found, **wanted} if texts[0].get(name) != texts[1].get(name))
    before, now = (text.get(name, "not set") for text in texts)
    what = f"{name}={before}, and now it is {now}" if len(before + now) < 120 else f"other {name}"
    return (
        f"was begun with {what}; finish it as it was begun, name another directory, or start "
        "again with --restart"
    )
