"""What is written is read back, in every format; names that would run together are refused."""

import io
from typing import get_args

import numpy as np
import pytest
from hypothesis import example, given
from ranking_sets import orders_of, ranking_sets

from rankcut import RankingSet, read_file, write_file
from rankcut.files import RankingFileError, from_frame, scan_file, to_frame
from rankcut.files.formats import Format, Written
from rankcut.files.matrices import MatrixBlock, read_graph, write_graph, write_matrix
from rankcut.files.writing import columns_beside
from rankcut.graphs.item_graph import ItemGraph


def back(rankings, kind, **options):
    sink = io.BytesIO()
    write_file(rankings, sink, kind, **options)
    return io.BytesIO(sink.getvalue())


@pytest.mark.parametrize(
    ("kind", "ties", "incomplete"),
    [("soc", False, False), ("soi", False, True), ("toc", True, False), ("toi", True, True)],
)
def test_preflib_keeps_orders_counts_and_names(kind, ties, incomplete):
    @given(ranking_sets(ties=ties, incomplete=incomplete, least_ranked=1))
    def check(rankings):
        read = read_file(back(rankings, kind), kind)
        assert orders_of(read) == orders_of(rankings)
        assert read.items == rankings.items
        assert read.metadata["NUMBER VOTERS"] == str(rankings.n_rankings)

    check()


@given(ranking_sets())
def test_blt_keeps_orders_counts_and_names(rankings):
    read = read_file(back(rankings, "blt"), "blt")
    assert orders_of(read) == orders_of(rankings)
    assert read.items == rankings.items
    np.testing.assert_array_equal(read.counts, rankings.counts)


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize("layout", ["wide", "long"])
def test_tables_keep_everything(kind, layout):
    @given(ranking_sets(least_ranked=1))
    def check(rankings):
        options = {"layout": layout}
        if layout == "wide":
            # Which may hold numbers, or words among numbers, and could be items.
            options["columns"] = [*rankings.columns]
        read = read_file(back(rankings, kind, layout=layout), kind, **options)
        assert orders_of(read) == orders_of(rankings)
        np.testing.assert_array_equal(read.counts, rankings.counts)
        assert {*read.columns} == {*rankings.columns}
        for name, values in rankings.columns.items():
            assert read.columns[name].tolist() == values.tolist()
        if rankings.ids is not None:
            assert read.ids == rankings.ids
        if layout == "wide":
            assert read.items == rankings.items
            np.testing.assert_array_equal(np.isnan(read.ranks), np.isnan(rankings.ranks))

    check()


@example(RankingSet(np.array([[np.nan]]), (";",)))
@given(ranking_sets())
def test_wide_tables_keep_ranks_to_the_bit(rankings):
    scaled = rankings.ranks * 0.1
    kept = type(rankings)(scaled, rankings.items)
    np.testing.assert_array_equal(read_file(back(kept, "csv"), "csv").ranks, scaled)


@given(ranking_sets())
def test_a_long_table_keeps_items_that_nobody_ranks_and_rankings_that_rank_nothing(rankings):
    read = read_file(back(rankings, "csv", layout="long"), "csv")
    assert orders_of(read) == orders_of(rankings)
    assert {*read.items} == {*rankings.items}
    assert len(read) == len(rankings)


@given(ranking_sets(least_ranked=1))
def test_frames_keep_everything(rankings):
    for backend in ("pandas", "polars"):
        read = from_frame(to_frame(rankings, "long", backend=backend), layout="long")
        assert orders_of(read) == orders_of(rankings)


@given(ranking_sets())
def test_expanding_gives_each_ranking_a_row(rankings):
    few = type(rankings)(rankings.ranks, rankings.items, counts=rankings.counts % 7 + 1)
    each = few.expanded()
    assert len(each) == few.n_rankings
    assert orders_of(each) == orders_of(few)


@pytest.mark.parametrize("items", [None, ("toro", "uni", "ika")])
@pytest.mark.parametrize("kind", ["complete", "dense", "sparse"])
def test_graphs_keep_weights_and_names(kind, items, tmp_path):
    from scipy import sparse

    weights = np.array([[0, 0.1, 0], [0.1, 0, 2], [0, 2, 0]])
    given_weights = {"complete": None, "dense": weights, "sparse": sparse.csr_array(weights)}
    graph = ItemGraph(given_weights[kind], 3, items)
    write_graph(graph, tmp_path / "graph.npz")
    read = read_graph(tmp_path / "graph.npz")
    assert read.items == items
    np.testing.assert_array_equal(read.to_dense(), graph.to_dense())


RANKS = np.array([[1.0, 2.0], [2.0, 1.0]])


def again(rankings, layout, kind="csv"):
    return read_file(back(rankings, kind, layout=layout), kind, layout=layout)


@pytest.mark.parametrize("ids", [("x", "x"), (1, "1"), ("x", "x ")])
def test_a_long_table_refuses_rankings_of_one_name(ids):
    with pytest.raises(RankingFileError, match="row 1: another ranking is called"):
        again(RankingSet(RANKS, ("a", "b"), ids=ids), "long")


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_expanded_rankings_have_ids_of_their_own(layout):
    votes = RankingSet(RANKS, ("a", "b"), ids=("x", "x-2"), counts=[3, 1]).expanded()
    assert votes.ids == ("x-1", "x-2'", "x-3", "x-2")
    read = again(votes, layout)
    assert read.ids == votes.ids
    np.testing.assert_array_equal(read.ranks, votes.ranks)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("csv", "ranking,count,a,b\nx,1,1,2\ny,3,2,1\n"),
        ("toc", "# NUMBER ALTERNATIVES: 2\n1: 1,2\n3: 2,1\n"),
    ],
)
def test_all_blocks_of_a_table_have_counts_or_none_has(kind, text):
    pieces = list(scan_file(io.StringIO(text), kind, rows=1))
    assert [columns_beside(piece)["count"] for piece in pieces] == [[1], [3]]
    assert "count" not in columns_beside(pieces[1].expanded())


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("known", "names"), [({}, ["x", "x"]), ({"count": [1, 2]}, ["a", "count"])]
)
def test_a_matrix_in_a_table_has_columns_of_different_names(kind, known, names, tmp_path):
    place = tmp_path / f"matrix.{kind}"
    with pytest.raises(RankingFileError, match=f"two columns would be called '{names[1]}'"):
        write_matrix([MatrixBlock(RANKS, known)], names, {str(place): kind})
    assert not place.exists()
    write_matrix([MatrixBlock(RANKS, known)], names, {str(tmp_path / "matrix.npy"): "npy"})
    np.testing.assert_array_equal(np.load(tmp_path / "matrix.npy"), RANKS)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("item", ["NA", "None", "null", ".", "Blank", "Skipped", "Overvote"])
def test_items_called_like_blanks(item, kind):
    votes = RankingSet(RANKS, ("uni", item))
    read = again(votes, "long", kind)
    assert read.items == votes.items
    np.testing.assert_array_equal(read.ranks, RANKS)


def test_formats_and_layouts_that_are_written_or_only_read():
    votes = RankingSet(RANKS, ("a", "b"))
    for layout in ("ratings", "ballots", "orders"):
        with pytest.raises(RankingFileError, match=f"{layout} are read, not written; write wide"):
            again(votes, layout)
    for kind in get_args(Format):
        if kind in get_args(Written):
            np.testing.assert_array_equal(read_file(back(votes, kind), kind).ranks, RANKS)
        else:
            says = f"'{kind}' is not a format to write; .*parquet, blt$"
            with pytest.raises(RankingFileError, match=says):
                back(votes, kind)


def test_a_stream_of_text_takes_text():
    votes = RankingSet(np.array([[1.0, 2.0], [2.0, 1.0]]), ("toro", "ünï"))
    for form in ("csv", "soc", "blt"):
        binary, text = io.BytesIO(), io.StringIO()
        write_file(votes, binary, form)
        write_file(votes, text, form)
        assert text.getvalue().encode() == binary.getvalue()
    with pytest.raises(RankingFileError, match="open it as binary"):
        write_file(votes, io.StringIO(), "parquet")


ODD = [
    "",
    "a",
    "a ",
    " a",
    "\r",
    "a\nb",
    'a"b',
    "a;b",
    "a,b",
    "a\tb",
    "rank: a",
    "\ufeff",
    "na",
    "=1",
]


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize("odd", ODD, ids=map(repr, ODD))
def test_odd_names_are_kept(kind, odd):
    names = list(dict.fromkeys([odd, "a", "ebi"]))
    ranks = np.array([np.arange(len(names)) + 1.0, np.arange(len(names))[::-1] + 1.0])
    again = read_file(back(RankingSet(ranks, tuple(names)), kind), kind)
    assert {*again.items} == {*names}
    np.testing.assert_array_equal(again.with_items(names).dense(), ranks)


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "soc", "blt"])
@pytest.mark.parametrize("odd", ["\ud800", "a\0b"])
def test_names_that_no_file_holds_are_refused_on_writing(kind, odd):
    with pytest.raises(RankingFileError, match="rename it"):
        back(RankingSet(np.array([[1.0, 2.0]]), (odd, "ebi")), kind)
