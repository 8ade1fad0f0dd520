"""Names that would run together, or get lost, on the way to a file and back."""

import io

import numpy as np
import pytest

from rankcut import RankingSet, read_file, write_file
from rankcut.files import RankingFileError, scan_file
from rankcut.files.matrices import MatrixBlock, write_matrix
from rankcut.files.table_columns import known_columns

RANKS = np.array([[1.0, 2.0], [2.0, 1.0]])


def back(rankings, layout, kind="csv"):
    sink = io.BytesIO()
    write_file(rankings, sink, kind, layout=layout)
    return read_file(io.BytesIO(sink.getvalue()), kind, layout=layout)


@pytest.mark.parametrize("ids", [("x", "x"), (1, "1"), ("x", "x ")])
def test_a_long_table_refuses_rankings_of_one_name(ids):
    with pytest.raises(RankingFileError, match="row 1: another ranking is called"):
        back(RankingSet(RANKS, ("a", "b"), ids=ids), "long")


@pytest.mark.parametrize("layout", ["wide", "long", "ballots"])
def test_expanded_rankings_have_ids_of_their_own(layout):
    votes = RankingSet(RANKS, ("a", "b"), ids=("x", "x-2"), counts=[3, 1]).expanded()
    assert votes.ids == ("x-1", "x-2'", "x-3", "x-2")
    read = back(votes, layout)
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
    assert [known_columns(piece)["count"] for piece in pieces] == [[1], [3]]
    assert "count" not in known_columns(pieces[1].expanded())


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


BLANKS = ["NA", "None", "null", ".", "Blank", "Skipped", "Overvote"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("item", BLANKS)
def test_items_called_like_blanks(item, kind):
    votes = RankingSet(RANKS, ("uni", item))
    with pytest.raises(RankingFileError, match="would be read as a blank; rename it"):
        back(votes, "ballots", kind)
    read = back(votes, "long", kind)
    assert read.items == votes.items
    np.testing.assert_array_equal(read.ranks, RANKS)
