"""What the arrays of a saved model must look like, because a file may hold anything.

Loops go where indices and sizes point, without asking. So every array of our classes is checked for
type and shape before the first prediction, and sparse ones for arrays that fit together.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from rankcut.graphs.validation import check_csr

_TYPES = {"float": np.float64, "index": np.uint32, "long": np.int64, "truth": np.bool_}

# The type of each array, and its axes. Axes of one name are equally long within an object, and
# "*" is any length. "items" are the model's.
# "any" is an array that no loop sees.
_ARRAYS: dict[str, dict[str, str]] = {
    "ChosenFeatures": {"landmarks": "float landmarks items", "root": "float landmarks *"},
    "Combination": {"mean": "float targets", "weights": "float *"},
    "DesignColumn": {"basis": "float items *"},
    "FactorPopulation": {
        "mean": "float items",
        "loadings": "float items factors",
        "spreads": "float items factors factors",
    },
    "ForestModel": {
        "roots": "index trees",
        "feature": "index nodes",
        "left": "index nodes",
        "right": "index nodes",
        "threshold": "float nodes",
        "values": "float leaves targets",
    },
    "GPClassifier": {
        "classes_": "any *",
        "coef_": "float functions features",
        "intercept_": "float functions",
        "covariance_": "float functions weights weights",
        "kernel_variance_": "float functions",
        "constant_variance_": "float functions",
        "elbo_trace_": "float *",
    },
    "GPRegressor": {
        "_basis": "float features directions",
        "coef_": "float features",
        "covariance_": "float weights weights",
    },
    "Gaussian": {"mean": "float weights", "factor": "float weights weights"},
    "ItemFeatures": {"matrix": "any * *", "columns": "any *"},
    "KernelModel": {
        "landmarks": "float landmarks *",
        "coefficients": "float landmarks targets",
        "offset": "float targets",
    },
    "LevelViews": {"_levels": "float *"},
    "Population": {"mean": "float items", "covariance": "float items items"},
    "Presence": {
        "rows": "float lists items",
        "matrix": "float lists lists",
        "scales": "float items",
        "given": "float items items",
        "taken": "float items items",
    },
    "RankingBlocs": {
        "_shares": "float components",
        "ends_": "any * items",
        "labels_": "any people",
        "membership_": "any people blocs",
        "rankings_": "any blocs items",
        "rank_intervals_": "any blocs items *",
        "selection_": "any *",
        "sizes_": "any blocs",
        "strengths_": "float blocs items",
        "strength_errors_": "any blocs items",
    },
    "RankingClassifier": {"classes_": "any *", "covariance_": "float functions weights weights"},
    "RankingCompleter": {"consensus_": "float items"},
    "RankingRegressor": {"feature_names_in_": "any *"},
    "Smoother": {"_alone": "truth items"},
    "StrengthEffects": {
        "bases": "float items *",
        "parameters": "float parameters",
        "covariance": "float parameters parameters",
    },
    "StrengthRegression": {"feature_names_in_": "any *", "strengths_": "float items"},
    "VectorBlocs": {"centres": "float blocs coordinates"},
    "ViewRegression": {
        "weights": "float functions *",
        "_offsets": "float functions",
        "_weights": "float * functions",
    },
    "Weights": {"matrix": "float items items"},
}

# Numbers of items that loops rely on.
_COUNTS = ("n_items", "_n_items", "n_items_")


def check_arrays(model: Any, n_items: int) -> None:
    """Raise ValueError unless all arrays of a model are as its classes need them."""
    waiting, seen = [model], set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple):
            waiting.extend(part)
        elif type(part).__module__.startswith("rankcut."):
            _check_object(part, {"items": n_items})
            waiting.extend(vars(part).values())
        elif isinstance(part, BaseEstimator):
            waiting.extend(vars(part).values())


def _check_object(part: Any, lengths: dict[str, int]) -> None:
    kind = type(part).__name__
    expected = _ARRAYS.get(kind, {})
    for name, value in vars(part).items():
        if name in _COUNTS and value != lengths["items"]:
            raise ValueError(f"{kind}.{name} is {value!r}, of {lengths['items']} items")
        arrays = list(_arrays_in(value))
        if name in expected:
            if not arrays and not (value is None or value in ([], (), {})):
                raise ValueError(f"{kind}.{name} is no array")
            for array in arrays:
                _check_array(array, f"{kind}.{name}", expected[name], lengths)
        elif arrays:
            raise ValueError(f"{kind}.{name} is an array, which no model has")


def _arrays_in(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray) or sparse.issparse(value):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _arrays_in(part)


def _check_array(array: Any, name: str, expected: str, lengths: dict[str, int]) -> None:
    kind, *axes = expected.split()
    numbers = array
    if sparse.issparse(array):
        if array.format != "csr":
            raise ValueError(f"{name} is sparse, but not CSR")
        check_csr(array)
        numbers = array.data
    if kind != "any" and (type(numbers) is not np.ndarray or numbers.dtype != _TYPES[kind]):
        raise ValueError(f"{name} holds {numbers.dtype}, and not {_TYPES[kind].__name__}")
    if kind == "float" and not np.isfinite(numbers).all():
        raise ValueError(f"{name} has numbers that are not finite")
    # An axis that is met for the first time sets the length of its name.
    fits = len(array.shape) == len(axes) and all(
        axis == "*" or lengths.setdefault(axis, length) == length
        for axis, length in zip(axes, array.shape, strict=True)
    )
    if not fits:
        known = ", ".join(str(lengths.get(axis, axis)) for axis in axes)
        raise ValueError(f"{name} has shape {array.shape}, and not ({known})")
