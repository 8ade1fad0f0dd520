"""What is a rank matrix, and what is said when it is not."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from rankcut import GraphCutFeatures, RankingSet, graph_cut_features
from rankcut.errors import InputError
from rankcut.rankings import read_rankings


class TestFrames:
    def test_columns_name_the_items(self, frames):
        rankings = read_rankings(frames.DataFrame({"uni": [1, 2], "toro": [2.0, 1.0]}))
        assert rankings.items == ("uni", "toro")
        assert_array_equal(rankings.read(0, 2), [[1, 2], [2, 1]])

    def test_null_is_unranked(self, frames):
        frame = frames.DataFrame({"uni": [1, None], "toro": [2, 1], "ebi": [3, 3]})
        got = graph_cut_features(frame, unranked="last")
        assert_array_equal(got, graph_cut_features([[1, 2, 3], [9, 1, 3]]))

    def test_float32_frames_are_single(self, frames):
        frame = frames.DataFrame({"uni": np.ones(3, np.float32), "ebi": np.ones(3, np.float32)})
        assert read_rankings(frame).single

    def test_a_column_of_words_is_named(self, frames):
        frame = frames.DataFrame({"uni": [1, 2], "voter": ["ann", "bob"]})
        with pytest.raises(ValueError, match=r"column 'voter' holds .* drop the others"):
            read_rankings(frame)

    def test_no_rows(self, frames):
        with pytest.raises(ValueError, match=r"0 sample\(s\) .* minimum of 1"):
            read_rankings(frames.DataFrame({"uni": np.empty(0)}))

    def test_items_must_agree_with_the_columns(self, frames):
        frame = frames.DataFrame({"uni": [1], "toro": [2]})
        assert read_rankings(frame, ["uni", "toro"]).items == ("uni", "toro")
        with pytest.raises(ValueError, match="leave items out"):
            read_rankings(frame, ["toro", "uni"])

    def test_counted_columns_are_positions(self):
        pd = pytest.importorskip("pandas")
        assert read_rankings(pd.DataFrame([[1, 2]])).items is None
        assert read_rankings(pd.DataFrame([[1, 2]], columns=[30, 40])).items == (30, 40)

    def test_pandas_nullable_integers(self):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"uni": [1, None], "ebi": [2, 1]}, dtype="Int64")
        assert_array_equal(read_rankings(frame, unranked="last").read(0, 2), [[1, 2], [np.nan, 1]])


class TestUnrankedError:
    choices = r'unranked="last" .* unranked="anywhere"'

    def test_names_the_first_row_and_item_and_the_choices(self):
        ranks = np.ones((200_000, 3))
        ranks[150_000, 2] = ranks[150_001, 0] = np.nan
        with pytest.raises(ValueError, match=rf"row 150000: item 2 is not ranked.*{self.choices}"):
            graph_cut_features(ranks)

    def test_names_the_label(self, frames):
        frame = frames.DataFrame({"uni": [1.0, 2.0], "toro": [2.0, None]})
        with pytest.raises(ValueError, match=rf"row 1: item 'toro' is not ranked.*{self.choices}"):
            graph_cut_features(frame)
        with pytest.raises(ValueError, match="row 0: item 'ebi' is not ranked"):
            graph_cut_features([[1, np.nan]], items=["uni", "ebi"])

    def test_of_a_sparse_matrix(self):
        ranks = sparse.csr_array(([1.0, 2.0, 1.0], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
        with pytest.raises(ValueError, match=rf"row 1: item 0 is not ranked: .*{self.choices}"):
            graph_cut_features(ranks)
        full = sparse.csr_array(np.array([[1.0, 2.0], [2.0, 1.0]]))
        assert_array_equal(graph_cut_features(full), [[1, -1], [-1, 1]])

    def test_of_a_stored_nan(self):
        ranks = sparse.csr_array(np.array([[1.0, 2.0], [np.nan, 1.0]]))
        with pytest.raises(ValueError, match=r"row 1: item 0 is not ranked \(NaN\)"):
            graph_cut_features(ranks)


class TestBadRanks:
    @pytest.mark.parametrize("unranked", ["error", "last"])
    @pytest.mark.parametrize("convert", [np.array, sparse.csr_array])
    def test_infinity(self, unranked, convert):
        ranks = convert([[1.0, 2.0], [np.inf, 1.0]])
        with pytest.raises(ValueError, match="row 1: item 0 has rank inf; a rank is a finite"):
            graph_cut_features(ranks, unranked=unranked)

    def test_infinity_is_found_behind_nan(self):
        ranks = np.array([[np.nan, 1.0], [-np.inf, 1.0]])
        with pytest.raises(ValueError, match="row 1: item 0 has rank -inf"):
            graph_cut_features(ranks, unranked="last")

    def test_words(self):
        with pytest.raises(ValueError, match="row 1: item 0 has rank 'best', which is not a"):
            graph_cut_features(np.array([[1, 2], ["best", 1]], dtype=object))

    def test_rows_are_counted_through_all_that_is_read_in_pieces(self, monkeypatch):
        monkeypatch.setattr("rankcut.rankings.reading.block_rows", lambda n_items: 2)
        ranks = np.ones((9, 2))
        ranks[7, 1] = np.inf
        with pytest.raises(ValueError, match="row 7: item 1 has rank inf"):
            read_rankings(ranks)

    def test_complex(self):
        with pytest.raises(ValueError, match="Complex data not supported"):
            graph_cut_features(np.array([[1j, 2]]))

    def test_none_is_unranked(self):
        ranks = np.array([[1, None, 2]], dtype=object)
        got = graph_cut_features(ranks, unranked="last")
        assert_array_equal(got, graph_cut_features([[1, 3, 2]]))

    def test_one_dimension(self):
        with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
            graph_cut_features([1, 2, 3])

    def test_twice_in_a_sparse_row(self):
        twice = sparse.coo_array(([1.0, 2.0, 3.0], ([0, 1, 1], [0, 1, 1])), shape=(2, 2))
        with pytest.raises(ValueError, match="row 1: item 1 has two stored ranks"):
            graph_cut_features(twice, unranked="last")
        csr = sparse.csr_array(([1.0, 2.0], [1, 1], [0, 2]), shape=(1, 2))
        with pytest.raises(ValueError, match="row 0: item 'b' has two stored ranks"):
            graph_cut_features(csr, unranked="last", items=["a", "b"])

    def test_a_stored_zero_is_a_rank(self):
        ranks = sparse.csr_array(([0.0, 1.0], [1, 0], [0, 2]), shape=(1, 2))
        assert_array_equal(graph_cut_features(ranks), [[-1, 1]])


class TestLabels:
    def test_one_for_each_column(self):
        with pytest.raises(ValueError, match=r"2 labels, but the rank matrix has 3 columns"):
            graph_cut_features([[1, 2, 3]], items=["a", "b"])

    def test_each_its_own(self):
        with pytest.raises(ValueError, match=r"label 'a' twice"):
            graph_cut_features([[1, 2, 3]], items=["a", "b", "a"])


class TestOddInput:
    def test_dates_are_no_ranks(self):
        with pytest.raises(ValueError, match="ranks are numbers; this matrix holds datetime64"):
            graph_cut_features(np.array([["2020-01-01", "NaT"]], dtype="M8[D]"))

    @pytest.mark.parametrize("sign", [1, -1])
    def test_integers_too_large_to_tell_apart(self, sign):
        ranks = np.array([[1, 2], [sign * (2**53 + 1), sign * (2**53 + 2)]])
        number = rf"row 1: item 0 has rank {sign * 9007199254740993}; .* rank"
        for given in (
            ranks,
            sparse.csr_array(ranks),
            sparse.coo_array(ranks),
            ranks.astype(object),
        ):
            with pytest.raises(ValueError, match=number):
                graph_cut_features(given, unranked="last")

    @pytest.mark.parametrize("other", [None, 1.5])
    def test_such_integers_beside_others_in_a_frame(self, frames, other):
        columns = {"uni": [1, 2**53], "toro": [2, 2**53 + 1], "ebi": [other, 3]}
        with pytest.raises(ValueError, match=r"row 1: item 'toro' has rank 9007199254740993; "):
            graph_cut_features(frames.DataFrame(columns), unranked="last")

    def test_the_largest_numbers(self):
        got = graph_cut_features([[1e308, 1.5e308, 1.7e308], [-1.7e308, 5e-324, 0.0]])
        assert_array_equal(got, [[2, 0, -2], [2, -2, 0]])

    def test_masked_entries_are_unranked(self):
        ranks = np.ma.masked_array([[1, 3, 2]], mask=[[0, 1, 0]])
        with pytest.raises(ValueError, match="row 0: item 1 is not ranked"):
            graph_cut_features(ranks)
        assert_array_equal(
            graph_cut_features(ranks, unranked="last"), graph_cut_features([[1, 3, 2]])
        )

    def test_formats_that_cannot_tell_zeros_from_nothing(self):
        ranks = sparse.bsr_array(np.array([[1.0, 0, 2, 0], [0, 3, 0, 0]]), blocksize=(2, 2))
        with pytest.raises(ValueError, match=r"bsr array stores zeros .* make it a CSR array"):
            graph_cut_features(ranks, unranked="last")

    def test_missing_values_of_pandas(self):
        pd = pytest.importorskip("pandas")
        expected = graph_cut_features([[1, 3, 2]])
        row = np.array([[1, pd.NA, 2]], dtype=object)
        assert_array_equal(graph_cut_features(row, unranked="last"), expected)
        frame = pd.DataFrame(
            {
                "a": pd.array([True], dtype="boolean"),
                "b": pd.array([None], dtype="Int8"),
                "c": [2.0],
            }
        )
        assert_array_equal(graph_cut_features(frame, unranked="last"), expected)

    def test_two_columns_of_one_name(self):
        pd = pytest.importorskip("pandas")
        with pytest.raises(ValueError, match="each column needs a name of its own"):
            graph_cut_features(pd.DataFrame([[1, 2]], columns=["a", "a"]))

    def test_lazy_frames(self):
        pl = pytest.importorskip("polars")
        with pytest.raises(ValueError, match=r"lazy: call its collect\(\)"):
            graph_cut_features(pl.LazyFrame({"a": [1]}))

    def test_read_only_memory_maps(self, tmp_path):
        ranks = np.array([[2.0, 1.0, 3.0], [1.0, 2.0, 3.0]])
        np.save(tmp_path / "ranks.npy", ranks)
        mapped = np.load(tmp_path / "ranks.npy", mmap_mode="r")
        assert_array_equal(graph_cut_features(mapped), graph_cut_features(ranks))


class TestErrorsAsData:
    @pytest.mark.parametrize(
        ("rank", "unranked"),
        [(np.nan, "error"), (np.inf, "last"), (10**400, "last"), ("best", "last")],
    )
    def test_row_and_item_are_fields(self, rank, unranked):
        ranks = np.array([[1, 2], [1, rank]], dtype=object)
        with pytest.raises(InputError) as caught:
            read_rankings(ranks, items=["uni", "toro"], unranked=unranked)
        assert (caught.value.row, caught.value.item) == (1, "toro")

    def test_the_remedy_is_a_setting(self):
        with pytest.raises(InputError) as caught:
            read_rankings([[1.0, np.nan]])
        assert "--unranked=last" in caught.value.render(lambda s: f"--{s.name}={s.value}")

    def test_an_unknown_choice_names_the_parameter(self):
        with pytest.raises(InputError, match=r"unranked must be .*; got 'first'") as caught:
            read_rankings([[1.0, 2.0]], unranked="first")
        assert caught.value.parameter == "unranked"


class TestRankingSets:
    votes = RankingSet(np.array([[1.0, 2.0], [2.0, 1.0]]), ("toro", "uni"), counts=[3, 1])

    def test_estimators_take_what_readers_return(self):
        features = GraphCutFeatures().fit_transform(self.votes)
        assert_array_equal(features, GraphCutFeatures().fit_transform(self.votes.ranks))

    def test_its_items_are_labels(self):
        assert read_rankings(self.votes).items == ("toro", "uni")
        with pytest.raises(InputError, match="items differs from the labels"):
            read_rankings(self.votes, ["uni", "toro"])

    def test_sparse_ranks_stay_sparse(self):
        assert read_rankings(replace(self.votes, ranks=self.votes.sparse())).sparse is not None
