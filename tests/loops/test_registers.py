"""Rows in registers hold what arrays would."""

import numpy as np
import pytest
from numba.core.errors import TypingError
from numpy.testing import assert_array_equal

from rankcut._loops.compilation import compiled
from rankcut._loops.registers import VECTOR, load_row, store_row, subtract_rows


def subtract(numbers, like, table, items, differences):
    row = load_row(numbers, like)
    for start in range(0, items.shape[0], 2):
        row = subtract_rows(row, table, items[start], items[start + 1])
    store_row(row, differences)


def test_only_rows_of_float64_fit():
    numbers, table = np.zeros(VECTOR), np.zeros((2, VECTOR))
    items = np.zeros(4, np.uint32)
    for wrong in ({"numbers": numbers.astype(np.float32)}, {"table": np.asfortranarray(table)}):
        given = {"numbers": numbers, "table": table} | wrong
        with pytest.raises(TypingError):
            compiled(subtract)(given["numbers"], (0,), given["table"], items, np.zeros(VECTOR))


# More than a processor has registers for, too.
@pytest.mark.parametrize("n_vectors", [1, 2, 5, 40])
def test_rows_are_subtracted_from_as_many_numbers(n_vectors):
    size = VECTOR * n_vectors
    rng = np.random.default_rng(n_vectors)
    table = rng.standard_normal((5, size))
    numbers = rng.standard_normal(size + 3)
    items = np.array([4, 0, 0, 2, 1, 4, 2, 3], dtype=np.uint32)
    expected = numbers[:size].copy()
    for item in items:
        expected -= table[item]
    for loop in (subtract, compiled(subtract)):
        # One number after the row, which stays.
        differences = np.full(size + 1, 7.0)
        loop(numbers, (0,) * n_vectors, table, items, differences)
        assert_array_equal(differences, [*expected, 7.0])
