"""Checks of parameters take anything, and say no in one line."""

import numpy as np
import pytest

from rankcut.errors import InputError
from rankcut.parameters import (
    check_count,
    check_draws,
    check_number,
    check_positive,
    is_real,
    is_whole,
)


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_whole_numbers_beyond_all_floats(value):
    """A comparison with a number of NumPy would raise OverflowError."""
    assert not is_real(value)
    for check in (check_number, check_positive):
        with pytest.raises(InputError, match=r"^lam must be a finite number"):
            check(value, "lam")
    assert is_whole(value) == (value > 0)
    with pytest.raises(InputError, match=r"^n must be a whole number.{,80}$"):
        check_count(value, "n")


@pytest.mark.parametrize("value", [True, np.True_, None, "1", 1j, np.nan, np.inf, [1]])
def test_what_is_no_number(value):
    assert not is_real(value)
    assert not is_whole(value)
    for check in (check_number, check_positive, check_count, check_draws):
        with pytest.raises(InputError, match=r"^lam must be "):
            check(value, "lam")
