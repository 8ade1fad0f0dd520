"""Whole jobs on Parquet files: rankings in blocks, their vectors and their Gram matrices.

Any process reads a block when it needs it. Results are written part by part into a directory, so
running again finishes an interrupted run.
"""

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.cuts.offset_rows import check_centred
from rankcut.dask.rows import as_array, at_place
from rankcut.dask.tasks import Progress, computed, do_each, import_dask, shared_task
from rankcut.errors import InputError, RankingFileError, needed
from rankcut.files.disk import atomic_file
from rankcut.files.matrices import MatrixBlock, graph_arrays, write_matrix
from rankcut.files.options import NoSuchRowsError, TableOptions, wanted
from rankcut.files.recognition import JUDGED_ROWS, read_table, way_of
from rankcut.files.stored_tables import batches, check_columns, opened_parquet, parquet_files
from rankcut.files.tables import BLOCK_CELLS, TableBlock
from rankcut.files.writing import columns_beside
from rankcut.graphs.item_graph import ItemGraph
from rankcut.parameters import SIDE
from rankcut.rankings.ranking_set import RankingSet

_MANIFEST = "_rankcut.json"

_UNREADABLE = (
    "the file is damaged, so that nobody knows which settings the parts beside it were made with; "
    "name another directory, or start again with --restart"
)


def read_parquet(source: str, *, rows: int = 16384, **options: Any) -> "ParquetRankings":
    """The rankings of a Parquet file, or of a directory or pattern of files, in blocks.

    Only the first block is read immediately, to learn the items and columns.

    Parameters
    ----------
    source : str
        A file, a directory of files, or a pattern such as ``votes/*.parquet``.
    rows : int
        Number of rows in a block.
    options
        How to read the table, as in :func:`~rankcut.read_file`.

    Examples
    --------
    >>> import tempfile
    >>> from rankcut import RankingSet, write_file
    >>> from rankcut.datasets import load_lunch
    >>> lunch = load_lunch("full")
    >>> path = tempfile.mkdtemp() + "/lunch.parquet"
    >>> write_file(RankingSet(lunch.ranks, tuple(lunch.item_names)), path)
    >>> read_parquet(path).ranks().shape == lunch.ranks.shape
    True
    """
    places = block_places(source, rows)
    reader, first = BlockReader.like(places, TableOptions(**options))
    return ParquetRankings(places, reader, first)


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
        blocks = _first_blocks(places, options)
        way = way_of(TableBlock.joined(blocks), options)
        if way.on_rows is None:
            raise RankingFileError(
                f"{way.what} cannot be read in blocks",
                places[0].file,
                remedy="write a wide table first: rankcut convert --to-layout wide",
            )
        layout = options.layout or ("wide" if options.scale is None else "ratings")
        settled = replace(options, layout=layout, item_columns=way.items, columns=None)
        first = read_table(blocks[:1], replace(settled, where=()))
        return cls(settled, first.rows(slice(0))), first

    def __call__(self, place: BlockPlace) -> RankingSet:
        """The rankings of a block."""
        try:
            return read_table(_blocks(place), self.options)
        except NoSuchRowsError:
            return self.nothing

    def row_of_file(self, place: BlockPlace, row: int) -> int:
        """The row of its file that a ranking of a block is in, from 0."""
        blocks = wanted(_blocks(place), self.options)
        return int(np.concatenate([block.lines for block in blocks])[row]) - 1


def _first_blocks(places: Sequence[BlockPlace], options: TableOptions) -> list[TableBlock]:
    """The first blocks that have rows, until these are enough to judge."""
    blocks: list[TableBlock] = []
    for last, place in enumerate(places, start=1):
        try:
            blocks.append(TableBlock.joined(list(wanted(_blocks(place), options))))
        except NoSuchRowsError:
            if last == len(places) and not blocks:
                raise
        if sum(map(len, blocks)) >= JUDGED_ROWS or (blocks and place.file != blocks[0].source):
            break
    if blocks[-1].source != blocks[0].source:
        blocks.pop()
    return blocks


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
                rows = block if wanted.all() else block.some(wanted)
                yield replace(rows, lines=rows.lines - start + place.first_row)


@dataclass(frozen=True, eq=False)
class ParquetRankings:
    """Rankings in blocks; only the first is in memory.

    Attributes
    ----------
    places : list
        Where each block is: a file, and rows of it.
    reader : callable
        Reads the :class:`~rankcut.RankingSet` of a place.
    first : RankingSet
        The first block, whose items all blocks have.
    """

    places: list[BlockPlace]
    reader: BlockReader
    first: RankingSet

    def ranks(self) -> Any:
        """The rank matrix as a Dask array, with a chunk for each block and a row for each row."""
        # With conditions, the number of rows is unknown.
        complete = not self.reader.options.where
        sizes = [place.n_rows if complete else math.nan for place in self.places]
        read = shared_task(partial(_ranks, self.reader))
        blocks = [read(place) for place in self.places]
        return as_array(blocks, sizes, np.empty((0, len(self.first.items))))

    def settings(self) -> dict[str, Any]:
        """Everything the rankings depend on, for a manifest."""
        files = []
        for file in dict.fromkeys(place.file for place in self.places):
            about = Path(file).stat()
            files.append([file, about.st_size, about.st_mtime_ns])
        return {
            "files": files,
            "reading": asdict(self.reader.options),
            "block": [place.n_rows for place in self.places],
        }


def _ranks(reader: BlockReader, place: BlockPlace) -> Any:
    """The ranks of a block."""
    return reader(place).ranks


def write_features(
    rankings: ParquetRankings,
    features: Any,
    directory: str,
    *,
    restart: bool = False,
    progress: Progress | None = None,
) -> list[Path]:
    """Write the vectors of each block to a Parquet file in a directory; returns their paths.

    Parts already written with the same settings are kept, so an interrupted job continues when it
    is run again. It computes on the current Dask client, if there is one.

    Parameters
    ----------
    rankings : ParquetRankings
        From :func:`read_parquet`.
    features : estimator
        Turns ranks into vectors, such as a fitted :class:`~rankcut.GraphCutFeatures`.
    directory : str
        A new or empty directory, or the one of an interrupted run.
    restart : bool
        Replace parts that were made with other settings.
    progress : callable or None
        Called with the number of parts done and the number to do.
    """
    settings = {"command": "features", **rankings.settings(), **feature_settings(features)}
    parts = Parts(directory, "parquet", settings, restart=restart)
    paths = [parts.path(i).resolve() for i in range(len(rankings.places))]
    tasks = [(rankings.places[i], str(paths[i])) for i in parts.missing(len(paths))]
    items = [str(item) for item in rankings.first.items]
    do_each(partial(_write, rankings.reader, features, items), tasks, progress)
    return paths


def feature_settings(features: Any) -> dict[str, Any]:
    """Everything the vectors depend on besides the rankings, for a manifest."""
    return {name: _described(value) for name, value in features.get_params(deep=False).items()}


def _described(value: Any) -> Any:
    """A value as JSON, or its fingerprint."""
    if value is None or isinstance(value, str | bool | Real):
        return value
    if isinstance(value, ItemGraph):
        digest = hashlib.sha256()
        for name, array in graph_arrays(value).items():
            digest.update(f"{name} {array.dtype} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]
    if isinstance(value, list | tuple):
        return [_described(each) for each in value]
    if hasattr(value, "get_params"):
        return [type(value).__name__, *_described(list(value.get_params(deep=False).values()))]
    import joblib

    return joblib.hash(value)


def _compute(reader: BlockReader, features: Any, place: BlockPlace) -> MatrixBlock:
    """Read a block of rankings and compute their vectors."""
    rankings = reader(place)
    counts = rankings.counts if rankings.counted else None
    if len(rankings) == 0:
        return MatrixBlock(np.empty(rankings.ranks.shape), columns_beside(rankings), counts)

    def moved(error: InputError, row: int) -> InputError:
        return error.moved(file=place.file, row=reader.row_of_file(place, row))

    vectors = at_place(features.transform, rankings.ranks, moved)
    check_centred(vectors)
    return MatrixBlock(vectors, columns_beside(rankings), counts)


def _write(
    reader: BlockReader, features: Any, items: list[str], task: tuple[BlockPlace, str]
) -> None:
    """Write a block of vectors to the file of a part."""
    place, path = task
    write_matrix([_compute(reader, features, place)], items, {path: "parquet"})


def _expanded(reader: BlockReader, features: Any, place: BlockPlace) -> NDArray[np.float64]:
    """The vectors of a block, repeated by count."""
    return _compute(reader, features, place).rows()


def write_gram(
    rankings: ParquetRankings,
    features: Any,
    target: str,
    *,
    restart: bool = False,
    progress: Progress | None = None,
) -> None:
    """Write the inner products of the vectors of all rankings to a Zarr array.

    A ranking with a count of c has c rows and columns. The vectors, which are small compared with
    the matrix, stay in memory. Stripes already written with the same settings are kept, so an
    interrupted job continues when it is run again. The finished stripes are listed in a directory
    beside the array, with ``.parts`` added to its name.

    Parameters
    ----------
    rankings, features, restart, progress
        As in :func:`write_features`, with stripes for parts.
    target : str
        Path of the Zarr array.
    """
    import_dask()
    zarr = needed("zarr", "Zarr arrays")
    import dask.array as da

    place = Path(target.rstrip("/")).resolve()
    finished = place.with_name(f"{place.name}.parts")
    if place.exists() and not finished.is_dir():
        raise RankingFileError(
            f"exists, but not {finished.name}, which records the rows that are done; name another "
            "file, or remove this one",
            target,
        )
    settings = {"command": "gram", **rankings.settings(), **feature_settings(features)}
    del settings["block"]  # the matrix is the same whatever the blocks
    parts = Parts(finished, "done", settings, restart=restart)
    if not place.exists():
        parts.clear()
    compute = shared_task(partial(_expanded, rankings.reader, features))
    blocks = [compute(place) for place in rankings.places]
    nothing = np.empty((0, len(rankings.first.items)))
    vectors = as_array(blocks, [np.nan] * len(blocks), nothing).persist().compute_chunk_sizes()
    vectors = vectors.rechunk((SIDE, -1)).persist()
    n_rows = vectors.shape[0]
    n_stripes = vectors.numblocks[0]
    missing = parts.missing(n_stripes)
    shape = {"shape": (n_rows, n_rows), "chunks": (SIDE, SIDE), "dtype": "float64"}
    if len(missing) == n_stripes:
        array = zarr.create_array(str(place), overwrite=True, **shape)
    else:
        array = zarr.open_array(str(place), mode="r+")
    for n_done, number in enumerate(missing):
        rows = slice(number * SIDE, min((number + 1) * SIDE, n_rows))
        stripe = vectors.blocks[number] @ vectors.T
        region = (rows, slice(0, n_rows))
        computed(da.store(stripe, array, regions=region, lock=False, compute=False))
        parts.path(number).touch()
        if progress is not None:
            progress(n_done + 1, len(missing))


class Parts:
    """The parts of one result, and the settings that made them.

    The folder is made if it is missing. A part ends with ``suffix``. ``settings`` is everything
    that the result depends on, as JSON; parts made with others are an error, or deleted with
    ``restart``.
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
            before = _read_settings(manifest)
            if before != wanted and self._any() and not restart:
                if before is None:
                    raise RankingFileError(_UNREADABLE, str(manifest))
                raise RankingFileError(_difference(before, wanted), str(folder))
            if before != wanted:
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
        settings = json.loads(manifest.read_bytes())
    except ValueError:
        return None
    return settings if isinstance(settings, dict) else None


def _difference(settings: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    # As text, in which a setting without a value is not one that is missing.
    texts = [
        {name: json.dumps(value) for name, value in each.items()} for each in (settings, wanted)
    ]
    name = next(name for name in {**settings, **wanted} if texts[0].get(name) != texts[1].get(name))
    before, now = (text.get(name, "not set") for text in texts)
    what = f"{name}={before}, and now it is {now}" if len(before + now) < 120 else f"other {name}"
    return (
        f"was begun with {what}; finish it as it was begun, name another directory, or start "
        "again with --restart"
    )
