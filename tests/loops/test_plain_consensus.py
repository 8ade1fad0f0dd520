"""The loops of a consensus against the plain Python they are compiled from."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rankcut._loops import linear_orders, partitions, resamples


def whole_gains(n_items=6):
    """Whole numbers, whose sums are exact; there are circles among them."""
    upper = np.triu(np.random.default_rng(3).integers(-9, 10, size=(n_items, n_items)), 1)
    return (upper - upper.T).astype(np.float64)


CALLS = {
    "draw_people": lambda: (
        np.array([0, 0, 1, 3], np.uint32),
        np.array([4, 7, 0]),
        np.array([0, 2**64 - 1, 12345], np.uint64),
        np.full((3, 4), np.nan),
    ),
    "best_order": lambda: (whole_gains(), np.full(6, -1), np.zeros(6)),
    "improve_order": lambda: (whole_gains(), np.arange(6)[::-1].copy()),
    "find_cycles": lambda: ((whole_gains() > 0) * 1.0, 1e-6, 2, np.zeros((4, 3), np.int64)),
    "unavoidable_loss": lambda: (whole_gains(),),
}


@pytest.mark.parametrize("name", CALLS)
def test_machine_code_does_what_the_source_says(name):
    modules = (resamples, linear_orders)
    (loop,) = (vars(module)[name] for module in modules if name in vars(module))
    arguments = CALLS[name]()
    plain = copy.deepcopy(arguments)
    found = loop(*arguments)
    # Scrambling numbers overflows on purpose.
    with np.errstate(over="ignore"):
        assert loop.py_func(*plain) == found
    for machine, source in zip(arguments, plain, strict=True):
        assert_array_equal(machine, source)
    if found is None:
        assert any(
            not np.array_equal(before, after, equal_nan=True)
            for before, after in zip(CALLS[name](), arguments, strict=True)
        )


def test_each_person_is_drawn_for_the_unit_behind_them():
    owners, sizes, seeds, times = CALLS["draw_people"]()
    resamples.draw_people(owners, sizes, seeds, times)
    assert_array_equal(times.sum(axis=1), sizes)
    assert_array_equal(times[:, 2], 0)


def test_unranked_items_are_closed_in_one_last_group():
    no = partitions.NOWHERE
    groups = np.array([[0, 1, 2, 2], [2, no, 1, 0], [no, no, no, no]], np.uint32)
    partitions.close_rows(groups)
    assert_array_equal(groups, [[0, 1, 2, 2], [2, 3, 1, 0], [0, 0, 0, 0]])
