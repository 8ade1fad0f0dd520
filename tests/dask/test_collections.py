"""Functions of each row, or of each pair, of a Dask collection: vectors and Gram matrices."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import zarr

from rankcut import (
    GraphCutFeatures,
    SimilarityGraph,
    SubmodularFeatures,
    graph_cut_features,
    kernels,
    make_food,
)
from rankcut.cuts import FromCallable
from rankcut.dask import gram, map_rows
from rankcut.dask.rows import stand_in
from rankcut.dask.tasks import explained
from rankcut.errors import InputError

FOOD = make_food(40, kind="full", random_state=0)
RANKS = FOOD.ranks
FRAME = pd.DataFrame(RANKS, columns=list("abcdefgh"))


def lazy(rows=(7, -1)):
    return da.from_array(RANKS, chunks=rows)


def of_unknown_size(X):
    """The same rows, with a block of which none is left."""
    keep = np.ones(len(RANKS), dtype=bool)
    keep[7:14] = False
    return X[da.from_array(keep, chunks=X.chunks[0])], keep


@pytest.mark.parametrize(
    "transformer",
    [
        GraphCutFeatures(),
        SubmodularFeatures(FromCallable(lambda items: len(items) ** 0.5, RANKS.shape[1])),
        kernels.KendallFeatures(normalize=True),
    ],
    ids=lambda transformer: type(transformer).__name__,
)
def test_vectors_of_blocks_are_those_in_memory(transformer):
    expected = transformer.fit_transform(RANKS)
    # Blocks of columns are brought together.
    result = map_rows(transformer.transform, lazy((7, 3)))
    assert result.chunks == (lazy().chunks[0], (expected.shape[1],))
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.compute(scheduler="sync"), expected)


def test_blocks_of_unknown_size_may_be_empty():
    X, keep = of_unknown_size(lazy())
    result = map_rows(graph_cut_features, X)
    assert np.isnan(result.shape[0])
    np.testing.assert_array_equal(result.compute(), graph_cut_features(RANKS[keep]))
    frame = dd.from_pandas(FRAME, npartitions=4)
    some = frame.map_partitions(lambda part: part[part.index < 12], meta=frame._meta)
    vectors = map_rows(graph_cut_features, some, names=FRAME.columns).compute().to_numpy()
    np.testing.assert_array_equal(vectors, graph_cut_features(FRAME[:12]))
    for lists, in_memory in ((X, RANKS[keep]), (some, FRAME[:12])):
        by_blocks = gram(kernels.KendallKernel(), lists).compute()
        np.testing.assert_array_equal(by_blocks, kernels.KendallKernel()(in_memory))


def test_the_type_of_the_ranks_is_kept():
    result = map_rows(graph_cut_features, lazy().astype(np.float32))
    assert result.dtype == np.float32 == result.compute().dtype


def test_nothing_is_computed_before_it_is_asked_for():
    def refuse(block):
        raise AssertionError("computed")

    X = lazy().map_blocks(refuse, dtype=float, meta=np.empty((0, 0)))
    map_rows(graph_cut_features, X)
    gram(kernels.KendallKernel(), X)


def test_errors_name_the_place_in_the_whole():
    bad = RANKS.copy()
    bad[23, 5] = np.nan
    for chunks in ((7, -1), (7, 2)):
        X = da.from_array(bad, chunks=chunks)
        for result in (map_rows(graph_cut_features, X), gram(kernels.GraphCutKernel(), X)):
            with pytest.raises(ValueError, match=r"^row 23: item 5 is not ranked"):
                result.compute()
    unknown, _ = of_unknown_size(da.from_array(bad, chunks=(7, -1)))
    with pytest.raises(ValueError, match=r"^block 3: row 2: item 5 is not ranked"):
        map_rows(graph_cut_features, unknown).compute()
    frame = pd.DataFrame(bad, columns=list("abcdefgh"), index=1000 + np.arange(len(RANKS)))
    with pytest.raises(ValueError, match=r"^index 1023: item 'f' is not ranked"):
        map_rows(graph_cut_features, dd.from_pandas(frame, npartitions=4)).compute()


def test_frames_give_frames_and_names_are_checked_at_once():
    lazily = dd.from_pandas(FRAME, npartitions=3)
    transformer = GraphCutFeatures().fit(FRAME)
    result = map_rows(transformer.transform, lazily, transformer.get_feature_names_out())
    assert result.divisions == lazily.divisions
    expected = pd.DataFrame(transformer.transform(FRAME), columns=FRAME.columns)
    pd.testing.assert_frame_equal(result.compute(), expected)
    with pytest.raises(ValueError, match="feature names"):
        map_rows(transformer.transform, lazily.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="column 'town' holds String"):
        map_rows(graph_cut_features, lazily.assign(town="Kobe"))


def test_what_makes_no_sense_is_refused():
    with pytest.raises(TypeError, match="two dimensions"):
        map_rows(graph_cut_features, da.ones(5, chunks=2))
    with pytest.raises(TypeError, match="got Delayed"):
        stand_in(dask.delayed(RANKS))
    with pytest.raises(InputError, match=r"must be in memory here; give rankcut\.dask\.merged"):
        GraphCutFeatures().fit(lazy())


def test_a_lost_cluster_is_told_of():
    from distributed.client import FutureCancelledError, FuturesCancelledError
    from distributed.comm import CommClosedError

    lost = FutureCancelledError("block", "scheduler-connection-lost")
    for problem in (lost, FuturesCancelledError([]), CommClosedError("closed")):
        assert "lost the connection to the cluster" in str(explained(problem))
    assert isinstance(explained(lost), OSError)


KERNELS = [
    kernels.GraphCutKernel(SimilarityGraph(FOOD.item_features)),
    kernels.KendallKernel(normalize=True),
    kernels.MallowsKernel(lam=0.1),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda each: type(each).__name__)
def test_gram_matrices_are_those_in_memory(kernel):
    X, Y = lazy((11, 3)), RANKS[:7]
    frame = dd.from_pandas(FRAME, npartitions=3)
    for pair in [(X,), (frame,), (X, Y), (Y, X), (X, X[3:20]), (X[X[:, 0] > 3],)]:
        matrix = gram(kernel, *pair).compute(scheduler="sync")
        expected = kernel(*map(np.asarray, pair))
        np.testing.assert_allclose(matrix, expected, rtol=1e-12, atol=1e-13)
    matrix = gram(kernel, X)
    assert matrix.chunks == ((11, 11, 11, 7), (11, 11, 11, 7))
    np.testing.assert_array_equal(*(each.compute(scheduler="sync") for each in (matrix, matrix.T)))
    with pytest.raises(ValueError, match="X ranks 8 items and Y ranks 7"):
        gram(kernel, X, RANKS[:, :7])


def test_to_zarr(tmp_path):
    kernel = kernels.GraphCutKernel(normalize=True)
    gram(kernel, lazy((10, -1))).to_zarr(str(tmp_path / "gram.zarr"))
    stored = zarr.open_array(str(tmp_path / "gram.zarr"), mode="r")
    assert stored.chunks == (10, 10)
    np.testing.assert_allclose(stored[:], kernel(RANKS), atol=1e-14)
