"""What the arrays of a fitted model must be, said where its class says what they are.

Loops go where indices and sizes point, without asking. A class whose objects are saved with a model
therefore declares each array by its type and its axes::

    coef_: Annotated[Floats, Saved("functions", "features")]

:func:`check_arrays` holds a model that was read from a file against these declarations.
"""

import inspect
from collections.abc import Iterator
from typing import Any, get_args

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from rankcut.rankings.stored import check_csr

# Numbers of items that loops rely on, in any class.
_COUNTS = ("n_items", "_n_items", "n_items_")


class Saved:
    """An array, or arrays in a list or dictionary, that is saved with a model.

    Parameters
    ----------
    *axes : str
        Name of each axis. Axes of one name are equally long within an object, "items" are those of
        the model, and "*" is any length.
    dtype : dtype or None
        Type of its numbers, finite if they are floats; None: no loop sees it, and it may be any.

    Examples
    --------
    >>> lengths = {"items": 3}
    >>> Saved("items", "factors").check(np.ones((3, 2)), "loadings", lengths)
    >>> lengths["factors"]
    2
    >>> Saved("items").check(np.ones(4), "mean", lengths)
    Traceback (most recent call last):
    ...
    ValueError: mean has shape (4,), and not (3)
    """

    def __init__(self, *axes: str, dtype: DTypeLike | None = np.float64) -> None:
        self.axes = axes
        self.dtype = None if dtype is None else np.dtype(dtype)

    def check(self, array: Any, name: str, lengths: dict[str, int]) -> None:
        """Raise ValueError unless it is such an array; note lengths of axes that are new."""
        numbers = array
        if sparse.issparse(array):
            if array.format != "csr":
                raise ValueError(f"{name} is sparse, but not CSR")
            check_csr(array)
            numbers = array.data
        if self.dtype is not None:
            if type(numbers) is not np.ndarray or numbers.dtype != self.dtype:
                raise ValueError(f"{name} holds {numbers.dtype}, and not {self.dtype}")
            if self.dtype.kind == "f" and not np.isfinite(numbers).all():
                raise ValueError(f"{name} has numbers that are not finite")
        fits = len(array.shape) == len(self.axes) and all(
            axis == "*" or lengths.setdefault(axis, length) == length
            for axis, length in zip(self.axes, array.shape, strict=True)
        )
        if not fits:
            expected = ", ".join(str(lengths.get(axis, axis)) for axis in self.axes)
            raise ValueError(f"{name} has shape {array.shape}, and not ({expected})")


def declared_arrays(kind: type) -> dict[str, Saved]:
    """The arrays that a class and those it is made of declare.

    >>> from rankcut.gp.gaussian import Gaussian
    >>> {name: saved.axes for name, saved in declared_arrays(Gaussian).items()}
    {'mean': ('weights',), 'factor': ('weights', 'weights')}
    """
    return {
        name: saved
        for each in reversed(kind.__mro__)
        for name, annotation in inspect.get_annotations(each).items()
        for saved in get_args(annotation)
        if isinstance(saved, Saved)
    }


def check_arrays(model: Any, n_items: int) -> None:
    """Raise ValueError unless all arrays of a model are as its classes declare them."""
    waiting, checked = [model], set()
    while waiting:
        part = waiting.pop()
        if id(part) in checked:
            continue
        checked.add(id(part))
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple):
            waiting.extend(part)
        elif type(part).__module__.startswith("rankcut."):
            _check_object(part, {"items": n_items})
            waiting.extend(vars(part).values())
        elif hasattr(part, "get_params"):
            waiting.extend(vars(part).values())


def _check_object(part: Any, lengths: dict[str, int]) -> None:
    kind = type(part)
    declared = declared_arrays(kind)
    for name, value in vars(part).items():
        spelled = f"{kind.__name__}.{name}"
        if name in _COUNTS and value != lengths["items"]:
            raise ValueError(f"{spelled} is {value!r}, of {lengths['items']} items")
        arrays = list(_arrays_in(value))
        if name in declared:
            if not arrays and not (value is None or value in ([], (), {})):
                raise ValueError(f"{spelled} is no array")
            for array in arrays:
                declared[name].check(array, spelled, lengths)
        elif arrays:
            raise ValueError(f"{spelled} is an array, which no model has")


def _arrays_in(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray) or sparse.issparse(value):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _arrays_in(part)
