"""What cells and headers are taken for, in text, Parquet and frames."""

import io
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from rankcut import RankingSet, read_file, write_file
from rankcut.cli.reading import parsed_header
from rankcut.files import RankingFileError, from_frame, scan_file
from rankcut.files.layouts import table_rankings
from rankcut.files.roles import TableOptions
from rankcut.files.stored_tables import parquet_blocks


def read(text, **options):
    return read_file(io.StringIO(text, newline=""), "csv", **options)


@pytest.mark.parametrize(
    ("header", "items"),
    [
        ("choice 2,choice 1", ("toro", "uni")),
        ("2nd,1st", ("toro", "uni")),
        ("choice 10,choice 9", ("toro", "uni")),
        # Of two contests no order is known but that of the columns.
        ("mayor choice 1,judge choice 1", ("uni", "toro")),
    ],
)
def test_places_go_by_their_numbers(header, items):
    votes = read(f"{header}\nuni,toro\n", layout="ballots")
    assert votes.items == items
    assert votes.ranks.tolist() == [[1, 2]]


@pytest.mark.parametrize("blank", ["\n", "\r\n\n", "  \n"])
def test_blank_lines_before_the_header(blank):
    votes = read(f"{blank}a,b\n1,2\n")
    assert (votes.items, votes.ranks.tolist()) == (("a", "b"), [[1, 2]])


def test_a_header_that_is_not_there():
    with pytest.raises(RankingFileError, match="ends before line 9") as caught:
        read("a,b\n1,2\n2,1\n", header=9)
    assert caught.value.line == 3
    for header in ("2-1", "0-1"):
        with pytest.raises(ValueError, match="header must be the number of a line"):
            parsed_header(header)


@pytest.mark.parametrize("codes", [["02139", "10001"], ["76561198000000001", "7"], ["+49", "50"]])
@pytest.mark.parametrize("layout", ["wide", "long"])
def test_codes_stay_text(codes, layout):
    votes = RankingSet(
        np.array([[1.0, 2.0], [2.0, 1.0]]),
        ("a", "b"),
        columns={"code": np.array(codes, dtype=object)},
    )
    sink = io.BytesIO()
    write_file(votes, sink, "csv", layout=layout)
    text = sink.getvalue().decode()
    assert read(text, layout=layout, columns="code").columns["code"].tolist() == codes


def test_numbers_beside_ranks_are_numbers_however_written():
    votes = read("a,b,age\n1,2,9.50\n2,1,0\n1,2,-3\n", columns="age")
    assert votes.columns["age"].tolist() == [9.5, 0, -3]


def test_large_integers_and_booleans_of_a_frame(frames):
    uids = [76561198000000001, 0]
    table = frames.DataFrame({"a": [1, 2], "b": [2, 1], "uid": uids, "member": [True, False]})
    votes = from_frame(table, columns="uid")
    assert votes.items == ("a", "b")
    assert votes.columns["uid"].tolist() == [str(uid) for uid in uids]
    assert votes.columns["member"].tolist() == ["True", "False"]


def test_integers_of_which_one_block_has_large_ones(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    uids = [7, 76561198000000001]
    place = tmp_path / "votes.parquet"
    pq.write_table(pa.table({"a": [1, 2], "b": [2, 1], "uid": uids}), place, row_group_size=1)
    blocks = parquet_blocks(place, rows=1)
    votes = table_rankings(blocks, TableOptions(columns="uid"))
    assert votes.columns["uid"].tolist() == [str(uid) for uid in uids]


def test_infinite_ranks_are_refused_in_frames(frames):
    with pytest.raises(RankingFileError, match="column 'b': the rank is infinite"):
        from_frame(frames.DataFrame({"a": [1.0, 2.0], "b": [2.0, np.inf]}))


def test_parquet_is_not_packed_again(tmp_path):
    place = tmp_path / "votes.parquet.gz"
    with pytest.raises(RankingFileError, match=r"leave out \.gz"):
        write_file(RankingSet(np.array([[1.0, 2.0]]), ("a", "b")), place)
    assert not place.exists()


def test_a_column_that_is_empty_at_first_is_what_it_is_later():
    text = "a,b,town\n1,2,\n2,1,\n1,2,Kobe\n2,1,Nara\n"
    pieces = list(scan_file(io.StringIO(text), "csv", rows=1))
    assert [piece.items for piece in pieces] == [("a", "b")] * 4
    assert [piece.columns["town"][0] for piece in pieces] == [None, None, "Kobe", "Nara"]


def test_a_rank_of_zero_among_objects_is_a_number():
    table = pd.DataFrame({"a": np.array([0, None], dtype=object), "b": [1, 2]})
    np.testing.assert_array_equal(from_frame(table).ranks, [[0, 1], [np.nan, 2]])


def test_a_table_of_many_columns_takes_time_in_proportion(tmp_path):
    n_items = 20_000
    ranks = [np.random.default_rng(seed).permutation(n_items) + 1 for seed in range(4)]
    lines = [",".join(f"item {i}" for i in range(n_items)), *(",".join(map(str, r)) for r in ranks)]
    tracemalloc.start()
    votes = read("\n".join(lines) + "\n")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert votes.shape == (4, n_items)
    assert peak < 1 << 27


def test_parquet_out_of_proportion_is_refused(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "many.parquet"
    same = {f"i{k}": pa.array(np.full(400_000, k + 1.0)) for k in range(10)}
    pq.write_table(pa.table(same), path)
    with pytest.raises(RankingFileError, match=r"4,000,000 cells in .* bytes, as files made to"):
        read_file(path)


@pytest.mark.parametrize("header", ["2", "1-2", (1,), 1.5, (2, 1), (0, 1), -1, None])
def test_a_header_is_one_line_or_two(header):
    with pytest.raises(RankingFileError, match="a header is a line, counted from 1, or a first"):
        read("a,b\n1,2\n", header=header)
