"""Checks of parameters, with the same words everywhere.

Each raises :class:`~rankcut.errors.InputError`, which carries the name of the parameter.
"""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from rankcut.errors import InputError


def check_choice(value: Any, choices: Sequence[str], parameter: str) -> None:
    """Raise unless the value is one of the words.

    >>> check_choice("first", ("error", "last", "anywhere"), "unranked")
    Traceback (most recent call last):
        ...
    rankcut.errors.InputError: unranked must be "error", "last" or "anywhere"; got 'first'
    """
    if not (isinstance(value, str) and value in choices):
        words = [f'"{choice}"' for choice in choices]
        listed = " or ".join([", ".join(words[:-1]), words[-1]])
        raise InputError(f"must be {listed}; got {value!r}", parameter=parameter)


def check_count(value: Any, parameter: str, *, least: int = 1) -> int:
    """The value, if it is a whole number of at least ``least``.

    >>> check_count(2.5, "n_neighbors")
    Traceback (most recent call last):
        ...
    rankcut.errors.InputError: n_neighbors must be a whole number, 1 or more; got 2.5
    """
    if not (_is_number(value, Integral) and value >= least):
        raise InputError(
            f"must be a whole number, {least} or more; got {value!r}", parameter=parameter
        )
    return int(value)


def check_number(value: Any, parameter: str) -> float:
    """The value, if it is a finite number that is not negative.

    >>> check_number(-1, "shrinkage")
    Traceback (most recent call last):
        ...
    rankcut.errors.InputError: shrinkage must be a finite number, 0 or more; got -1
    """
    if not (_is_number(value, Real) and 0 <= value <= np.finfo(np.float64).max):
        raise InputError(f"must be a finite number, 0 or more; got {value!r}", parameter=parameter)
    return float(value)


def check_positive(value: Any, parameter: str) -> float:
    """The value, if it is a finite number above 0.

    >>> check_positive(0, "lam")
    Traceback (most recent call last):
        ...
    rankcut.errors.InputError: lam must be a finite number above 0; got 0
    """
    if not (_is_number(value, Real) and 0 < value <= np.finfo(np.float64).max):
        raise InputError(f"must be a finite number above 0; got {value!r}", parameter=parameter)
    return float(value)


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
