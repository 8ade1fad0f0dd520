"""A comparison as a page: few groups in full, many groups in brief."""

import re

import numpy as np

from rankcut import compare_groups, make_mallows
from rankcut.pictures.theme import COLOURS


def compared(n_groups):
    ranks = make_mallows(120, 5, phi=0.9, random_state=0).ranks
    towns = [f"town {k:02d}" for k in np.arange(120) % n_groups]
    found = compare_groups(ranks, towns, n_permutations=19)
    return found, found.page()


def test_few_groups_have_columns_of_their_own():
    found, page = compared(3)
    assert "Rankings: town 00 (40), town 01 (40), town 02 (40)." in found.summary()
    assert all(f"share in town 0{k}" in page for k in range(3))
    assert "others" not in page


def test_p_has_a_sign_only_where_it_is_a_bound():
    ranks = np.array([[1, 2, 3, 4], [2, 1, 3, 4]] * 20)
    ranks[20:, :2] = [[1, 2], [2, 1]] * 10
    ranks[:20, 2:] = [4, 3]
    found = compare_groups(ranks, ["east"] * 20 + ["west"] * 20, n_permutations=19)
    page = found.page()
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", page)
    assert {"≤ 0.05", "1.00"} <= {*cells}
    assert not [cell for cell in cells if cell.startswith("=")]


def test_many_groups_share_a_colour_and_have_no_columns():
    found, page = compared(30)
    assert "Rankings: 120, in 30 groups of 4." in found.summary()
    assert "Rankings: 120, in 30 groups of 4." in page
    assert f"{30 - len(COLOURS)} others" in page
    assert "place in town" not in page
    assert "share in town" not in page
    assert "Groups, two at a time (the 40 clearest of 435)" in page
    # Each line says whose dots are on it.
    assert len(re.findall(r'data-tip="Mean place of [^"]* town 29 \d', page)) == 5
