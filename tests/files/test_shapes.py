"""A sample of the tables in other shapes that ``tests/fuzz/shapes.py`` draws."""

import pytest
from shapes import CHANGES, KINDS, ORDERS, alike, answer, drawn, told


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_order_of_columns_and_rows_has_no_meaning(kind, seed):
    rng, head, rows = drawn(kind, seed)
    expected, line = answer(head, rows)
    for change in ORDERS:
        got, said = answer(*change(rng, head, rows))
        assert alike(got, expected) or told(said) != told(line)


@pytest.mark.parametrize("seed", range(1))
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_different_answer_has_a_different_line(kind, change, seed):
    rng, head, rows = drawn(kind, seed)
    expected, line = answer(head, rows)
    got, said = answer(*change(rng, head, rows))
    assert got is None or alike(got, expected) or told(said) != told(line)
