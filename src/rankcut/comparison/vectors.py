"""The vectors by which rankings are compared: places, pairs, lists, orders, features, kernels."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.gaussian_process.kernels import Kernel

from rankcut._loops.partitions import NOWHERE, centred_positions
from rankcut._loops.signs import expected_signs
from rankcut._loops.types import Floats, Indices
from rankcut.comparison.design import Vectors
from rankcut.errors import InputError, Setting
from rankcut.estimators.kernel_objects import MallowsKernel
from rankcut.estimators.radial_kernels import GaussianKernel
from rankcut.kernels.mallows import median_lambda
from rankcut.rankings import Unranked

# Kernels are exact for this many distinct rankings, and beyond that use as many of them as
# landmarks.
LANDMARKS = 1_000

# Directions of a kernel's vectors with less than this share of the largest are rounding errors.
_RANK = 1e-10


class Coordinates(NamedTuple):
    """Vectors of a certain width; ``error`` is the share of a kernel that they miss."""

    vectors: Vectors
    width: int
    error: float = 0.0
    name: str = ""


def places(rankings: Indices, unranked: Unranked) -> Coordinates:
    """Mean place of each item, 1 = best: (n + 1 − φ)/2 with features φ of the complete graph."""
    closed = _closed(rankings, unranked)
    n_items = rankings.shape[1]

    def vectors(numbers: NDArray[Any]) -> Floats:
        values = np.empty((len(numbers), n_items))
        centred_positions(np.ascontiguousarray(closed[numbers], dtype=np.uint32), values)
        values -= n_items + 1.0
        values /= -2.0
        return values

    return Coordinates(vectors, n_items, name="mean places")


def pairs(rankings: Indices, unranked: Unranked) -> Coordinates:
    """Share that puts i before j, for each pair i < j: a tie counts half."""
    closed = _closed(rankings, unranked)
    n_items = rankings.shape[1]
    width = n_items * (n_items - 1) // 2

    def vectors(numbers: NDArray[Any]) -> Floats:
        values = np.empty((len(numbers), width))
        expected_signs(np.ascontiguousarray(closed[numbers], dtype=np.uint32), values)
        values += 1.0
        values /= 2.0
        return values

    return Coordinates(vectors, width)


def listings(rankings: Indices) -> Coordinates:
    """1 for each item that is listed."""

    def vectors(numbers: NDArray[Any]) -> Floats:
        return np.asarray(rankings[numbers] != NOWHERE, dtype=np.float64)

    return Coordinates(vectors, rankings.shape[1])


def orders_of_listed(rankings: Indices, weight: Floats, kinds: NDArray[np.int64]) -> Coordinates:
    """How far each listed item is before the other listed ones, beyond what all rankings say.

    Σ_j (e_ij − ē_ij) over listed items j, with ē_ij the mean of e_ij over rankings of the same
    kind that list both. It is 0 for items that are not listed, and 0 on average for those that are:
    it does not say which items a ranking lists.
    """
    n_items = rankings.shape[1]
    values = np.empty(rankings.shape)
    listed = rankings != NOWHERE
    for kind in range(int(kinds.max()) + 1):
        rows = np.flatnonzero(kinds == kind)
        own = listed[rows].astype(np.float64)
        signs = np.zeros((n_items, n_items))
        lead = np.zeros(own.shape)
        for i in range(n_items):
            mine, others = rankings[rows, i][:, np.newaxis], rankings[rows]
            both = own[:, i : i + 1] * own
            e = both * ((mine < others).astype(np.float64) - (mine > others))
            lead[:, i] = e.sum(axis=1)
            signs[i] = weight[rows] @ e
        together = (own * weight[rows, np.newaxis]).T @ own
        mean = np.divide(signs, together, out=np.zeros_like(signs), where=together > 0)
        values[rows] = lead - own * (own @ mean.T)
    return Coordinates(values.__getitem__, n_items)


def side_by_side(parts: Sequence[Coordinates]) -> tuple[Vectors, list[slice]]:
    """All coordinates together, and which columns are whose."""
    ends = np.cumsum([part.width for part in parts]).tolist()
    columns = [slice(end - part.width, end) for end, part in zip(ends, parts, strict=True)]

    def vectors(numbers: NDArray[Any]) -> Floats:
        together = np.empty((len(numbers), ends[-1]))
        for part, where in zip(parts, columns, strict=True):
            together[:, where] = part.vectors(numbers)
        return together

    return vectors, columns


def features_of(
    features: Any,
    rankings: Indices,
    unranked: Unranked,
    items: tuple[Hashable, ...] | None,
    seed: int,
) -> Coordinates:
    """Vectors of a feature estimator, or of a kernel by its Gram matrix."""
    ranks = _ranks(rankings)
    if isinstance(features, str):
        features = _by_name(features, ranks, unranked)
    if isinstance(features, type) or not hasattr(features, "get_params"):
        raise _unknown(features)
    features = _configured(features, unranked, items)
    name = repr(features)
    if isinstance(features, Kernel):
        return _kernel_vectors(features, ranks, seed)._replace(name=name)
    if not hasattr(features, "fit_transform"):
        raise InputError(f"cannot transform rankings: {name}", parameter="features")
    values = features.fit_transform(ranks)
    dense = np.asarray(values.todense() if hasattr(values, "todense") else values, dtype=np.float64)
    return Coordinates(dense.__getitem__, dense.shape[1], name=name)


def _by_name(word: str, ranks: Floats, unranked: Unranked) -> Any:
    if word == "mallows":
        try:
            return MallowsKernel(median_lambda(ranks, unranked=unranked), unranked=unranked)
        except ValueError:
            return MallowsKernel(2.0, unranked=unranked)
    if word == "gaussian":
        return GaussianKernel(unranked=unranked)
    raise _unknown(word)


def _unknown(features: Any) -> InputError:
    return InputError(
        f'must be None, "mallows", "gaussian", a feature estimator or a kernel; got {features!r}',
        parameter="features",
    )


def _configured(features: Any, unranked: Unranked, items: tuple[Hashable, ...] | None) -> Any:
    """The same, for these items, with what the caller says of unranked ones."""
    features = clone(features)
    known = features.get_params()
    own = known.get("unranked", unranked)
    if own != unranked and own != "error":
        raise InputError(
            ["has ", Setting("unranked", own), ", and the comparison has another"],
            parameter="features",
            remedy=["pass ", Setting("unranked", own), " to both"],
        )
    if "unranked" in known:
        features.set_params(unranked=unranked)
    if items is not None and "items" in known and known["items"] is None:
        features.set_params(items=list(items))
    return features


def _kernel_vectors(kernel: Any, ranks: Floats, seed: int) -> Coordinates:
    """V with VVᵀ the Gram matrix, or near it: K_ml·K_ll^(−1/2) with landmarks l."""
    n = len(ranks)
    chosen = np.arange(n)
    if n > LANDMARKS:
        chosen = np.sort(np.random.default_rng([seed, 2]).choice(n, LANDMARKS, replace=False))
    landmarks = ranks[chosen]
    gram = np.asarray(kernel(landmarks), dtype=np.float64)
    values, directions = np.linalg.eigh(gram)
    kept = values > _RANK * max(values[-1], 1e-300)
    if n <= LANDMARKS:
        exact = directions[:, kept] * np.sqrt(values[kept])
        return Coordinates(exact.__getitem__, exact.shape[1])
    root = directions[:, kept] / np.sqrt(values[kept])
    found = np.empty((n, root.shape[1]))
    for start in range(0, n, 4096):
        some = slice(start, start + 4096)
        found[some] = np.asarray(kernel(ranks[some], landmarks), dtype=np.float64) @ root
    error = 1.0 - float((found**2).sum()) / float(np.sum(kernel.diag(ranks)))
    return Coordinates(found.__getitem__, found.shape[1], max(error, 0.0))


def _closed(rankings: Indices, unranked: Unranked) -> Indices:
    """With unranked items tied after the others, if that is what they are."""
    if unranked != "last" or not (rankings == NOWHERE).any():
        return rankings
    listed = rankings != NOWHERE
    last = np.where(listed, rankings, 0).max(axis=1) + listed.any(axis=1)
    return np.where(listed, rankings, last[:, np.newaxis]).astype(np.uint32)


def _ranks(rankings: Indices) -> Floats:
    return np.where(rankings == NOWHERE, np.nan, rankings.astype(np.float64) + 1.0)
