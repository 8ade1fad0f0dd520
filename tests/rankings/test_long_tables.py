"""Long tables to rank matrices."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rankcut import from_long
from rankcut.rankings.orders import spread


@pytest.fixture
def table(frames):
    return frames.DataFrame(
        {
            "ranking": ["bob", "ann", "bob", "ann", "eve"],
            "item": ["uni", "ebi", "ebi", "uni", "toro"],
            "place": [2.0, 1.0, 1.0, 1.0, None],
            "stars": [3, 5, 4, 5, 1],
        }
    )


def test_by_rank(table):
    ranks, ids, items = from_long(table, rank="place")
    assert (ids, items) == (["bob", "ann", "eve"], ["uni", "ebi", "toro"])
    nan = np.nan
    assert_array_equal(ranks, [[2, 1, nan], [1, 1, nan], [nan, nan, nan]])


def test_by_score(table):
    ranks, _, _ = from_long(table, score="stars")
    nan = np.nan
    assert_array_equal(ranks, [[2, 1, nan], [1, 1, nan], [nan, nan, 1]])
    stored, _, _ = from_long(table, score="stars", sparse=True)
    assert stored.format == "csr"
    assert_array_equal(spread(stored), ranks)
    ranks, _, _ = from_long(table, score="stars", higher_is_better=False)
    assert_array_equal(ranks[0], [1, 2, nan])


def test_items_fix_the_columns(table):
    ranks, _, items = from_long(table, rank="place", items=["tai", "toro", "ebi", "uni"])
    assert items == ["tai", "toro", "ebi", "uni"]
    assert_array_equal(ranks[0], [np.nan, np.nan, 1, 2])
    with pytest.raises(ValueError, match="line 1: item 'ebi' is not among the items"):
        from_long(table, rank="place", items=["uni", "toro"])


def test_mistakes(table):
    for options in ({}, {"rank": "place", "score": "stars"}):
        with pytest.raises(ValueError, match="give one of rank and score"):
            from_long(table, **options)
    with pytest.raises(ValueError, match=r"no column 'voter'; its columns are 'ranking', 'item'"):
        from_long(table, ranking="voter", rank="place")
    with pytest.raises(ValueError, match=r"column 'item' holds .*, not numbers"):
        from_long(table, rank="item")
    with pytest.raises(ValueError, match="items lists 'uni' twice"):
        from_long(table, rank="place", items=["uni", "uni"])
    with pytest.raises(ValueError, match="a long table is a pandas or Polars frame, not list"):
        from_long([1, 2], rank="rank")
    with pytest.raises(ValueError, match="no lines"):
        from_long(table[:0], rank="place")


@pytest.mark.parametrize(
    ("rankings", "items", "ranks", "message"),
    [
        ([1, 2, 1], list("aaa"), [1, 1, 2], "line 2: ranking 1 mentions item 'a' a second time"),
        ([1, 2], ["a", None], [1, 1], "line 1: column 'item' is empty"),
        ([1], ["a"], [np.inf], "line 0: column 'rank' is inf, not a finite number"),
        ([1.0, np.nan], ["a", "b"], [1, 2], "line 1: column 'ranking' is empty"),
        # Times in nanoseconds would be rounded to ties.
        ([0, 0], ["a", "b"], [2**53, 2**53 + 1], "line 1: column 'rank' is 9007199254740993; "),
    ],
)
def test_mistakes_in_lines(frames, rankings, items, ranks, message):
    table = frames.DataFrame({"ranking": rankings, "item": items, "rank": ranks})
    with pytest.raises(ValueError, match=message):
        from_long(table, rank="rank")
