"""What estimators and kernels do with Dask collections.

A transformer is fitted to the columns of a collection, and transforms each block of rows when it is
computed. A Gram matrix has one block for each pair of blocks of rankings, which are encoded once.
Of X with itself, only half of it is computed; the other half is its mirror image.

To fit a Gaussian process, a first pass surveys the blocks, and merges equal rows. If there are few
distinct rows, these are fitted in memory. Otherwise the blocks stay on the workers. They are kept
there if they all fit, and computed again in each pass if not. A step fetches only the sums of
:class:`~rankcut.gp.weight_space.Statistics`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from rankcut._loops.types import Floats
from rankcut.cuts.feature_map import graph_cut_features
from rankcut.cuts.transformers import GraphCutFeatures, RankingFeatures
from rankcut.dask.tasks import (
    RowBlocks,
    as_array,
    computed,
    import_dask,
    map_rows,
    reduced,
    room,
    row_blocks,
    shared,
    stand_in,
    task,
)
from rankcut.errors import InputError, amount
from rankcut.gp.classifier import GPClassifier, check_classes, class_factors
from rankcut.gp.gaussian import Gaussian, WeightPrior
from rankcut.gp.regressor import GPRegressor, TargetSums, sum_block
from rankcut.gp.weight_space import (
    LabelledRows,
    Statistics,
    Survey,
    add_up,
    few_distinct,
    represent,
    steps_to_start,
    survey_rows,
)
from rankcut.graphs import is_learned
from rankcut.kernels.kendall import KendallFeatures
from rankcut.kernels.ranking_kernel import (
    Encoder,
    Encoding,
    RankingKernel,
    fill_gram,
    gram_dtype,
    read_both,
)
from rankcut.parameters import check_total
from rankcut.rankings import Rankings, read_rankings
from rankcut.rankings.reading import for_collections, is_collection

# The encoding of a block without rankings.
_NOTHING = np.empty(0, dtype=object)


# The workers keep the features if they take at most this share of the memory, which leaves room
# for what is computed from them.
_SHARE = 0.4


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


def _predictions(name: str, model: Any, X: Any, return_std: bool = False) -> Any:
    """What a method returns for each block: an array, or two of one shape, side by side."""
    check_is_fitted(model)
    method = getattr(model, name)
    function = partial(method, return_std=True) if return_std else method
    if not isinstance(function(stand_in(X)), tuple):
        return map_rows(function, X)
    both = map_rows(partial(_columns, function), X)
    n = both.shape[1] // 2
    return (both[:, 0], both[:, 1]) if n == 1 else (both[:, :n], both[:, n:])


def _columns(function: Callable[[Any], Any], X: Any) -> Any:
    return np.column_stack(function(X))


for _method in (
    GPClassifier.predict,
    GPClassifier.predict_proba,
    GPClassifier.decision_function,
    GPClassifier.predict_latent,
    GPRegressor.predict,
):
    for_collections(_method)(partial(_predictions, _method.__name__))


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
    # One of no rankings and some has no entries either, but a shape.
    return block if any(block.shape) else mirrored


class CheckedRows(NamedTuple):
    """A checked block of features, with their labels or numbers and weights."""

    features: NDArray[np.floating]
    labels: NDArray[Any]
    weight: Floats | None


@for_collections(GPClassifier.fit)
def fit_classifier(model: GPClassifier, X: Any, y: Any, sample_weight: Any = None) -> GPClassifier:
    """Maximise the bound, with one pass over the blocks for each step."""
    model._check_parameters()
    validate_data(model, stand_in(X), skip_check_array=True)
    blocks = _read_blocks(row_blocks(X), y, sample_weight)
    survey, few = computed(
        reduced([task(_survey)(block) for block in blocks], _add_surveys),
        reduced([task(_merged)([[block]]) for block in blocks], _merged),
    )
    if survey is None:
        raise InputError("there are no rows to fit: all blocks are empty")
    check_total(float(survey.totals.sum()))
    model.classes_ = survey.labels
    check_classes(survey.labels, survey.totals)
    factors = class_factors(model.class_weight, survey.labels, survey.totals)
    weighed = sample_weight is not None or model.class_weight is not None
    about = survey.labels, factors if weighed else None
    if few is not None:
        return model._fit_features(*_code(few[0], about))
    coded = [task(_code)(block, shared(about)) for block in blocks]
    n_features = int(X.shape[1])
    n_bytes = np.dtype(np.float64).itemsize * n_features * int(survey.counts.sum())
    if n_bytes <= _SHARE * room():
        coded = list(import_dask().persist(*coded))

    def rows(code: int) -> LazyRows:
        return LazyRows(coded, survey, code, n_features)

    weighted = survey._replace(totals=factors * survey.totals, squares=factors * survey.squares)
    return model._fit_rows(rows, weighted.scale, survey.exponent)


class LazyRows:
    """Rows in blocks, with label 1 for one class."""

    def __init__(self, blocks: list[Any], survey: Survey, code: int, n_features: int) -> None:
        self.n_features = n_features
        self._blocks = blocks
        self._label = code, survey.exponent
        n_positive = int(survey.counts[code])
        self._counts = n_positive, int(survey.counts.sum()) - n_positive

    def statistics(self, posterior: Gaussian, prior: WeightPrior) -> Statistics:
        """The sum of the contributions of the blocks, a few blocks at a time."""
        contribute = task(_contribution)
        step = shared((self._label, posterior, prior))
        parts = reduced([contribute(block, step) for block in self._blocks], _total)
        sums: Statistics = computed(parts)[0]
        return sums

    def sample(self) -> LabelledRows | None:
        """Evenly spaced rows of each class and block."""
        steps = steps_to_start(self._counts)
        if steps is None:
            return None
        draw = task(_drawn)
        drawn = computed([draw(block, self._label, steps) for block in self._blocks])[0]
        return represent([rows for rows in drawn if rows is not None], self._counts)


@for_collections(GPRegressor.fit)
def fit_regressor(model: GPRegressor, X: Any, y: Any, sample_weight: Any = None) -> GPRegressor:
    """Add up the sums of the blocks."""
    model._check_parameters()
    validate_data(model, stand_in(X), skip_check_array=True)
    blocks = _read_blocks(row_blocks(X), y, sample_weight, numbers=True)
    sums = computed(reduced([task(_target_sums)(block) for block in blocks], _total))[0]
    if sums is None:
        raise InputError("there are no rows to fit: all blocks are empty")
    check_total(sums.total)
    return model._keep(sums)


def _read_blocks(
    rows: RowBlocks, y: Any, sample_weight: Any, *, numbers: bool = False
) -> list[Any]:
    labels = _beside(y, rows, "y")
    weights: list[Any] = [None] * len(labels)
    if sample_weight is not None:
        weights = _beside(sample_weight, rows, "sample_weight")
    read = task(_read)
    every = enumerate(zip(rows.parts, labels, weights, strict=True))
    return [read(number, *block, numbers) for number, block in every]


def _beside(values: Any, rows: RowBlocks, name: str) -> list[Any]:
    """Blocks of labels or weights that match the blocks of rows."""
    if is_collection(values):
        if len(values.shape) != 1:
            raise ValueError(f"{name} has shape {values.shape}, and should have one dimension")
        if hasattr(values, "rechunk") and not np.isnan([*values.chunks[0], *rows.sizes]).any():
            if values.shape[0] != sum(rows.sizes):
                raise ValueError(
                    f"X has {sum(rows.sizes):,} rows and {name} has {values.shape[0]:,}"
                )
            values = values.rechunk((rows.sizes,))
        parts = row_blocks(values).parts
        if len(parts) != len(rows.parts):
            raise ValueError(
                f"X has {len(rows.parts)} blocks and {name} has {len(parts)}; give both the same "
                "chunks or partitions"
            )
        return parts
    if np.isnan(rows.sizes).any():
        raise ValueError(
            f"the blocks of X are of unknown size, so {name} in memory cannot be split; call "
            "compute_chunk_sizes() of an array or to_dask_array(lengths=True) of a DataFrame "
            f"first, or give {name} as a Dask array or Series with the same blocks"
        )
    given = np.asarray(values)
    if len(given) != sum(rows.sizes):
        raise ValueError(f"X has {sum(rows.sizes):,} rows and {name} has {len(given):,}")
    ends = np.cumsum(rows.sizes).astype(int)
    return [shared(piece) for piece in np.split(given, ends[:-1])]


def _read(
    number: int, features: Any, labels: Any, weight: Any, numbers: bool
) -> CheckedRows | None:
    """Check a block; None if it has no rows."""
    if features.shape[0] == 0:
        return None
    try:
        if len(labels) != len(features):
            n_rows, n_labels = amount(len(features), "row"), amount(len(labels), "label")
            raise InputError(f"X has {n_rows} and y {n_labels}")
        X, y = check_X_y(features, labels, dtype=[np.float64, np.float32], y_numeric=numbers)
        if not numbers:
            check_classification_targets(y)
        if weight is not None:
            weight = np.asarray(weight, dtype=np.float64)
            if weight.shape != y.shape or not ((weight >= 0) & np.isfinite(weight)).all():
                raise InputError("sample_weight must be a number from 0 on for each row")
    except ValueError as problem:
        raise ValueError(f"block {number}: {problem}") from None
    return CheckedRows(X, y, weight)


def _survey(block: CheckedRows | None) -> Survey | None:
    return None if block is None else survey_rows(*block)


def _add_surveys(parts: list[Survey | None]) -> Survey | None:
    known = [part for part in parts if part is not None]
    if not known:
        return None
    labels = np.unique(np.concatenate([part.labels for part in known]))
    exponent = max(part.exponent for part in known)
    counts = np.zeros(len(labels), dtype=np.intp)
    totals, squares = np.zeros(len(labels)), np.zeros(len(labels))
    for part in known:
        place = np.searchsorted(labels, part.labels)
        counts[place] += part.counts
        totals[place] += part.totals
        squares[place] += np.ldexp(part.squares, 2 * (part.exponent - exponent))
    return Survey(labels, counts, totals, squares, exponent)


def _merged(parts: list[Any]) -> list[CheckedRows] | None:
    """The distinct rows of some blocks as one block, if there are rows; None if too many."""
    if any(part is None for part in parts):
        return None
    known = [block for part in parts for block in part if block is not None]
    if not known:
        return []
    features = np.concatenate([block.features for block in known])
    labels = np.concatenate([block.labels for block in known])
    weight = None
    if known[0].weight is not None:
        weight = np.concatenate([block.weight for block in known])
    few = few_distinct(features, np.unique(labels, return_inverse=True)[1], weight)
    if few is None:
        return None
    return [CheckedRows(features[few.rows], labels[few.rows], few.weight)]


def _code(block: CheckedRows | None, about: tuple[NDArray[Any], Floats | None]) -> Any:
    """The same rows with the codes of their classes, and class weights."""
    if block is None:
        return None
    classes, factors = about
    codes = np.searchsorted(classes, block.labels)
    weight = block.weight
    if factors is not None:
        weight = factors[codes] if weight is None else weight * factors[codes]
    return CheckedRows(block.features, codes, weight)


def _labelled(block: CheckedRows, label: tuple[int, int]) -> LabelledRows:
    """The rows with label 1 for one class, and features divided by 2**exponent."""
    code, exponent = label
    return LabelledRows(block.features, block.labels == code, block.weight, exponent=exponent)


def _contribution(block: CheckedRows | None, step: tuple[Any, ...]) -> Statistics | None:
    label, *rest = step
    return None if block is None else _labelled(block, label).statistics(*rest)


def _drawn(
    block: CheckedRows | None, label: tuple[int, int], steps: tuple[int, int]
) -> LabelledRows | None:
    return None if block is None else _labelled(block, label).drawn(steps)


def _target_sums(block: CheckedRows | None) -> TargetSums | None:
    if block is None:
        return None
    return sum_block(block.features, block.labels.astype(np.float64), block.weight)


def _total(parts: list[Any]) -> Any:
    """The sum of what the blocks contribute; those without rows contribute nothing."""
    known = [part for part in parts if part is not None]
    return add_up(known) if known else None
