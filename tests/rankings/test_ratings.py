"""Ratings to rank matrices."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from scipy import sparse, stats

from rankcut import from_ratings
from rankcut.errors import InputError

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


@given(scores=SCORES)
def test_sparse_keeps_its_entries(scores):
    rows, columns = np.nonzero(~np.isnan(scores))
    stored = sparse.csr_array((scores[rows, columns], (rows, columns)), shape=scores.shape)
    ranks = from_ratings(stored)
    assert_array_equal(ranks.toarray(), np.nan_to_num(expected(scores, -1)))
    assert (ranks.nnz, ranks.format) == (len(rows), "csr")
    assert_array_equal(stored.data, scores[rows, columns])


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


def test_infinite_score():
    with pytest.raises(ValueError, match="row 0: item 1 has score inf; a score is a finite number"):
        from_ratings([[1, np.inf]])


SCALE = "JOY > MEH = SHRUG > DESPAIR"
WORDS = [["MEH", "JOY", "SHRUG"], ["DESPAIR", None, " JOY "]]


@pytest.mark.parametrize("scale", [SCALE, ["JOY", ("MEH", "SHRUG"), "DESPAIR"]])
def test_words_are_ranked_by_their_scale(scale):
    assert_array_equal(from_ratings(WORDS, scale=scale), [[2, 1, 2], [2, np.nan, 1]])


def test_words_in_a_frame(frames):
    frame = frames.DataFrame({"a": ["MEH", "DESPAIR"], "b": ["JOY", None]})
    ranks = from_ratings(frame, scale=SCALE)
    assert isinstance(ranks, type(frame))
    assert_array_equal(ranks.to_numpy(), [[2, 1], [1, np.nan]])


def test_a_word_that_is_not_on_the_scale_is_named():
    with pytest.raises(InputError, match=r"row 1: item 0 is rated 'GLEE'.*add the word to scale"):
        from_ratings([["JOY"], ["GLEE"]], scale=SCALE)


@pytest.mark.parametrize("scale", ["JOY", "", "JOY>JOY", "JOY>>MEH"])
def test_a_scale_needs_different_words(scale):
    with pytest.raises(InputError, match="scale must list two or more different words"):
        from_ratings(WORDS, scale=scale)


def test_ordered_categories_are_scores():
    levels = ["bad", "fair", "good"]
    cells = pd.DataFrame({"a": ["good", "bad"], "b": ["fair", None]})
    frame = cells.astype(pd.CategoricalDtype(levels, ordered=True))
    assert_array_equal(from_ratings(frame).to_numpy(), [[1, 2], [1, np.nan]])
    ours = pl.DataFrame(cells).cast(pl.Enum(levels))
    assert_array_equal(from_ratings(ours, higher_is_better=False).to_numpy(), [[2, 1], [1, np.nan]])


def test_words_without_an_order_are_refused(frames):
    with pytest.raises(InputError, match="column 'a' holds words without an order; list the words"):
        from_ratings(frames.DataFrame({"a": ["good", "bad"]}))
    for words in ([["1", "good"]], np.array([[1, "good"]], dtype=object)):
        with pytest.raises(InputError, match=r"row 0: item 1 is rated 'good', .*best to worst"):
            from_ratings(words)


def test_categories_must_be_the_same_everywhere():
    frame = pd.DataFrame(
        {
            name: pd.Categorical(["x", "y"], levels, ordered=True)
            for name, levels in (("a", ["x", "y"]), ("b", ["y", "x"]))
        }
    )
    with pytest.raises(InputError, match="do not have the same ordered categories"):
        from_ratings(frame)
