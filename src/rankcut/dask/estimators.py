"""What estimators and kernels do with Dask collections.

A transformer is fitted to the columns of a collection, and transforms each block of rows when it is
computed. A consensus and blocs count each different ranking, block by block. A Gram matrix has one
block for each pair of blocks of rankings, which are encoded once. Of X with itself, only half of it
is computed; the other half is its mirror image.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats
from rankcut.blocs.estimator import RankingBlocs
from rankcut.consensus.estimator import Consensus
from rankcut.cuts.feature_map import graph_cut_features
from rankcut.cuts.transformers import GraphCutFeatures, RankingFeatures
from rankcut.dask.collections import as_array, map_rows, row_blocks, stand_in
from rankcut.dask.tasks import computed, reduced, shared, task
from rankcut.errors import InputError
from rankcut.gp.classifier import GPClassifier
from rankcut.gp.regressor import GPRegressor
from rankcut.graphs import is_learned
from rankcut.kernels.gram import Encoder, Encoding, fill_gram, gram_dtype, read_both
from rankcut.kernels.kendall import KendallFeatures
from rankcut.kernels.ranking_kernel import RankingKernel
from rankcut.parameters import check_counts
from rankcut.rankings import Rankings, Unranked, merge_rankings, read_rankings
from rankcut.rankings.merging import by_groups, joined
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
    RankingBlocs.predict,
    RankingBlocs.predict_membership,
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


@for_collections(Consensus.fit)
def fit_consensus(
    model: Consensus,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    counts: Any = None,
    people: Any = None,
) -> Consensus:
    """The consensus of the different rankings of all blocks and their counts."""
    _refuse_learned(model.graph)
    if people is not None:
        raise InputError(
            "needs rankings in memory, but these are a Dask collection",
            parameter="people",
            remedy="compute them first",
        )
    model._check_parameters()
    model._read(stand_in(X), reset=True)
    return model._combine(merge_lazy(X, model.unranked, sample_weight, counts=counts))


@for_collections(RankingBlocs.fit)
def fit_blocs(
    model: RankingBlocs, X: Any, y: Any = None, sample_weight: Any = None, *, counts: Any = None
) -> RankingBlocs:
    """The blocs of the different rankings of all blocks and their counts."""
    rankings = model._read(stand_in(X), reset=True)
    merged = merge_lazy(X, model.unranked, sample_weight, "anywhere", counts=counts)
    model._divide(replace(merged, items=rankings.items, unranked=model.unranked))
    model.labels_ = model.predict(X)
    model.membership_ = model.predict_membership(X)
    return model


def _refuse_learned(graph: Any) -> None:
    """Refuse to learn a graph from rankings that are not there yet."""
    if is_learned(graph):
        raise InputError(
            f"{type(graph).__name__} is learned from rankings, and these are a Dask collection, "
            "which is not computed for that",
            remedy="learn the graph from some rankings in memory, with its build_from(), and pass "
            "the graph that it returns",
        )


def merge_lazy(
    X: Any,
    unranked: Unranked,
    sample_weight: Any,
    kept: Unranked | None = None,
    *,
    counts: Any = None,
) -> Rankings:
    """The different rankings of a collection with their counts, or each with its weight.

    ``kept`` says what unranked items mean in what is returned; None means as ``unranked``.
    """
    parts, sizes = row_blocks(X)
    weights: list[Floats | None] = [None] * len(parts)
    counted = sample_weight is None
    given = counts if counted else sample_weight
    if counts is not None and sample_weight is not None:
        raise InputError(
            "needs rankings in memory, beside weights",
            parameter="counts",
            remedy="compute them first",
        )
    if given is not None:
        if np.isnan(sizes).any():
            raise InputError(
                "needs blocks of known size",
                parameter="counts" if counted else "sample_weight",
                remedy="call the array's compute_chunk_sizes() first, or expand the rows",
            )
        checked = check_counts(np.asarray(given), int(sum(sizes)))
        ends = np.cumsum(np.array(sizes, dtype=np.int64))[:-1]
        weights = list(np.split(checked, ends))
    merging = task(_merge_block)
    blocks = [
        merging(part, each, unranked, kept or unranked, counted)
        for part, each in zip(parts, weights, strict=True)
    ]
    (whole,) = computed(reduced(blocks, _merge if counted else _join))
    if whole is None:
        raise InputError("there are no rankings: the collection has no rows")
    rankings: Rankings = whole
    return rankings


def _merge_block(
    block: Any, weights: Floats | None, unranked: Unranked, kept: Unranked, counted: bool
) -> Rankings | None:
    if block.shape[0] == 0 or not (weights is None or weights.any()):
        return None
    given: Any = {"counts" if counted else "sample_weight": weights}
    rankings = read_rankings(block, unranked=unranked, **given)
    rankings = read_rankings(rankings, unranked=kept)
    return merge_rankings(rankings).rankings if counted else by_groups(rankings)


def _join(blocks: list[Rankings | None]) -> Rankings | None:
    known = [block for block in blocks if block is not None]
    return joined(known) if known else None


def _merge(blocks: list[Rankings | None]) -> Rankings | None:
    whole = _join(blocks)
    return None if whole is None else merge_rankings(whole).rankings


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
    # A placeholder row shows at once what the kernel refuses.
    fill_gram(encode(left, result_dtype), None, normalize=False, dtype=result_dtype)
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
