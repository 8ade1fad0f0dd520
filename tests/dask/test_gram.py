"""Gram matrices of Dask collections against those in memory."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import zarr

from rankcut import SimilarityGraph, graph_cut_kernel, make_food
from rankcut.kernels import (
    diffusion_kernel,
    kendall_kernel,
    mallows_kernel,
    spearman_kernel,
    weighted_kendall_kernel,
)

FOOD = make_food(30, kind="full", random_state=0)
RANKS = FOOD.ranks
KERNELS = [
    (graph_cut_kernel, {"graph": SimilarityGraph(FOOD.item_features)}),
    (spearman_kernel, {"normalize": True}),
    (kendall_kernel, {"normalize": True}),
    (weighted_kendall_kernel, {}),
    (mallows_kernel, {"lam": 0.1}),
    (diffusion_kernel, {"beta": 0.3, "normalize": True}),
]


@pytest.mark.parametrize(("kernel", "options"), KERNELS, ids=lambda each: str(each)[:20])
def test_all_kernels(kernel, options):
    X = da.from_array(RANKS, chunks=(11, 3))
    gram = kernel(X, **options)
    assert gram.chunks == ((11, 11, 8), (11, 11, 8))
    computed = gram.compute(scheduler="sync")
    np.testing.assert_allclose(computed, kernel(RANKS, **options), rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(computed, computed.T)
    Y = RANKS[:7]
    for pair in [(X, Y), (Y, X), (X, X[3:20])]:
        in_memory = [np.asarray(side) for side in pair]
        np.testing.assert_allclose(
            kernel(*pair, **options).compute(scheduler="sync"),
            kernel(*in_memory, **options),
            rtol=1e-12,
            atol=1e-13,
        )


def test_blocks_of_unknown_size_and_frames():
    X = da.from_array(RANKS, chunks=(11, -1))
    some = X[X[:, 0] > 3]
    expected = kendall_kernel(RANKS[RANKS[:, 0] > 3])
    np.testing.assert_array_equal(kendall_kernel(some).compute(), expected)
    frame = pd.DataFrame(RANKS, columns=list("abcdefgh"))
    lazily = kendall_kernel(dd.from_pandas(frame, npartitions=3))
    np.testing.assert_array_equal(lazily.compute(), kendall_kernel(RANKS))


def test_to_zarr(tmp_path):
    X = da.from_array(RANKS, chunks=(10, -1))
    graph_cut_kernel(X, normalize=True).to_zarr(str(tmp_path / "gram.zarr"))
    stored = zarr.open_array(str(tmp_path / "gram.zarr"), mode="r")
    assert stored.chunks == (10, 10)
    np.testing.assert_allclose(stored[:], graph_cut_kernel(RANKS, normalize=True), atol=1e-14)


def test_what_cannot_be_is_said_at_once():
    X = da.from_array(RANKS, chunks=(10, -1))
    with pytest.raises(ValueError, match="to_zarr"):
        spearman_kernel(X, out=np.empty((30, 30)))
    with pytest.raises(ValueError, match="X ranks 8 items and Y ranks 7"):
        spearman_kernel(X, RANKS[:, :7])
    bad = RANKS.copy()
    bad[17, 2] = np.inf
    with pytest.raises(ValueError, match=r"^row 17: item 2 has rank inf"):
        spearman_kernel(da.from_array(bad, chunks=(10, -1))).compute()
