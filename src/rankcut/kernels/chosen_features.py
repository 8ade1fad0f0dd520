"""Vectors of rankings, for ``features=``: from an estimator of features, a kernel, or a word."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process.kernels import Kernel

from rankcut._loops.types import Floats
from rankcut.errors import InputError, Setting
from rankcut.kernels.kendall import GaussianKernel
from rankcut.kernels.mallows import MallowsKernel, median_lambda
from rankcut.kernels.ranking_kernel import Features
from rankcut.parameters import MOST_COMPARED, ROUNDING
from rankcut.rankings import Unranked
from rankcut.saved_arrays import Saved

# Directions of a kernel's matrix with less than this share of the largest are rounding errors.
RANK = 100 * ROUNDING

# Kernels of vectors with a coordinate for each item or pair.


@dataclass(frozen=True, eq=False)
class ChosenFeatures:
    """From ranks to vectors, by a fitted estimator, or by a kernel with landmarks.

    The vectors of a kernel are K_l·K_ll^(−1/2) with landmarks l: their inner products are the
    kernel's, approximately if there are more rankings than landmarks.
    """

    features: Any
    landmarks: Annotated[Floats | None, Saved("landmarks", "items")] = None
    root: Annotated[Floats | None, Saved("landmarks", "*")] = None

    @property
    def name(self) -> str:
        """What was chosen."""
        return repr(self.features)

    def vectors(self, ranks: Floats) -> Floats:
        """The vectors of rankings."""
        if self.landmarks is None:
            return _dense(self.features.transform(ranks))
        assert self.root is not None
        rows_of = np.empty((len(ranks), self.root.shape[1]))
        # Landmarks are encoded again for each block, so blocks are large.
        for start in range(0, len(ranks), Features.side):
            some = slice(start, start + Features.side)
            gram = np.asarray(self.features(ranks[some], self.landmarks), dtype=np.float64)
            rows_of[some] = gram @ self.root
        return rows_of

    def missed(self, ranks: Floats, vectors: Floats) -> float:
        """The share of the kernel that the vectors of these rankings miss."""
        if self.landmarks is None or len(self.landmarks) == len(ranks):
            return 0.0
        total = float(np.sum(self.features.diag(ranks)))
        return max(0.0, 1.0 - float((vectors**2).sum()) / total)


def choose_features(
    features: Any, ranks: Floats, unranked: Unranked, items: tuple[Hashable, ...] | None, seed: int
) -> ChosenFeatures:
    """What the user chose, fitted to these rankings."""
    if isinstance(features, str):
        features = _by_name(features, ranks, unranked)
    if isinstance(features, type) or not hasattr(features, "get_params"):
        raise _unknown(features)
    features = _configured(features, unranked, items)
    if isinstance(features, Kernel):
        return _with_landmarks(features, ranks, seed)
    if not hasattr(features, "fit_transform"):
        raise InputError(f"cannot transform rankings: {features!r}", parameter="features")
    return ChosenFeatures(features.fit(ranks))


def _dense(values: Any) -> Floats:
    return np.asarray(values.todense() if hasattr(values, "todense") else values, dtype=np.float64)


def _with_landmarks(kernel: Any, ranks: Floats, seed: int) -> ChosenFeatures:
    n = len(ranks)
    landmarks_of = np.arange(n)
    if n > MOST_COMPARED:
        landmarks_of = np.sort(
            np.random.default_rng([seed, 2]).choice(n, MOST_COMPARED, replace=False)
        )
    landmarks = ranks[landmarks_of]
    gram = np.asarray(kernel(landmarks), dtype=np.float64)
    values, directions = np.linalg.eigh(gram)
    large = values > RANK * max(values[-1], 1e-300)
    return ChosenFeatures(kernel, landmarks, directions[:, large] / np.sqrt(values[large]))


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
    """The features for these items, with the caller's meaning of unranked ones."""
    features = clone(features)
    parameters = features.get_params()
    meaning = parameters.get("unranked", unranked)
    if meaning != unranked and meaning != "error":
        raise InputError(
            ["has ", Setting("unranked", meaning), ", but the rankings have another"],
            parameter="features",
            remedy=["pass ", Setting("unranked", meaning), " to both"],
        )
    if "unranked" in parameters:
        features.set_params(unranked=unranked)
    if items is not None and "items" in parameters and parameters["items"] is None:
        features.set_params(items=list(items))
    return features
