"""Dask collections in, Dask collections out: features and Gram matrices."""

import subprocess
import sys

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import zarr

from rankcut import (
    AgreementGraph,
    GraphCutFeatures,
    SimilarityGraph,
    SubmodularFeatures,
    graph_cut_features,
    graph_cut_kernel,
    make_food,
)
from rankcut.cuts import FromCallable
from rankcut.dask.tasks import explained, row_blocks, stand_in
from rankcut.errors import InputError
from rankcut.kernels import (
    KendallFeatures,
    diffusion_kernel,
    kendall_kernel,
    mallows_kernel,
    spearman_kernel,
    weighted_kendall_kernel,
)

RANKS = make_food(40, kind="full", random_state=0).ranks


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
        KendallFeatures(normalize=True),
    ],
    ids=lambda transformer: type(transformer).__name__,
)
def test_all_transformers_take_dask_arrays(transformer):
    expected = transformer.fit_transform(RANKS)
    result = transformer.fit(lazy()).transform(lazy())
    assert result.chunks == (lazy().chunks[0], (expected.shape[1],))
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.compute(scheduler="sync"), expected)


def test_blocks_of_columns_are_brought_together():
    result = graph_cut_features(lazy((11, 3)))
    assert result.chunks == ((11, 11, 11, 7), (8,))
    np.testing.assert_array_equal(result.compute(), graph_cut_features(RANKS))


def test_blocks_of_unknown_size_may_be_empty():
    X, keep = of_unknown_size(lazy())
    result = graph_cut_features(X)
    assert np.isnan(result.shape[0])
    np.testing.assert_array_equal(result.compute(), graph_cut_features(RANKS[keep]))


def test_the_type_of_the_ranks_is_kept():
    result = graph_cut_features(lazy().astype(np.float32))
    assert result.dtype == np.float32 == result.compute().dtype


def test_nothing_is_computed_before_it_is_asked_for():
    def refuse(block):
        raise AssertionError("computed")

    X = lazy().map_blocks(refuse, dtype=float, meta=np.empty((0, 0)))
    GraphCutFeatures().fit(X).transform(X)


def test_errors_name_the_place_in_the_whole():
    bad = RANKS.copy()
    bad[23, 5] = np.nan
    for chunks in ((7, -1), (7, 2)):
        with pytest.raises(ValueError, match=r"^row 23: item 5 is not ranked"):
            graph_cut_features(da.from_array(bad, chunks=chunks)).compute()
    unknown, _ = of_unknown_size(da.from_array(bad, chunks=(7, -1)))
    with pytest.raises(ValueError, match=r"^block 3: row 2: item 5 is not ranked"):
        graph_cut_features(unknown).compute()
    frame = pd.DataFrame(bad, columns=list("abcdefgh"), index=1000 + np.arange(len(RANKS)))
    with pytest.raises(ValueError, match=r"^index 1023: item 'f' is not ranked"):
        graph_cut_features(dd.from_pandas(frame, npartitions=4)).compute()


def test_frames_give_frames_and_names_are_checked_at_once():
    frame = pd.DataFrame(RANKS, columns=list("abcdefgh"))
    lazily = dd.from_pandas(frame, npartitions=3)
    transformer = GraphCutFeatures().fit(lazily)
    assert transformer.feature_names_in_.tolist() == list("abcdefgh")
    result = transformer.transform(lazily)
    assert result.divisions == lazily.divisions
    expected = pd.DataFrame(transformer.transform(frame), columns=frame.columns)
    pd.testing.assert_frame_equal(result.compute(), expected)
    with pytest.raises(ValueError, match="feature names"):
        transformer.transform(lazily.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="column 'town' holds String"):
        GraphCutFeatures().fit(lazily.assign(town="Kobe"))


def test_an_empty_partition_is_no_mistake():
    frame = pd.DataFrame(RANKS, columns=list("abcdefgh"))
    lazily = dd.from_pandas(frame, npartitions=4)
    some = lazily.map_partitions(lambda part: part[part.index < 12], meta=lazily._meta)
    expected = graph_cut_features(frame[:12])
    np.testing.assert_array_equal(graph_cut_features(some).compute().to_numpy(), expected)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(TypeError, match="two dimensions"):
        graph_cut_features(da.ones(5, chunks=2))
    with pytest.raises(TypeError, match="got Delayed"):
        stand_in(dask.delayed(RANKS))
    with pytest.raises(InputError, match=r"must be in memory here; call its compute\(\) first"):
        GraphCutFeatures().fit(lazy()).transform_with_report(lazy())
    framed = GraphCutFeatures().set_output(transform="pandas").fit(lazy())
    with pytest.raises(InputError, match="set_output is for rankings in memory"):
        framed.transform(lazy())


def test_a_graph_learned_from_some_rankings_serves_all():
    learned = GraphCutFeatures(AgreementGraph()).fit(RANKS[:20])
    np.testing.assert_array_equal(learned.transform(lazy()).compute(), learned.transform(RANKS))


def test_rows_and_blocks():
    blocks = row_blocks(lazy((11, 3)))
    assert blocks.sizes == (11, 11, 11, 7)
    np.testing.assert_array_equal(blocks.parts[3].compute(), RANKS[33:])
    X, _ = of_unknown_size(lazy())
    assert np.isnan(row_blocks(X).sizes).all()


def test_a_lost_cluster_is_told_of():
    from distributed.client import FutureCancelledError, FuturesCancelledError
    from distributed.comm import CommClosedError

    lost = FutureCancelledError("block", "scheduler-connection-lost")
    for problem in (lost, FuturesCancelledError([]), CommClosedError("closed")):
        assert "lost the connection to the cluster" in str(explained(problem))
    assert isinstance(explained(lost), OSError)


@pytest.mark.slow
def test_collections_need_one_import_which_the_error_says():
    program = """
import sys
from rankcut import GraphCutFeatures
GraphCutFeatures().fit_transform([[1, 2]])
assert "dask" not in sys.modules
import dask.array as da
X = da.ones((4, 3), chunks=(2, 3))
try:
    GraphCutFeatures().fit(X)
except ValueError as error:
    said = str(error)
assert "rankcut.dask" not in sys.modules
exec(said.partition("; ")[2])
GraphCutFeatures().fit(X).transform(X).compute()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


FOOD = make_food(30, kind="full", random_state=0)
ROWS = FOOD.ranks
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
    X = da.from_array(ROWS, chunks=(11, 3))
    gram = kernel(X, **options)
    assert gram.chunks == ((11, 11, 8), (11, 11, 8))
    computed = gram.compute(scheduler="sync")
    np.testing.assert_allclose(computed, kernel(ROWS, **options), rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(computed, computed.T)
    Y = ROWS[:7]
    for pair in [(X, Y), (Y, X), (X, X[3:20])]:
        in_memory = [np.asarray(side) for side in pair]
        np.testing.assert_allclose(
            kernel(*pair, **options).compute(scheduler="sync"),
            kernel(*in_memory, **options),
            rtol=1e-12,
            atol=1e-13,
        )


def test_blocks_of_unknown_size_and_frames():
    X = da.from_array(ROWS, chunks=(11, -1))
    some = X[X[:, 0] > 3]
    expected = kendall_kernel(ROWS[ROWS[:, 0] > 3])
    np.testing.assert_array_equal(kendall_kernel(some).compute(), expected)
    frame = pd.DataFrame(ROWS, columns=list("abcdefgh"))
    lazily = kendall_kernel(dd.from_pandas(frame, npartitions=3))
    np.testing.assert_array_equal(lazily.compute(), kendall_kernel(ROWS))


def test_to_zarr(tmp_path):
    X = da.from_array(ROWS, chunks=(10, -1))
    graph_cut_kernel(X, normalize=True).to_zarr(str(tmp_path / "gram.zarr"))
    stored = zarr.open_array(str(tmp_path / "gram.zarr"), mode="r")
    assert stored.chunks == (10, 10)
    np.testing.assert_allclose(stored[:], graph_cut_kernel(ROWS, normalize=True), atol=1e-14)


def test_what_cannot_be_is_said_at_once():
    X = da.from_array(ROWS, chunks=(10, -1))
    with pytest.raises(ValueError, match="to_zarr"):
        spearman_kernel(X, out=np.empty((30, 30)))
    with pytest.raises(ValueError, match="X ranks 8 items and Y ranks 7"):
        spearman_kernel(X, ROWS[:, :7])
    bad = ROWS.copy()
    bad[17, 2] = np.inf
    with pytest.raises(ValueError, match=r"^row 17: item 2 has rank inf"):
        spearman_kernel(da.from_array(bad, chunks=(10, -1))).compute()
