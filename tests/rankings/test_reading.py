"""From what a user holds to rankings, and sets of them with all that a file says."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.model_selection import train_test_split

from rankcut import GraphCutFeatures, RankingSet, from_orders, graph_cut_features
from rankcut.errors import InputError
from rankcut.rankings import read_rankings


def test_frames(frames):
    frame = frames.DataFrame({"uni": [1, 2], "toro": [2.0, 1.0]})
    rankings = read_rankings(frame)
    assert rankings.items == read_rankings(frame, ["uni", "toro"]).items == ("uni", "toro")
    assert_array_equal(rankings.read(0, 2), [[1, 2], [2, 1]])
    with pytest.raises(ValueError, match="leave items out"):
        read_rankings(frame, ["toro", "uni"])
    gaps = frames.DataFrame({"uni": [1, None], "toro": [2, 1], "ebi": [3, 3]})
    got = graph_cut_features(gaps, unranked="last")
    assert_array_equal(got, graph_cut_features([[1, 2, 3], [9, 1, 3]]))
    with pytest.raises(ValueError, match=rf"row 1: item 'uni' is not ranked.*{CHOICES}"):
        graph_cut_features(gaps)
    assert read_rankings(frames.DataFrame({"uni": np.ones(3, np.float32)})).single
    with pytest.raises(ValueError, match=r"column 'voter' holds .* drop the others"):
        read_rankings(frames.DataFrame({"uni": [1, 2], "voter": ["ann", "bob"]}))
    with pytest.raises(ValueError, match=r"0 sample\(s\) .* minimum of 1"):
        read_rankings(frames.DataFrame({"uni": np.empty(0)}))


def test_frames_of_pandas():
    assert read_rankings(pd.DataFrame([[1, 2]])).items is None
    assert read_rankings(pd.DataFrame([[1, 2]], columns=[30, 40])).items == (30, 40)
    frame = pd.DataFrame({"uni": [1, None], "ebi": [2, 1]}, dtype="Int64")
    assert_array_equal(read_rankings(frame, unranked="last").read(0, 2), [[1, 2], [np.nan, 1]])


INFINITE = [[1.0, 2.0], [np.inf, 1.0]]
CHOICES = r'unranked="last" .* unranked="anywhere"'
UNSTORED = sparse.csr_array(([1.0, 2.0, 1.0], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
MASKED = np.ma.masked_array([[1, 3, 2]], mask=[[0, 1, 0]])
STORED_TWICE = sparse.csr_array(([1.0, 2.0], [1, 1], [0, 2]), shape=(1, 2))
DATES = np.array([["2020-01-01", "NaT"]], dtype="M8[D]")
BLOCKS = sparse.bsr_array(np.array([[1.0, 0, 2, 0], [0, 3, 0, 0]]), blocksize=(2, 2))


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        (UNSTORED, {}, rf"row 1: item 0 is not ranked: .*{CHOICES}"),
        (sparse.csr_array([[1.0, 2.0], [np.nan, 1.0]]), {}, r"row 1: item 0 is not ranked \(NaN\)"),
        ([[1, np.nan]], {"items": ["uni", "ebi"]}, "row 0: item 'ebi' is not ranked"),
        (INFINITE, {}, "row 1: item 0 has rank inf; a rank is a finite"),
        (INFINITE, {"unranked": "last"}, "row 1: item 0 has rank inf; a rank is a finite"),
        (sparse.csr_array(INFINITE), {}, "row 1: item 0 has rank inf; a rank is a finite"),
        (sparse.csr_array(INFINITE), {"unranked": "last"}, "row 1: item 0 has rank inf; a rank is"),
        ([[np.nan, 1.0], [-np.inf, 1.0]], {"unranked": "last"}, "row 1: item 0 has rank -inf"),
        (np.array([[1, 2], ["best", 1]], dtype=object), {}, "row 1: item 0 has rank 'best', which"),
        (np.array([[1j, 2]]), {}, "Complex data not supported"),
        ([1, 2, 3], {}, "Expected 2D array, got 1D array"),
        (STORED_TWICE.tocoo(), {"unranked": "last"}, "row 0: item 1 has two stored ranks"),
        (STORED_TWICE, {"items": ["a", "b"]}, "row 0: item 'b' has two stored ranks"),
        ([[1, 2, 3]], {"items": ["a", "b"]}, "2 labels, but the rank matrix has 3 columns"),
        ([[1, 2, 3]], {"items": ["a", "b", "a"]}, "label 'a' twice"),
        (MASKED, {}, "row 0: item 1 is not ranked"),
        (DATES, {}, "ranks are numbers; this matrix holds datetime64"),
        (BLOCKS, {"unranked": "last"}, r"bsr array stores zeros .* make it a CSR array"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), {}, "each column needs a name of its own"),
        (from_orders([["uni", "ebi"]]), {}, "given together; pass its ranks alone"),
        (pl.LazyFrame({"a": [1]}), {}, r"lazy: call its collect\(\)"),
    ],
)
def test_what_is_no_rank_matrix_is_named(X, options, message):
    with pytest.raises(ValueError, match=message):
        graph_cut_features(X, **options)


def test_the_first_mistake_of_many_rows_is_named(monkeypatch):
    ranks = np.ones((200_000, 3))
    ranks[150_000, 2] = ranks[150_001, 0] = np.nan
    with pytest.raises(ValueError, match=rf"row 150000: item 2 is not ranked.*{CHOICES}"):
        graph_cut_features(ranks)
    # Rows are counted through all that is read in pieces.
    monkeypatch.setattr("rankcut.rankings.reading.block_rows", lambda n_items: 2)
    ranks = np.ones((9, 2))
    ranks[7, 1] = np.inf
    with pytest.raises(ValueError, match="row 7: item 1 has rank inf"):
        read_rankings(ranks)


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_too_large_to_tell_apart(sign):
    ranks = np.array([[1, 2], [sign * (2**53 + 1), sign * (2**53 + 2)]])
    number = rf"row 1: item 0 has rank {sign * 9007199254740993}; .* rank"
    for given in (ranks, sparse.csr_array(ranks), sparse.coo_array(ranks), ranks.astype(object)):
        with pytest.raises(ValueError, match=number):
            graph_cut_features(given, unranked="last")


@pytest.mark.parametrize("other", [None, 1.5])
def test_such_integers_beside_others_in_a_frame(frames, other):
    columns = {"uni": [1, 2**53], "toro": [2, 2**53 + 1], "ebi": [other, 3]}
    with pytest.raises(ValueError, match=r"row 1: item 'toro' has rank 9007199254740993; "):
        graph_cut_features(frames.DataFrame(columns), unranked="last")


@pytest.mark.parametrize(
    ("X", "same"),
    [
        (np.array([[1, None, 2]], dtype=object), [[1, 3, 2]]),
        (np.array([[1, pd.NA, 2]], dtype=object), [[1, 3, 2]]),
        (pd.DataFrame([[True, None, 2.0]]).astype({0: "boolean", 1: "Int8"}), [[1, 3, 2]]),
        (MASKED, [[1, 3, 2]]),
        ([[1e308, 1.5e308, 1.7e308], [-1.7e308, 5e-324, 0.0]], [[1, 2, 3], [1, 3, 2]]),
    ],
)
def test_what_is_not_there_is_unranked_and_any_numbers_are_ranks(X, same):
    assert_array_equal(graph_cut_features(X, unranked="last"), graph_cut_features(same))


def test_full_sparse_matrices_and_stored_zeros():
    full = sparse.csr_array([[1.0, 2.0], [2.0, 1.0]])
    assert_array_equal(graph_cut_features(full), [[1, -1], [-1, 1]])
    zero = sparse.csr_array(([0.0, 1.0], [1, 0], [0, 2]), shape=(1, 2))
    assert_array_equal(graph_cut_features(zero), [[-1, 1]])


def test_read_only_memory_maps(tmp_path):
    ranks = np.array([[2.0, 1.0, 3.0], [1.0, 2.0, 3.0]])
    np.save(tmp_path / "ranks.npy", ranks)
    mapped = np.load(tmp_path / "ranks.npy", mmap_mode="r")
    assert_array_equal(graph_cut_features(mapped), graph_cut_features(ranks))


@pytest.mark.parametrize(
    ("rank", "unranked"), [(np.nan, "error"), (np.inf, "last"), (10**400, "last"), ("best", "last")]
)
def test_row_item_and_remedy_are_fields_of_the_error(rank, unranked):
    ranks = np.array([[1, 2], [1, rank]], dtype=object)
    with pytest.raises(InputError) as caught:
        read_rankings(ranks, items=["uni", "toro"], unranked=unranked)
    assert (caught.value.row, caught.value.item) == (1, "toro")
    if unranked == "error":
        assert "--unranked=last" in caught.value.render(lambda s: f"--{s.name}={s.value}")
    with pytest.raises(InputError, match=r"unranked must be .*; got 'first'") as caught:
        read_rankings([[1.0, 2.0]], unranked="first")
    assert caught.value.parameter == "unranked"


VOTES = RankingSet(
    np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]),
    ("toro", "uni"),
    columns={"town": np.array(["Kobe", "Nara", "Ise"], dtype=object)},
)


def test_fields_and_columns_go_by_name():
    assert VOTES["ranks"] is VOTES.ranks
    assert VOTES["town"].tolist() == ["Kobe", "Nara", "Ise"]
    assert VOTES["item_names"] == VOTES.item_names == ["toro", "uni"]
    with pytest.raises(KeyError, match="rows"):
        VOTES["rows"]


@pytest.mark.parametrize("key", [1, slice(1, 2), [1], np.array([False, True, False])])
def test_rows_keep_what_is_known_of_them(key):
    assert VOTES[key].shape == (1, 2)
    assert VOTES[key]["town"].tolist() == ["Nara"]


def test_estimators_take_sets_and_scikit_learn_splits_them():
    features = GraphCutFeatures().fit_transform(VOTES)
    assert_array_equal(features, GraphCutFeatures().fit_transform(VOTES.ranks))
    assert read_rankings(VOTES).items == ("toro", "uni")
    assert read_rankings(replace(VOTES, ranks=VOTES.sparse())).sparse is not None
    with pytest.raises(InputError, match="items differs from the labels"):
        read_rankings(VOTES, ["uni", "toro"])
    train, test = train_test_split(VOTES, test_size=1, random_state=0)
    assert isinstance(train, RankingSet)
    assert GraphCutFeatures().fit(train).transform(test).shape == (1, 2)


@pytest.mark.parametrize("count", [0, -1, 1.5, np.nan, np.inf, 10**16, 10**400, "many", None])
def test_a_count_is_a_whole_number_that_files_can_hold(count):
    with pytest.raises(InputError, match=r"whole numbers? from 1 to 9,007,199,254,740,992"):
        RankingSet(np.array([[1.0, 2.0], [2.0, 1.0]]), ("toro", "uni"), counts=[1, count])
    largest = RankingSet(np.array([[1.0, 2.0]]), ("toro", "uni"), counts=[2**53])
    assert largest.n_rankings == 2**53


def test_other_items_leave_a_sparse_set_as_it_was():
    votes = RankingSet(np.array([[1.0, 2.0, 3.0], [2.0, np.nan, 1.0]]), ("a", "b", "c"))
    votes = RankingSet(votes.sparse(), votes.items)
    moved = votes.with_items(("c", "d", "b", "a"))
    np.testing.assert_array_equal(moved.dense(), [[3, np.nan, 2, 1], [1, np.nan, np.nan, 2]])
    np.testing.assert_array_equal(votes.dense(), [[1, 2, 3], [2, np.nan, 1]])


def test_rankings_show_themselves_in_a_notebook():
    votes = RankingSet(np.array([[1.0, 2.0], [1.0, 1.0]]), ("<b>", "uni"))
    shown = "RankingSet(2 rows, 2 rankings, 2 items)<br>&lt;b&gt; &gt; uni<br>&lt;b&gt; = uni"
    assert votes._repr_html_() == shown
    many = RankingSet(np.tile([1.0, 2.0], (9, 1)), ("a" * 200, "uni"))
    assert many._repr_html_().endswith("<br>…")
    assert len(many._repr_html_()) < 1000
