"""What estimators and kernels do with Dask collections.

A transformer is fitted to the columns of a collection, and transforms each block of rows when it is
computed. A Gram matrix has one block for each pair of blocks of rankings, which are encoded once.
Of X with itself, only half of it is computed; the other half is its mirror image.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rankcut.cuts.feature_map import graph_cut_features
from rankcut.cuts.transformers import GraphCutFeatures, RankingFeatures
from rankcut.dask.collections import as_array, map_rows, stand_in
from rankcut.dask.tasks import shared
from rankcut.errors import InputError
from rankcut.gp.classifier import GPClassifier
from rankcut.gp.regressor import GPRegressor
from rankcut.graphs import is_learned
from rankcut.kernels.gram import Encoder, Encoding, fill_gram, gram_dtype, read_both
from rankcut.kernels.kendall import KendallFeatures
from rankcut.kernels.ranking_kernel import RankingKernel
from rankcut.rankings import Rankings, read_rankings
from rankcut.rankings.reading import for_collections, is_collection

# The encoding of a block without rankings.
_NOTHING = np.empty(0, dtype=object)


@for_collections(RankingFeatures.fit)
@for_collections(KendallFeatures.fit)
def fit_features(transformer: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """Fit a transformer to the columns; no block is computed."""
    _refuse_learned(getattr(transformer, "graph", None))
    _refuse_learned(getattr(getattr(transformer, "smoothing", None), "graph", None))
    return transformer.fit(stand_in(X))


@for_collections(RankingFeatures.transform)
@for_collections(KendallFeatures.transform)
def transform(transformer: Any, X: Any) -> Any:
    """The vectors of each block; a DataFrame gives a DataFrame with the same index."""
    row = transformer.transform(stand_in(X))
    if hasattr(row, "columns"):
        raise InputError(
            "set_output is for rankings in memory; a Dask DataFrame gives a Dask DataFrame of "
            'itself: call set_output(transform="default")'
        )
    names = transformer.get_feature_names_out().tolist()
    return map_rows(transformer.transform, X, names, nothing=row[:0])


@for_collections(graph_cut_features)
def features(X: Any, graph: Any = None, **options: Any) -> Any:
    """Graph cut features of each block."""
    return GraphCutFeatures(graph, **options).fit(X).transform(X)


def _predictions(name: str, model: Any, X: Any) -> Any:
    """A method that returns an array with a row for each row of X."""
    check_is_fitted(model)
    return map_rows(getattr(model, name), X)


for _method in (
    GPClassifier.predict,
    GPClassifier.predict_proba,
    GPClassifier.decision_function,
):
    for_collections(_method)(partial(_predictions, _method.__name__))


@for_collections(GPClassifier.predict_latent)
def predict_latent(model: GPClassifier, X: Any) -> tuple[Any, Any]:
    """Means and variances as two Dask arrays."""
    return _both(model, partial(_columns, model.predict_latent), X)


@for_collections(GPRegressor.predict)
def predict_numbers(model: GPRegressor, X: Any, return_std: bool = False) -> Any:
    """Means, and deviations if asked for, as Dask arrays."""
    mean, deviation = _both(model, partial(_columns, partial(model.predict, return_std=True)), X)
    return (mean, deviation) if return_std else mean


def _both(model: Any, function: Callable[[Any], Any], X: Any) -> tuple[Any, Any]:
    """The left and the right half of what a function returns for each block."""
    check_is_fitted(model)
    both = map_rows(function, X)
    n = both.shape[1] // 2
    return (both[:, 0], both[:, 1]) if n == 1 else (both[:, :n], both[:, n:])


def _columns(function: Callable[[Any], Any], X: Any) -> Any:
    return np.column_stack(function(X))


def _refuse_learned(graph: Any) -> None:
    """Refuse to learn a graph from rankings that are not there yet."""
    if is_learned(graph):
        raise InputError(
            f"{type(graph).__name__} is learned from rankings, and these are a Dask collection, "
            "which is not computed for that",
            remedy="learn the graph from some rankings in memory, with its build_from(), and pass "
            "the graph that it returns",
        )


@for_collections(RankingKernel.gram)
def lazy_gram(
    kernel: RankingKernel,
    X: Any,
    Y: Any = None,
    *,
    out: Any = None,
    dtype: DTypeLike | None = None,
) -> Any:
    """The Gram matrix as a Dask array; one of X and Y may be in memory. Y=None is X again."""
    import dask.array as da

    if out is not None:
        raise InputError(
            "is for rankings in memory",
            parameter="out",
            remedy="write the Gram matrix of a Dask collection with its to_zarr method",
        )
    encode = kernel.encoder()
    other = None if Y is None or Y is X else stand_in(Y)
    left, right = read_both(stand_in(X), other, kernel.items, kernel.unranked)
    result_dtype = gram_dtype(dtype, None, left)
    # A placeholder row shows at once what the kernel refuses; the row itself may be no ranking.
    try:
        encode(left, result_dtype)
    except InputError as error:
        if error.row is None:
            raise
    rows = _encodings(kernel, X, left, encode, result_dtype)
    columns = rows if right is None else _encodings(kernel, Y, right, encode, result_dtype)
    numbers = [da.from_array(np.arange(part.numblocks[0]), chunks=1) for part in (rows, columns)]
    gram = da.blockwise(
        _compare,
        "ij",
        *(rows, "i", columns, "j", numbers[0], "i", numbers[1], "j"),
        symmetric=right is None,
        normalize=kernel.to_scale,
        gram_type=result_dtype,
        dtype=result_dtype,
        meta=np.empty((0, 0), dtype=result_dtype),
        align_arrays=False,
    )
    return gram if right is not None else da.map_blocks(_either, gram, gram.T, dtype=result_dtype)


def _encodings(
    kernel: RankingKernel, X: Any, known: Rankings, encode: Encoder, dtype: np.dtype[Any]
) -> Any:
    """A Dask array of one dimension whose blocks are encodings of as many rankings."""
    encoder = partial(_encode, kernel, known.items, encode, dtype)
    if is_collection(X):
        return map_rows(encoder, X, nothing=_NOTHING)
    encoding = encoder(X)
    return as_array([shared(encoding)], [len(encoding)], _NOTHING)


def _encode(
    kernel: RankingKernel, items: Any, encode: Encoder, dtype: np.dtype[Any], block: Any
) -> Encoding:
    rankings = read_rankings(block, items, unranked=kernel.unranked)
    return encode(rankings, dtype)


def _compare(
    left: Any,
    right: Any,
    row: Any,
    column: Any,
    *,
    symmetric: bool,
    normalize: bool,
    gram_type: np.dtype[Any],
) -> NDArray[Any]:
    """One block of the Gram matrix; empty below the diagonal of a symmetric one."""
    if symmetric and column[0] < row[0]:
        return np.empty((0, 0), dtype=gram_type)
    if len(left) == 0 or len(right) == 0:
        return np.empty((len(left), len(right)), dtype=gram_type)
    itself = symmetric and column[0] == row[0]
    return fill_gram(left, None if itself else right, normalize=normalize, dtype=gram_type)


def _either(block: NDArray[Any], mirrored: NDArray[Any]) -> NDArray[Any]:
    return block if block.size or not mirrored.size else mirrored
