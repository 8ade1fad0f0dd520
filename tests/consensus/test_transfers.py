"""Where ballots go next, against a count by hand."""

import csv
from fractions import Fraction

import numpy as np
import pytest
from commands import succeed
from hypothesis import given
from hypothesis import strategies as st

from rankcut import RankingSet, from_orders
from rankcut.consensus.transfers import EXHAUSTED, count_transfers

ITEMS = ["Ann", "Bob", "Cy", "Di"]


def by_hand(orders, items):
    """First choices and next choices, one ballot after the other, with exact shares."""
    first = dict.fromkeys(items, Fraction(0))
    after = {i: dict.fromkeys([*items, None], Fraction(0)) for i in items}
    for order in orders:
        groups = [group if isinstance(group, tuple) else (group,) for group in order]
        for choice in groups[0] if groups else ():
            own = Fraction(1, len(groups[0]))
            first[choice] += own
            left = [other for other in groups[0] if other != choice]
            following = left or (groups[1] if len(groups) > 1 else [None])
            for other in following:
                after[choice][other] += own / len(following)
    return first, after


@st.composite
def ballots(draw):
    order = draw(st.permutations(ITEMS))[: draw(st.integers(0, 4))]
    groups = []
    for item in order:
        if groups and draw(st.booleans()) and draw(st.booleans()):
            groups[-1] = (*groups[-1], item)
        else:
            groups.append((item,))
    return groups


@given(st.lists(ballots(), min_size=1, max_size=30).filter(any))
def test_each_ballot_goes_where_it_says(orders):
    ranks, _ = from_orders(orders, items=ITEMS)
    found = count_transfers(ranks, items=ITEMS)
    first, after = by_hand(orders, ITEMS)
    np.testing.assert_allclose(found.first, [float(first[i]) for i in ITEMS])
    expected = [[float(after[i][j]) for j in ITEMS] for i in ITEMS]
    np.testing.assert_allclose(found.next, expected, atol=1e-12)
    np.testing.assert_allclose(found.exhausted, [float(after[i][None]) for i in ITEMS], atol=1e-12)
    # Counts are repeated rows, and the order of candidates does not matter.
    twice = count_transfers(ranks, items=ITEMS, sample_weight=np.full(len(ranks), 2.0))
    np.testing.assert_allclose(twice.next, 2 * found.next)
    turned = count_transfers(ranks[:, ::-1], items=ITEMS[::-1])
    np.testing.assert_allclose(turned.next[::-1, ::-1], found.next, atol=1e-12)


BALLOTS = 3 * [["Ann", "Bob", "Cy"]] + 2 * [["Bob", "Cy"]] + 2 * [["Cy"]] + [["Ann", "Cy"]]


@pytest.fixture
def file(tmp_path):
    rows = [",".join([*order, "", ""][:3]) for order in BALLOTS]
    place = tmp_path / "ballots.csv"
    place.write_text("\n".join(["Mayor Choice 1,Mayor Choice 2,Mayor Choice 3", *rows, ""]))
    return place


def test_the_command_says_it(file, tmp_path):
    said = succeed("transfers", file)
    lines = said.splitlines()
    assert lines[1].split() == ["Ann", "4", "50.0", "%", "Bob", "75", "%,", "Cy", "25", "%"]
    assert lines[3].split() == ["Cy", "2", "25.0", "%", "no", "further", "100", "%"]
    places = [tmp_path / f"out.{kind}" for kind in ("csv", "png", "html")]
    succeed("transfers", file, *(word for place in places for word in ("-o", str(place))))
    rows = csv.DictReader(places[0].read_text().splitlines())
    flows = {(row["first"], row["next"]): float(row["ballots"]) for row in rows}
    assert flows[("Ann", "Bob")] == 3
    assert flows[("Cy", EXHAUSTED)] == 2
    assert "Mayor" in places[2].read_text(encoding="utf-8")


def test_many_candidates_are_drawn_together():
    ranks = np.array([np.roll(np.arange(1.0, 31), i) for i in range(30)])
    found = count_transfers(RankingSet(ranks, tuple(f"c{i}" for i in range(30))))
    assert found._pooled().items[-1] == "18 others"
    assert found._pooled().first.sum() == found.first.sum()
    found.plot()
