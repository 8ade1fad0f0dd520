"""What GPClassifier refuses, and why."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight

from rankcut._loops.types import Floats
from rankcut.estimators.gp.likelihoods import LIKELIHOODS


def check_parameters(parameters: dict[str, Any]) -> None:
    """Raise ValueError for the first parameter of GPClassifier that makes no sense."""
    kernel, link = parameters["kernel"], parameters["link"]
    precomputed = isinstance(kernel, str) and kernel == "precomputed"
    if not (kernel is None or precomputed or callable(kernel)):
        raise ValueError(
            'kernel must be None, "precomputed", a callable or a scikit-learn kernel, and it '
            f"is {kernel!r}"
        )
    if link not in LIKELIHOODS:
        raise ValueError(f'link must be "probit" or "logit", and it is {link!r}')
    _check_variance(parameters, "kernel_variance", lambda v: 0 < v < np.inf, "above 0")
    _check_variance(parameters, "constant_variance", lambda v: 0 <= v < np.inf, "0 or above")
    tol, max_iter = parameters["tol"], parameters["max_iter"]
    if not (isinstance(tol, Real) and float(tol) > 0):
        raise ValueError(f"tol must be a number above 0, and it is {tol!r}")
    if not (isinstance(max_iter, Integral) and int(max_iter) >= 1):
        raise ValueError(f"max_iter must be 1 or more, and it is {max_iter!r}")


def _check_variance(
    parameters: dict[str, Any], name: str, good: Callable[[float], bool], range_name: str
) -> None:
    value = parameters[name]
    if value is not None and not (isinstance(value, Real) and good(float(value))):
        raise ValueError(
            f"{name} must be a number {range_name}, or None to learn it, and it is {value!r}"
        )


def check_classes(classes: NDArray[Any], totals: Floats) -> None:
    """Raise ValueError unless there are two classes or more, and each has some weight."""
    if len(classes) < 2:
        raise ValueError(
            f"all labels are of one class, {classes.tolist()[0]!r}; a classifier needs rows of "
            "two classes or more"
        )
    if not totals.all():
        label = classes[totals == 0].tolist()[0]
        raise ValueError(
            f"all rows of class {label!r} have weight 0; leave them out, or give one of them "
            "a weight, so that two classes or more are left"
        )


def class_totals(codes: NDArray[np.intp], weight: Floats | None) -> Floats:
    """The weights of the rows of each class added up."""
    return np.bincount(codes, weights=weight).astype(np.float64)


def class_factors(class_weight: Any, classes: NDArray[Any], totals: Floats) -> Floats:
    """By how much the rows of each class weigh more; ``totals`` are their weights added up."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        # By weight, not by number: a row of weight 2 is two rows.
        even = np.divide(
            totals.sum(), len(classes) * totals, where=totals > 0, out=np.zeros_like(totals)
        )
        return np.asarray(even)
    return np.asarray(compute_class_weight(class_weight, classes=classes, y=classes))
