"""Checks of parameters, with the same words everywhere.

Each raises :class:`~rankcut.errors.InputError`, which carries the name of the parameter.
"""

import inspect
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut.errors import InputError

# A Python float, which compares with whole numbers of any size.
_LARGEST = float(np.finfo(np.float64).max)

# Whole numbers up to this are exact in float64.
EXACT = int(2 / np.finfo(np.float64).eps)

# Loops count in 64 bits.
_LARGEST_COUNT = int(np.iinfo(np.int64).max)

# About the cube root of the largest float: cubes of larger numbers, or of smaller ones than its
# inverse, may be no numbers.
LARGEST = 1e102

# The exponential of a larger number is none.
LARGEST_LOG = 700.0

# Numbers to hold at once where blocks of them are made and thrown away: 32 MB.
AT_ONCE = 1 << 22

# Rows and columns of a square matrix with that many numbers.
SIDE = math.isqrt(AT_ONCE)

# Numbers to keep, where they would otherwise be made again: 512 MB.
KEPT = 1 << 26

# More completions of a ranking than this are refused: they would take minutes.
MOST_DRAWN = KEPT

# More numbers than this are refused: 4 GB.
MOST_HELD = 1 << 29

# A number that is a smaller share of the largest one it is made of is rounding.
ROUNDING = 1e-12

# Computed numbers that differ by less than this share of the largest are equal up to rounding.
EQUAL_WITHIN = 1e-9

# Rows that a thread computes at once: what is made of them stays in its cache, and there are enough
# blocks to share.
ROWS_AT_ONCE = 256

# Where all pairs of rows are compared and some rows stand for all, this many are drawn: a matrix
# of 8 MB, which takes a second to factorise.
MOST_COMPARED = 1000

# Up to this many items, each pair has a coordinate or an effect of its own: 496 pairs.
MOST_PAIRED = 32

# Messages and summaries list at most this many names. A scale with more levels is read as numbers:
# Likert scales have at most eleven.
MOST_LISTED = 12


class WithParameters:
    """An object whose parameters scikit-learn reads, sets and copies, as those of an estimator.

    Like an estimator, it takes all its parameters in ``__init__`` and stores them unchanged. Unlike
    one, it does not need scikit-learn, which takes longer to import than most rankings take to
    compute.

    >>> from rankcut import Completions
    >>> Completions("sampled").set_params(n_draws=64)
    Completions(method='sampled', n_draws=64)
    """

    @classmethod
    def _get_param_names(cls) -> list[str]:
        names = inspect.signature(cls.__init__).parameters
        return sorted(name for name in names if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; if ``deep``, also their own parameters, as ``outer__inner``."""
        values = {name: getattr(self, name) for name in self._get_param_names()}
        if not deep:
            return values
        inner = {
            f"{outer}__{name}": value
            for outer, holder in values.items()
            if hasattr(holder, "get_params") and not isinstance(holder, type)
            for name, value in holder.get_params().items()
        }
        return {**inner, **values}

    def set_params(self, **params: Any) -> Self:
        """Set parameters, by the names that ``get_params`` gives them."""
        names = self._get_param_names()
        # Outer ones first: the inner ones may belong to them.
        for path in sorted(params, key=lambda path: "__" in path):
            name, _, inner = path.partition("__")
            if name not in names:
                raise InputError(
                    f"is not a parameter of {type(self).__name__}, which has {', '.join(names)}",
                    parameter=name,
                )
            if inner:
                getattr(self, name).set_params(**{inner: params[path]})
            else:
                setattr(self, name, params[path])
        return self

    def __repr__(self) -> str:
        parameters = inspect.signature(type(self).__init__).parameters
        values = {name: repr(getattr(self, name)) for name in self._get_param_names()}
        changed = [
            f"{name}={value if len(value) <= 200 else value[:200] + '...'}"
            for name, value in values.items()
            if value != repr(parameters[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def is_whole(value: Any, least: int = 0, most: float = np.inf) -> bool:
    """Whether the value is a whole number between two bounds; True and False are not numbers."""
    return _is_number(value, Integral) and least <= value <= most


def is_real(value: Any, least: float = 0.0, most: float = _LARGEST) -> bool:
    """Whether the value is a finite number between two bounds; True and False are not numbers."""
    return _is_number(value, Real) and least <= value <= most


def check_choice(value: Any, choices: Sequence[str], parameter: str) -> None:
    """Raise unless the value is one of the words.

    >>> check_choice("first", ("error", "last", "anywhere"), "unranked")
    Traceback (most recent call last):
        ...
    rankcut.errors.InputError: unranked must be "error", "last" or "anywhere"; got 'first'
    """
    if not (isinstance(value, str) and value in choices):
        words = [f'"{choice}"' for choice in choices]
        listed = " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
        raise InputError(f"must be {listed}; got {value!r}", parameter=parameter)


def check_count(value: Any, parameter: str, *, least: int = 1) -> int:
    """The value, if it is a whole number of at least ``least``."""
    if not is_whole(value, least, _LARGEST_COUNT):
        most = " and below 2**63" if is_whole(value, least) else ""
        raise InputError(
            f"must be a whole number, {least} or more{most}; got {f'{value!r}':.40}",
            parameter=parameter,
        )
    return int(value)


def check_number(value: Any, parameter: str) -> float:
    """The value, if it is a finite number that is not negative."""
    if not is_real(value):
        raise InputError(f"must be a finite number, 0 or more; got {value!r}", parameter=parameter)
    return float(value)


def check_share(value: Any, parameter: str) -> float:
    """The value, if it is a number between 0 and 1, and neither of them."""
    if not (is_real(value) and 0 < value < 1):
        raise InputError(f"must be between 0 and 1; got {value!r}", parameter=parameter)
    return float(value)


def check_positive(value: Any, parameter: str) -> float:
    """The value, if it is a finite number above 0."""
    if not (is_real(value) and value > 0):
        raise InputError(f"must be a finite number above 0; got {value!r}", parameter=parameter)
    return float(value)


def check_learned(value: Any, parameter: str, *, zero: bool = False) -> None:
    """Raise unless the value is None (learn it) or a finite number above 0; or 0, if allowed."""
    if value is not None:
        (check_number if zero else check_positive)(value, parameter)


def check_draws(value: Any, parameter: str) -> int:
    """The value, if it is a number of draws in mirrored pairs."""
    if not (is_whole(value, 2, MOST_DRAWN) and value % 2 == 0):
        raise InputError(
            f"must be an even number from 2 to {MOST_DRAWN:,}, because draws come in mirrored "
            f"pairs; got {value!r}",
            parameter=parameter,
        )
    return int(value)


def check_bootstraps(number: int, parameter: str, confidence: float) -> None:
    """Raise unless so many bootstrap samples have an interval of that confidence, or are none."""
    check_count(number, parameter, least=0)
    least = int(np.ceil(confidence / (1 - confidence)))
    if 0 < number < least:
        raise InputError(
            f"is {number}, too few for a confidence of {confidence}",
            parameter=parameter,
            remedy=f"use {least} or more, or 0",
        )


def check_counts(
    sample_weight: ArrayLike | None, n_rows: int, parameter: str = "sample_weight"
) -> NDArray[np.float64]:
    """How often each ranking counts: once, a number for all, or one for each.

    >>> check_counts([3, 1], 2), check_counts(None, 2)
    (array([3., 1.]), array([1., 1.]))
    """
    if sample_weight is None:
        return np.ones(n_rows)
    counts = as_floats(sample_weight, parameter)
    if counts.ndim == 0:
        counts = np.full(n_rows, float(counts))
    if counts.shape != (n_rows,):
        raise InputError(
            f"must have one weight for each of the {n_rows} rankings; got shape {counts.shape}",
            parameter=parameter,
        )
    good = np.isfinite(counts) & (counts >= 0)
    if not good.all():
        row = int(np.argmin(good))
        raise InputError(
            f"{parameter} is {counts[row]:g}; a weight is a finite number, 0 or more", row=row
        )
    if counts.size and not counts.any():
        raise InputError(
            "is zero for every ranking",
            parameter=parameter,
            remedy="give at least one ranking a weight above zero",
        )
    with np.errstate(over="ignore"):
        check_total(float(counts.sum()), parameter)
    if not counts.size:
        return counts
    largest = counts.max()
    vanishing = (counts > 0) & (counts < largest / LARGEST)
    if vanishing.any():
        raise InputError(
            f"{parameter} is {counts[vanishing][0]:g}, which is nothing beside {largest:g}",
            row=int(np.argmax(vanishing)),
            remedy="make it 0",
        )
    # Only proportions of such weights count, and their squares are 0.
    return counts / largest if largest < 1.0 / LARGEST else counts


def check_total(weight: float, parameter: str = "sample_weight") -> None:
    """Refuse weights that add up to more than is exact."""
    if weight > EXACT:
        raise InputError(
            "adds up to more than 2**53, and whole numbers beyond that are not exact",
            parameter=parameter,
            remedy="divide all by the same number",
        )


def as_floats(values: Any, parameter: str) -> NDArray[np.float64]:
    """The values as an array of numbers."""
    try:
        with within_floats(parameter):
            return np.asarray(values, dtype=np.float64)
    except InputError:
        raise
    except (TypeError, ValueError):
        raise InputError(f"holds {values!r:.60}, and not numbers", parameter=parameter) from None


def check_size(values: NDArray[Any], what: str) -> None:
    """Refuse numbers whose squares overflow or vanish; missing ones are left alone."""
    sizes = np.abs(values)
    largest = float(sizes.max(initial=0.0, where=~np.isnan(sizes)))
    if largest > LARGEST or 0 < largest < 1.0 / LARGEST:
        raise InputError(
            f"{what} are too {'large' if largest > 1 else 'small'}: up to {largest:.3g}",
            remedy="divide them by their largest value, or take logarithms",
        )


@contextmanager
def within_floats(what: str) -> Iterator[None]:
    """Refuse integers too large for a float, for which Python raises OverflowError."""
    try:
        yield
    except OverflowError:
        raise InputError(f"a number in {what} is too large for float64") from None


def seed_from(random_state: int | np.random.RandomState | None) -> int:
    """A seed for random streams: the number itself, or one drawn from the generator."""
    if isinstance(random_state, int | np.integer):
        if not 0 <= random_state < 2**32:
            raise InputError(
                f"must be from 0 to 2**32 - 1; got {random_state}", parameter="random_state"
            )
        return int(random_state)
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(2**31))


def _is_number(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)
