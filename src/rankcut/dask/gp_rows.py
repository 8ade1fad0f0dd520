"""Features in the blocks of a Dask collection: each pass adds up the blocks' contributions.

A first pass surveys the blocks: the labels and their counts, the mean of ‖φ‖², and the number of
distinct rows. If there are few distinct rows, only these are fetched, with the sums of their
weights, and fitted in memory. Otherwise the blocks stay on the workers. They are kept there if
they all fit, and computed again in each pass if not. A step fetches only the sums of
:class:`~rankcut.gp.weight_space.Statistics`.
"""

from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _check_y

from rankcut._loops.types import Floats
from rankcut.dask.collections import RowBlocks, row_blocks
from rankcut.dask.tasks import computed, import_dask, reduced, room, shared, task
from rankcut.errors import InputError, amount
from rankcut.gp.duplicates import few_distinct, few_hashes, most_distinct
from rankcut.gp.fits import (
    Fit,
    Settings,
    class_factors,
    class_totals,
    fit_features,
    fit_rows,
)
from rankcut.gp.gaussian import Gaussian, Prior
from rankcut.gp.likelihoods import Likelihood
from rankcut.gp.regressor import Sums, sum_block
from rankcut.gp.weight_space import (
    LabelledRows,
    Statistics,
    exponent_of,
    sampled,
    steps_to_start,
    with_constant,
)
from rankcut.rankings.collections import is_collection

# The workers keep the features if they take at most this share of the memory.
_SHARE = 0.4


class Block(NamedTuple):
    """A checked block of rows."""

    features: NDArray[np.floating]
    labels: NDArray[Any]
    weight: Floats | None


class CodedBlock(NamedTuple):
    """A block of rows with their class codes and weights, class weights included."""

    features: NDArray[np.floating]
    codes: NDArray[np.intp]
    weight: Floats | None

    def rows(self, code: int, exponent: int) -> LabelledRows:
        """The rows with label 1 for one class, and features divided by 2**exponent."""
        return LabelledRows(self.features, self.codes == code, self.weight, exponent=exponent)


class Survey(NamedTuple):
    """Sums over a block, by label."""

    labels: NDArray[Any]
    counts: NDArray[np.intp]
    totals: Floats  #: Σ weight
    squares: Floats  #: Σ weight·‖φ‖², φ divided by 2**exponent
    exponent: int
    n_bytes: int


class LazyFeatures:
    """Labelled features in blocks, after the first pass.

    Attributes
    ----------
    classes : ndarray
        The labels, sorted.
    totals : ndarray of shape (n_classes,)
        The total weight of each class, before class weights.
    """

    def __init__(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._n_features = int(X.shape[1])
        self._weighed = sample_weight is not None
        blocks = _read_blocks(row_blocks(X), y, sample_weight)
        survey = task(_survey, nout=2)
        pairs = [survey(block) for block in blocks]
        few = partial(_united, most_distinct(self._n_features))
        surveys, hashes = computed(
            [pair[0] for pair in pairs], reduced([pair[1] for pair in pairs], few)
        )
        self._may_be_few = hashes is not None
        self._blocks = [
            block for block, each in zip(blocks, surveys, strict=True) if each is not None
        ]
        self._combine([each for each in surveys if each is not None])

    def _combine(self, surveys: list[Survey]) -> None:
        if not surveys:
            raise ValueError("there are no rows to fit: all blocks are empty")
        self.classes = np.unique(np.concatenate([each.labels for each in surveys]))
        shape = len(surveys), len(self.classes)
        self._counts = np.zeros(shape, dtype=np.intp)
        self._exponent = max(each.exponent for each in surveys)
        totals, squares = np.zeros(shape), np.zeros(shape)
        for number, each in enumerate(surveys):
            place = np.searchsorted(self.classes, each.labels)
            self._counts[number, place] = each.counts
            totals[number, place] = each.totals
            squares[number, place] = np.ldexp(each.squares, 2 * (each.exponent - self._exponent))
        self.totals = totals.sum(axis=0)
        self._squares = squares.sum(axis=0)
        self._n_bytes = sum(each.n_bytes for each in surveys)

    def fit(self, class_weight: Any, settings: Settings) -> Fit:
        """Maximise the bound over weights of these features."""
        factors = class_factors(class_weight, self.classes, self.totals)
        weighed = self._weighed or class_weight is not None
        code = task(_code)
        about = shared((self.classes, factors if weighed else None))
        coded = [code(block, about) for block in self._blocks]
        few = _few_distinct(coded) if self._may_be_few else None
        if few is not None:
            return fit_features(*few, settings)
        if self._n_bytes <= _SHARE * room():
            coded = list(import_dask().persist(*coded))
        total = float(factors @ self.totals)
        scale = float(factors @ self._squares) / total or 1.0

        def rows(code: int) -> LazyRows:
            return LazyRows(coded, self._counts, code, self._n_features, self._exponent)

        return fit_rows(rows, scale, total, self._exponent, settings)


class LazyRows:
    """Rows in blocks, with label 1 for one class."""

    def __init__(
        self,
        blocks: list[Any],
        counts: NDArray[np.intp],
        code: int,
        n_features: int,
        exponent: int,
    ) -> None:
        self.n_features = n_features
        self._exponent = exponent
        self._blocks = blocks
        self._code = code
        positive = counts[:, code]
        self._counts = np.column_stack([positive, counts.sum(axis=1) - positive])

    def statistics(self, posterior: Gaussian, likelihood: Likelihood, prior: Prior) -> Statistics:
        """The sum of the contributions of the blocks, a few blocks at a time."""
        contribute = task(_contribution)
        step = shared((self._code, self._exponent, posterior, likelihood, prior))
        (total,) = computed(reduced([contribute(block, step) for block in self._blocks], _added))
        sums: Statistics = total
        return sums

    def sample(self) -> LabelledRows | None:
        """Evenly spaced rows of each class: the same rows as for features in memory."""
        counts = self._counts.sum(axis=0).tolist()
        steps = steps_to_start(counts)
        if steps is None:
            return None
        before = np.cumsum(self._counts, axis=0) - self._counts
        draw = task(_drawn)
        parts = [
            draw(block, self._code, self._exponent, (-before[number] % steps).tolist(), steps)
            for number, block in enumerate(self._blocks)
        ]
        (drawn,) = computed(parts)
        each = [_joined([pair[label] for pair in drawn]) for label in (0, 1)]
        return sampled(each, counts)


def sum_lazily(X: Any, y: Any, sample_weight: Any) -> Sums:
    """The sums that a regression needs, added up over the blocks."""
    blocks = _read_blocks(row_blocks(X), y, sample_weight, numbers=True)
    add = task(_sums)
    (total,) = computed(reduced([add(block) for block in blocks], _total))
    if total is None:
        raise InputError("there are no rows to fit: all blocks are empty")
    sums: Sums = total
    return sums


def _sums(block: Block | None) -> Sums | None:
    return None if block is None else sum_block(block.features, block.labels, block.weight)


def _total(parts: list[Sums | None]) -> Sums | None:
    known = [part for part in parts if part is not None]
    return reduce(Sums.plus, known) if known else None


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


def _read(number: int, features: Any, labels: Any, weight: Any, numbers: bool) -> Block | None:
    """Check a block; None if it has no rows."""
    if features.shape[0] == 0:
        return None
    try:
        X = check_array(features, dtype=[np.float64, np.float32])
        y = _check_y(labels, y_numeric=numbers)
        if numbers:
            y = np.asarray(y, dtype=np.float64)
        else:
            check_classification_targets(y)
        if len(y) != len(X):
            raise ValueError(f"X has {amount(len(X), 'row')} and y {amount(len(y), 'label')}")
        if weight is not None:
            weight = _check_sample_weight(weight, X, dtype=np.float64, ensure_non_negative=True)
    except ValueError as problem:
        raise ValueError(f"block {number}: {problem}") from None
    return Block(X, y, weight)


def _survey(block: Block | None) -> tuple[Survey | None, NDArray[np.uint64] | None]:
    if block is None:
        return None, np.empty(0, dtype=np.uint64)
    X, y, given = block
    weight = np.ones(len(y)) if given is None else given
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    exponent = exponent_of(X)
    scaled = with_constant(X, False, exponent)
    squares = np.einsum("ij,ij->i", scaled, scaled) * weight
    survey = Survey(
        labels,
        counts,
        class_totals(codes, weight),
        class_totals(codes, squares),
        exponent,
        X.nbytes,
    )
    return survey, few_hashes(X, weight)


def _united(limit: int, parts: list[NDArray[np.uint64] | None]) -> NDArray[np.uint64] | None:
    """The hashes of the distinct rows of some blocks, or None if there are too many."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    hashes = np.unique(np.concatenate(known))
    return hashes if len(hashes) <= limit else None


def _code(block: Block, about: tuple[NDArray[Any], Floats | None]) -> CodedBlock:
    classes, factors = about
    codes = np.searchsorted(classes, block.labels)
    if factors is None:
        return CodedBlock(block.features, codes, None)
    weight = np.ones(len(codes)) if block.weight is None else block.weight
    return CodedBlock(block.features, codes, weight * factors[codes])


def _few_distinct(blocks: list[Any]) -> CodedBlock | None:
    """The distinct rows of all blocks with their weights, or None if there are too many."""
    distinct = task(_distinct)
    (found,) = computed(reduced([distinct([block]) for block in blocks], _distinct))
    few: CodedBlock | None = found
    return few


def _distinct(blocks: list[CodedBlock | None]) -> CodedBlock | None:
    known = [block for block in blocks if block is not None]
    if len(known) < len(blocks):
        return None
    features = np.concatenate([block.features for block in known])
    codes = np.concatenate([block.codes for block in known])
    weights = [block.weight for block in known if block.weight is not None]
    weight = np.concatenate(weights) if weights else None
    few = few_distinct(features, codes, weight)
    return None if few is None else CodedBlock(features[few.rows], codes[few.rows], few.weight)


def _contribution(block: CodedBlock, step: tuple[Any, ...]) -> Statistics:
    code, exponent, posterior, likelihood, prior = step
    return block.rows(code, exponent).statistics(posterior, likelihood, prior)


def _added(parts: list[Statistics]) -> Statistics:
    return reduce(Statistics.plus, parts)


def _drawn(
    block: CodedBlock, code: int, exponent: int, first: list[int], steps: list[int]
) -> tuple[LabelledRows, LabelledRows]:
    rows = block.rows(code, exponent)
    return rows.drawn(first[0], steps[0], True), rows.drawn(first[1], steps[1], False)


def _joined(parts: list[LabelledRows]) -> LabelledRows:
    return LabelledRows(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.positive for part in parts]),
        np.concatenate([part.weight for part in parts if part.weight is not None]),
        exponent=parts[0].exponent,
    )
