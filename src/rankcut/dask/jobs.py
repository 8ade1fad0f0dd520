"""Whole jobs on Parquet files: vectors and Gram matrices, written part by part into a directory.

Running again finishes an interrupted run.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.cuts.offset_rows import check_centred
from rankcut.dask.reading import BlockPlace, BlockReader, ParquetRankings
from rankcut.dask.tasks import (
    Progress,
    as_array,
    at_place,
    computed,
    do_each,
    import_dask,
    shared_task,
)
from rankcut.errors import InputError, RankingFileError, needed
from rankcut.files.disk import atomic_file
from rankcut.files.matrices import MatrixBlock, graph_arrays, write_matrix
from rankcut.files.table_columns import known_columns
from rankcut.graphs.item_graph import ItemGraph
from rankcut.parameters import SIDE

_MANIFEST = "_rankcut.json"

_UNREADABLE = (
    "the file is damaged, so that nobody knows which settings the parts beside it were made with; "
    "name another directory, or start again with --restart"
)


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
        return MatrixBlock(np.empty(rankings.ranks.shape), known_columns(rankings), counts)

    def moved(error: InputError, row: int) -> InputError:
        return error.moved(file=place.file, row=reader.row_of_file(place, row))

    vectors = at_place(features.transform, rankings.ranks, moved)
    check_centred(vectors)
    return MatrixBlock(vectors, known_columns(rankings), counts)


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
    done = place.with_name(f"{place.name}.parts")
    if place.exists() and not done.is_dir():
        raise RankingFileError(
            f"exists, but not {done.name}, which records the rows that are done; name another "
            "file, or remove this one",
            target,
        )
    settings = {"command": "gram", **rankings.settings(), **feature_settings(features)}
    del settings["block"]  # the matrix is the same whatever the blocks
    parts = Parts(done, "done", settings, restart=restart)
    if not place.exists():
        parts.clear()
    features.fit(rankings.ranks())
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
