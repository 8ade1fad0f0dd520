"""Who counts once, who is resampled together, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rankcut.consensus import units as module
from rankcut.consensus.units import Units
from rankcut.errors import InputError
from rankcut.rankings import read_rankings

NAN = np.nan
ROWS = np.array([[1, 2, 3], [2, 1, NAN], [1, 2, 3], [NAN, NAN, NAN], [5, 9, 11.5]])


def gathered(ranks=ROWS, unranked="anywhere", **options):
    return Units.of(read_rankings(ranks, unranked=unranked, **options))


def test_counts_are_people_and_weights_weigh_them():
    counted = gathered(counts=[2, 0, 1, 0, 1])
    assert counted.counts.tolist() == [4]
    assert counted.weights is None
    weighed = gathered(sample_weight=[1, 0, 2, 0, 2])
    assert weighed.counts.tolist() == [1, 1, 1]
    assert weighed.weights.tolist() == [0.5, 1, 1]
    # Equal weights are none, and a count of people with a weight is one person of both.
    assert gathered(sample_weight=[3, 0, 3, 0, 3]).weights is None
    assert gathered(sample_weight=[2, 0, 1, 0, 1], counts=[1, 1, 2, 1, 4]).weights.max() == 1


def test_rows_of_a_person_stay_together():
    people = gathered(people=["b", "a", "b", "c", "a"])
    # c lists nothing.
    assert people.n_people == 2
    assert people.starts.tolist() == [0, 2, 4]
    block = people.block(1, 2)
    assert block.starts.tolist() == [0]
    assert len(block.groups) == 2


def test_blocks_add_up_to_the_whole(monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 4)
    for people in (gathered(), gathered(people=[1, 2, 1, 2, 3], sample_weight=[1.5, 2, 1, 1, 1])):
        whole = people.block(0, len(people.counts))
        blocks = list(people.blocks(2))
        assert len(blocks) > 1
        assert_array_equal(np.concatenate([block.masses() for block in blocks]), whole.masses())


def test_items_nobody_ranks_are_known():
    assert gathered(np.array([[1, NAN, 2.0]])).listed.tolist() == [True, False, True]
    # A ranking without weight is nobody's.
    listed = gathered(np.array([[1, NAN], [1, 2.0]]), sample_weight=[1, 0]).listed
    assert listed.tolist() == [True, False]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sample_weight": [0, 0, 0, 0, 0]}, "sample_weight is zero for every ranking"),
        ({"sample_weight": [1, 2]}, r"one weight for each of the 5 rankings; got shape \(2,\)"),
        ({"sample_weight": [1, 1, -1, 1, 1]}, "row 2: sample_weight is -1; a weight is"),
        ({"counts": [1, 1, 2.5, 1, 1]}, "row 2: counts is 2.5, no whole number; give it as a"),
        ({"people": ["a"]}, r"people must name the person of each of the 5 rankings; got shape"),
        ({"ranks": np.full((2, 3), NAN)}, "no ranking ranks any item"),
    ],
)
def test_mistakes_are_named(options, message):
    with pytest.raises(InputError, match=message):
        gathered(**options)
