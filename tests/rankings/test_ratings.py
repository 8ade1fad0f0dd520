"""Ratings and long tables as rank matrices."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from ranking_sets import stored
from scipy import stats

from rankcut import from_long, from_ratings
from rankcut.errors import InputError
from rankcut.rankings.stored import dense_ranks

SCORES = arrays(
    float,
    st.tuples(st.integers(1, 5), st.integers(1, 6)),
    elements=st.sampled_from([np.nan, -1.5, 0.0, 1.0, 2.0, 5.0]),
)


def expected(scores, sign):
    ranks = np.full(scores.shape, np.nan)
    for row, out in zip(scores, ranks, strict=True):
        rated = ~np.isnan(row)
        out[rated] = stats.rankdata(sign * row[rated], method="dense")
    return ranks


@given(scores=SCORES)
def test_equals_dense_ranks_of_what_is_rated(scores):
    assert_array_equal(from_ratings(scores), expected(scores, -1))
    assert_array_equal(from_ratings(scores, higher_is_better=False), expected(scores, 1))
    given = stored(scores)
    ranks = from_ratings(given)
    assert ranks.format == "csr"
    assert_array_equal(dense_ranks(ranks), expected(scores, -1))
    assert_array_equal(dense_ranks(given), scores)


def test_many_rows():
    scores = np.random.default_rng(0).integers(1, 6, (100_000, 7))
    ranks = from_ratings(scores)
    for row in (0, 37_449, 37_450, 99_999):
        assert_array_equal(ranks[row], stats.rankdata(-scores[row], method="dense"))


def test_frames_stay_frames(frames):
    frame = frames.DataFrame({"uni": [5, 3, None], "toro": [4, 3, 1]})
    ranks = from_ratings(frame)
    assert isinstance(ranks, frames.DataFrame)
    assert list(ranks.columns) == ["uni", "toro"]
    assert_array_equal(ranks.to_numpy(), [[1, 2], [1, 1], [np.nan, 1]])
    words = frames.DataFrame({"a": ["MEH", "DESPAIR"], "b": ["JOY", None]})
    ranks = from_ratings(words, scale=SCALE)
    assert isinstance(ranks, frames.DataFrame)
    assert_array_equal(ranks.to_numpy(), [[2, 1], [1, np.nan]])
    nothing = pd.DataFrame({0: ["MEH", pd.NA], 1: ["JOY", "DESPAIR"]}, dtype="string")
    assert_array_equal(from_ratings(nothing, scale=SCALE).to_numpy(), [[2, 1], [np.nan, 1]])


SCALE = "JOY > MEH = SHRUG > DESPAIR"
WORDS = [["MEH", "JOY", "SHRUG"], ["DESPAIR", None, " JOY "]]


@pytest.mark.parametrize("scale", [SCALE, ["JOY", ("MEH", "SHRUG"), "DESPAIR"]])
def test_words_are_ranked_by_their_scale(scale):
    assert_array_equal(from_ratings(WORDS, scale=scale), [[2, 1, 2], [2, np.nan, 1]])


def test_scores_and_scales_that_are_none_are_named():
    with pytest.raises(InputError, match="row 0: item 1 has score inf; a score is a finite number"):
        from_ratings([[1, np.inf]])
    with pytest.raises(InputError, match=r"row 1: item 0 is rated 'GLEE'.*add the word to scale"):
        from_ratings([["JOY"], ["GLEE"]], scale=SCALE)
    for scale in ("JOY", "", "JOY>JOY", "JOY>>MEH"):
        with pytest.raises(InputError, match="scale must list two or more different words"):
            from_ratings(WORDS, scale=scale)


def test_ordered_categories_are_scores():
    levels = ["bad", "fair", "good"]
    cells = pd.DataFrame({"a": ["good", "bad"], "b": ["fair", None]})
    frame = cells.astype(pd.CategoricalDtype(levels, ordered=True))
    assert_array_equal(from_ratings(frame).to_numpy(), [[1, 2], [1, np.nan]])
    ours = pl.DataFrame(cells).cast(pl.Enum(levels))
    assert_array_equal(from_ratings(ours, higher_is_better=False).to_numpy(), [[2, 1], [1, np.nan]])
    mixed = frame.assign(b=pd.Categorical(["bad", "good"], levels[::-1], ordered=True))
    with pytest.raises(InputError, match="do not have the same ordered categories"):
        from_ratings(mixed)


def test_words_without_an_order_are_refused(frames):
    with pytest.raises(InputError, match="column 'a' holds words without an order; list the words"):
        from_ratings(frames.DataFrame({"a": ["good", "bad"]}))
    for words in ([["1", "good"]], np.array([[1, "good"]], dtype=object)):
        with pytest.raises(InputError, match=r"row 0: item 1 is rated 'good', .*best to worst"):
            from_ratings(words)


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


def test_long_tables_by_rank_and_by_score(table):
    nan = np.nan
    ranks, ids, items = from_long(table, rank="place")
    assert (ids, items) == (["bob", "ann", "eve"], ["uni", "ebi", "toro"])
    assert_array_equal(ranks, [[2, 1, nan], [1, 1, nan], [nan, nan, nan]])
    ranks, _, _ = from_long(table, score="stars")
    assert_array_equal(ranks, [[2, 1, nan], [1, 1, nan], [nan, nan, 1]])
    entries, _, _ = from_long(table, score="stars", sparse=True)
    assert entries.format == "csr"
    assert_array_equal(dense_ranks(entries), ranks)
    ranks, _, _ = from_long(table, score="stars", higher_is_better=False)
    assert_array_equal(ranks[0], [1, 2, nan])
    ranks, _, items = from_long(table, rank="place", items=["tai", "toro", "ebi", "uni"])
    assert items == ["tai", "toro", "ebi", "uni"]
    assert_array_equal(ranks[0], [nan, nan, 1, 2])
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
