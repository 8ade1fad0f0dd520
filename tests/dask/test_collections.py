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
    kernels,
    make_food,
)
from rankcut.cuts import FromCallable
from rankcut.dask.tasks import explained, stand_in
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
def test_all_transformers_take_dask_arrays(transformer):
    expected = transformer.fit_transform(RANKS)
    # Blocks of columns are brought together.
    result = transformer.fit(lazy((7, 3))).transform(lazy((7, 3)))
    assert result.chunks == (lazy().chunks[0], (expected.shape[1],))
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.compute(scheduler="sync"), expected)


def test_blocks_of_unknown_size_may_be_empty():
    X, keep = of_unknown_size(lazy())
    result = graph_cut_features(X)
    assert np.isnan(result.shape[0])
    np.testing.assert_array_equal(result.compute(), graph_cut_features(RANKS[keep]))
    frame = dd.from_pandas(FRAME, npartitions=4)
    some = frame.map_partitions(lambda part: part[part.index < 12], meta=frame._meta)
    found = graph_cut_features(some).compute().to_numpy()
    np.testing.assert_array_equal(found, graph_cut_features(FRAME[:12]))
    for lists, kept in ((X, RANKS[keep]), (some, FRAME[:12])):
        gram = kernels.kendall_kernel(lists).compute()
        np.testing.assert_array_equal(gram, kernels.kendall_kernel(kept))


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
        with pytest.raises(ValueError, match=r"^row 23: item 5 is not ranked"):
            graph_cut_kernel(da.from_array(bad, chunks=chunks)).compute()
    unknown, _ = of_unknown_size(da.from_array(bad, chunks=(7, -1)))
    with pytest.raises(ValueError, match=r"^block 3: row 2: item 5 is not ranked"):
        graph_cut_features(unknown).compute()
    frame = pd.DataFrame(bad, columns=list("abcdefgh"), index=1000 + np.arange(len(RANKS)))
    with pytest.raises(ValueError, match=r"^index 1023: item 'f' is not ranked"):
        graph_cut_features(dd.from_pandas(frame, npartitions=4)).compute()


def test_frames_give_frames_and_names_are_checked_at_once():
    lazily = dd.from_pandas(FRAME, npartitions=3)
    transformer = GraphCutFeatures().fit(lazily)
    assert transformer.feature_names_in_.tolist() == list("abcdefgh")
    result = transformer.transform(lazily)
    assert result.divisions == lazily.divisions
    expected = pd.DataFrame(transformer.transform(FRAME), columns=FRAME.columns)
    pd.testing.assert_frame_equal(result.compute(), expected)
    with pytest.raises(ValueError, match="feature names"):
        transformer.transform(lazily.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="column 'town' holds String"):
        GraphCutFeatures().fit(lazily.assign(town="Kobe"))


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


KERNELS = [
    (graph_cut_kernel, {"graph": SimilarityGraph(FOOD.item_features)}),
    (kernels.spearman_kernel, {"normalize": True}),
    (kernels.kendall_kernel, {"normalize": True}),
    (kernels.weighted_kendall_kernel, {}),
    (kernels.mallows_kernel, {"lam": 0.1}),
    (kernels.diffusion_kernel, {"beta": 0.3, "normalize": True}),
]


@pytest.mark.parametrize(("kernel", "options"), KERNELS, ids=lambda each: str(each)[:20])
def test_all_kernels(kernel, options):
    X, Y = lazy((11, 3)), RANKS[:7]
    frame = dd.from_pandas(FRAME, npartitions=3)
    for pair in [(X,), (frame,), (X, Y), (Y, X), (X, X[3:20]), (X[X[:, 0] > 3],)]:
        gram = kernel(*pair, **options).compute(scheduler="sync")
        expected = kernel(*map(np.asarray, pair), **options)
        np.testing.assert_allclose(gram, expected, rtol=1e-12, atol=1e-13)
    gram = kernel(X, **options)
    assert gram.chunks == ((11, 11, 11, 7), (11, 11, 11, 7))
    np.testing.assert_array_equal(*(each.compute(scheduler="sync") for each in (gram, gram.T)))


def test_to_zarr(tmp_path):
    X = lazy((10, -1))
    graph_cut_kernel(X, normalize=True).to_zarr(str(tmp_path / "gram.zarr"))
    stored = zarr.open_array(str(tmp_path / "gram.zarr"), mode="r")
    assert stored.chunks == (10, 10)
    np.testing.assert_allclose(stored[:], graph_cut_kernel(RANKS, normalize=True), atol=1e-14)


def test_what_cannot_be_is_said_at_once():
    with pytest.raises(ValueError, match="to_zarr"):
        graph_cut_kernel(lazy(), out=np.empty((40, 40)))
    with pytest.raises(ValueError, match="X ranks 8 items and Y ranks 7"):
        graph_cut_kernel(lazy(), RANKS[:, :7])
