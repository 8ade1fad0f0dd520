"""Gram matrices larger than memory: a Zarr array, written a stripe of rows at a time."""

from pathlib import Path
from typing import Any

import numpy as np

from rankcut.cli.progress import steps
from rankcut.dask import computed
from rankcut.dask.tasks import import_dask
from rankcut.errors import RankingFileError
from rankcut.files.parts import Parts

# Rows and columns of a block of the array.
_SIDE = 2048


def write_gram(features: Any, target: str, settings: dict[str, Any], *, restart: bool) -> None:
    """Write the inner products of the rows of a Dask array of features.

    The features, which are small beside their products, are kept by whoever computes. Stripes
    that are there already are kept too.
    """
    zarr = _import_zarr()
    import dask.array as da

    place = Path(target.rstrip("/")).resolve()
    # Which stripes are done stands beside the array.
    done = place.with_name(f"{place.name}.parts")
    if place.exists() and not done.is_dir():
        raise RankingFileError(
            f"this is there already, and {done.name} is not, which would say what of it is done; "
            "name another, or remove it",
            target,
        )
    parts = Parts(done, "done", settings, restart=restart)
    if not place.exists():
        parts.clear()
    vectors = features.persist()
    if np.isnan(vectors.shape[0]):
        vectors = vectors.compute_chunk_sizes()
    vectors = vectors.rechunk((_SIDE, -1)).persist()
    n_rows = vectors.shape[0]
    n_stripes = vectors.numblocks[0]
    missing = parts.missing(n_stripes)
    shape = {"shape": (n_rows, n_rows), "chunks": (_SIDE, _SIDE), "dtype": "float64"}
    if len(missing) == n_stripes:
        array = zarr.create_array(str(place), overwrite=True, **shape)
    else:
        array = zarr.open_array(str(place), mode="r+")
    with steps("gram") as (begin, step):
        begin(len(missing))
        for number in missing:
            rows = slice(number * _SIDE, min((number + 1) * _SIDE, n_rows))
            stripe = vectors.blocks[number] @ vectors.T
            computed(
                da.store(stripe, array, regions=(rows, slice(0, n_rows)), lock=False, compute=False)
            )
            parts.path(number).touch()
            step(f"rows {rows.start} to {rows.stop - 1}")


def _import_zarr() -> Any:
    import_dask()
    try:
        import zarr
    except ImportError:
        raise ModuleNotFoundError('Zarr arrays need zarr: pip install "rankcut[dask]"') from None
    return zarr
