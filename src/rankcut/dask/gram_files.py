"""Gram matrices larger than memory, as Zarr arrays that are written stripe by stripe."""

from pathlib import Path
from typing import Any

from rankcut.dask.parquet import ParquetRankings
from rankcut.dask.tasks import Progress, computed, import_dask
from rankcut.dask.vectors import computed_vectors, feature_settings
from rankcut.errors import RankingFileError
from rankcut.files.drafts import Parts

# Rows and columns of a chunk, 32 MB: large enough for BLAS, small enough for any worker.
_SIDE = 2048


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
    rankings : ParquetRankings
        From :func:`read_parquet`.
    features : estimator
        Turns ranks into vectors, such as a :class:`~rankcut.GraphCutFeatures`.
    target : str
        Path of the Zarr array.
    restart : bool
        Replace an array that was made with other settings.
    progress : callable or None
        Called with the number of stripes done and the number to do.
    """
    zarr = _import_zarr()
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
    vectors = computed_vectors(rankings, features).expanded().persist().compute_chunk_sizes()
    vectors = vectors.rechunk((_SIDE, -1)).persist()
    n_rows = vectors.shape[0]
    n_stripes = vectors.numblocks[0]
    missing = parts.missing(n_stripes)
    shape = {"shape": (n_rows, n_rows), "chunks": (_SIDE, _SIDE), "dtype": "float64"}
    if len(missing) == n_stripes:
        array = zarr.create_array(str(place), overwrite=True, **shape)
    else:
        array = zarr.open_array(str(place), mode="r+")
    for n_done, number in enumerate(missing):
        rows = slice(number * _SIDE, min((number + 1) * _SIDE, n_rows))
        stripe = vectors.blocks[number] @ vectors.T
        region = (rows, slice(0, n_rows))
        computed(da.store(stripe, array, regions=region, lock=False, compute=False))
        parts.path(number).touch()
        if progress is not None:
            progress(n_done + 1, len(missing))


def _import_zarr() -> Any:
    import_dask()
    try:
        import zarr
    except ImportError:
        raise ModuleNotFoundError('Zarr arrays need zarr: pip install "rankcut[dask]"') from None
    return zarr
