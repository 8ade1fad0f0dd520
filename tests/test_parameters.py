"""Checks of parameters take anything, and say no in one line."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from rankcut.errors import InputError
from rankcut.parameters import (
    WithParameters,
    check_count,
    check_draws,
    check_number,
    check_positive,
    check_share,
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


@pytest.mark.parametrize(
    ("check", "value", "says"),
    [
        (check_count, 2.5, "a whole number, 1 or more; got 2.5"),
        (check_number, -1, "a finite number, 0 or more; got -1"),
        (check_share, 1, "between 0 and 1; got 1"),
        (check_positive, 0, "a finite number above 0; got 0"),
        (
            check_draws,
            3,
            "an even number from 2 to 67,108,864, because draws come in mirrored pairs; got 3",
        ),
    ],
)
def test_words(check, value, says):
    with pytest.raises(InputError) as caught:
        check(value, "lam")
    assert str(caught.value) == f"lam must be {says}"


class Inner:
    def __init__(self, size=1, colour="red"):
        self.size = size
        self.colour = colour


class Outer:
    def __init__(self, inner=None, *, kind="plain"):
        self.inner = inner
        self.kind = kind


def with_base(base):
    inner, outer = (type(cls.__name__, (base,), dict(vars(cls))) for cls in (Inner, Outer))
    return outer(inner(2), kind="large")


def test_parameters_are_read_set_and_copied_as_those_of_an_estimator():
    ours, theirs = with_base(WithParameters), with_base(BaseEstimator)
    for deep in (False, True):
        assert list(ours.get_params(deep)) == list(theirs.get_params(deep))
    assert repr(ours) == repr(theirs) == "Outer(inner=Inner(size=2), kind='large')"
    changes = {"inner__colour": "blue", "kind": "plain"}
    assert ours.set_params(**changes) is ours
    theirs.set_params(**changes)
    assert repr(ours) == repr(theirs)
    # The inner parameter is one of the new inner object, in whatever order they are named.
    ours.set_params(inner__size=5, inner=type(ours.inner)(colour="green"))
    assert repr(ours) == "Outer(inner=Inner(colour='green', size=5))"
    copy = clone(ours)
    assert repr(copy) == repr(ours)
    assert copy.inner is not ours.inner
    # There is no such parameter; long values are cut.
    with pytest.raises(InputError, match=r"^size is not a parameter of Outer, which has inner, k"):
        ours.set_params(size=3)
    outer = with_base(WithParameters).set_params(inner=np.arange(1000))
    assert len(repr(outer)) < 300
