"""Tables: cells, headers, roles of columns, layouts, and mistakes with their line."""

import io
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rankcut import RankingSet, read_file, write_file
from rankcut.cli.reading import parsed_header
from rankcut.errors import InputError
from rankcut.files import RankingFileError, from_frame, scan_file
from rankcut.files.options import TableOptions
from rankcut.files.recognition import read_table
from rankcut.files.stored_tables import parquet_blocks


def read(text, **options):
    return read_file(io.StringIO(text, newline=""), "csv", **options)


def test_text_is_known_of_a_ranking_and_numbers_are_ranks():
    votes = read("ranking,count,toro,town,uni\na,2,1,Kobe,2\nb,1,,,1\n")
    np.testing.assert_array_equal(votes.ranks, [[1, 2], [np.nan, 1]])
    assert votes.ids == ("a", "b")
    assert votes.counts.tolist() == [2, 1]
    assert votes.columns["town"].tolist() == ["Kobe", None]


def test_columns_by_number_and_numbers_that_are_no_ranks():
    text = "age,toro,uni,ika\n30,1,2,3\n40,2,1,3\n"
    for options in ({"columns": "age"}, {"columns": "1"}, {"item_columns": "2-4"}):
        votes = read(text, **options)
        assert votes.items == ("toro", "uni", "ika")
        assert votes.columns["age"].tolist() == [30, 40]
    assert read('"toro, fat",uni\n1,2\n', item_columns="toro, fat").items == ("toro, fat",)


def test_long_tables_are_recognised_and_ratings_turned_round():
    ranked = read("ranking,item,rank\nx,toro,1\nx,uni,2\ny,uni,1\n")
    rated = read("ranking,item,score\nx,toro,5\nx,uni,3\ny,uni,4\n")
    np.testing.assert_array_equal(ranked.ranks, [[1, 2], [np.nan, 1]])
    np.testing.assert_array_equal(rated.ranks, ranked.ranks)
    lower = read("ranking,item,score\nx,toro,5\nx,uni,3\n", higher_is_better=False)
    np.testing.assert_array_equal(lower.ranks, [[2, 1]])


def test_rankings_named_by_several_columns_rows_chosen_and_repeats_settled():
    text = "year,from,to,points,own\n75,a,b,3,\n75,a,a,0,x\n75,a,c,5,\n76,a,b,1,\n76,a,b,2,\n"
    options = {"ranking": "year,from", "item": "to", "score": "points", "where": ["own!=x"]}
    with pytest.raises(RankingFileError, match="second time") as caught:
        read(text, **options)
    assert caught.value.line == 6
    votes = read(text, **options, repeats="last")
    assert votes.ids == ("75 a", "76 a")
    assert votes.columns["year"].tolist() == [75, 76]
    assert votes.items == ("b", "c")
    np.testing.assert_array_equal(votes.ranks, [[2, 1], [1, np.nan]])
    with pytest.raises(RankingFileError, match="no row meets"):
        read(text, **(options | {"where": ["own=y"]}))
    with pytest.raises(RankingFileError, match="should read column=value"):
        read(text, **(options | {"where": ["own"]}))


def test_headers_of_two_lines_of_none_and_with_blanks():
    text = "who,Rank these,,\nid,toro,uni,\nx,1,2,3\n"
    votes = read(text, header=(1, 2), item_columns="2-3")
    assert votes.items == ("Rank these toro", "uni")
    assert list(votes.columns) == ["who id", "column 4"]
    assert read("1,2\n2,1\n", header=0).items == ("1", "2")
    # A row longer than the header has columns without names.
    assert read("a,b\n1,2,3\n").items == ("a", "b", "column 3")


def test_blocks_are_read_one_by_one_and_say_the_same():
    text = "ranking,town,a,b\n" + "".join(f"r{i},t{i},{1 + i % 2},{2 - i % 2}\n" for i in range(7))
    pieces = list(scan_file(io.StringIO(text), "csv", rows=3))
    assert [len(piece) for piece in pieces] == [3, 3, 1]
    whole = read(text)
    np.testing.assert_array_equal(np.concatenate([p.ranks for p in pieces]), whole.ranks)
    assert tuple(name for p in pieces for name in p.ids) == whole.ids


def test_a_block_does_not_wait_for_the_rest_of_the_file(tmp_path):
    (tmp_path / "long.csv").write_text("a,b\n" + "1,2\n" * 200_000)
    with (tmp_path / "long.csv").open("rb") as file:
        assert len(next(scan_file(file, "csv", rows=1000))) == 1000
        assert file.tell() < 200_000


@pytest.mark.parametrize(
    ("text", "options", "line", "says"),
    [
        ("", {}, 1, "empty"),
        ("a,b\n", {}, 1, "no rows"),
        ("a,b\nx,y\n", {}, 2, "none is an item"),
        ("a,b,a\n1,2,3\n", {}, None, "item 'a' has two columns, 1 and 3; rename one"),
        ("a,b\n1,2\n2,x\n2,1\n,\n", {}, 3, "'b': 'x' is not a number, and others are"),
        ("toro,uni\n1,x\n1,1\n", {}, 2, "'x' is not a number, and others are"),
        ("toro,uni\n1,x\n", {}, 2, "only column 'toro' holds ranks"),
        ("a,b\n1,2\n1\n", {}, 3, "has 1 cell, but the table has 2 columns; quote cells"),
        ("a,b\n1,2\n1,2,3\n", {}, 3, "3 cells"),
        ("a,b\n1,2\n1,inf\n", {}, 3, "infinite"),
        ('a,b\n1,"2\n', {}, 2, "not a table"),
        ("count,a,b\n0,1,2\n", {}, 2, "whole number from 1"),
        ("count,a,b\n1.5,1,2\n", {}, 2, "whole number from 1"),
        ("ranking,a,b\n,1,2\n", {}, 2, "name of its ranking"),
        ("ranking,item,rank\n,a,1\n", {}, 2, "name of its ranking"),
        ("ranking,item,rank\nx,,1\n", {}, 2, "needs an item"),
        ("ranking,item,rank\nx,a,b\n", {}, 2, "not a number"),
        ("item,rank\na,1\na,2\n", {}, 2, "which ranking"),
        ("a,b\n1,2\n", {"item_columns": "c"}, None, "no column 'c'; the columns are 'a', 'b'"),
        ("a,b\n1,2\n", {"item_columns": "2-5"}, None, "numbered from 1 to 2"),
        ("a,b\n1,2\n", {"layout": "long"}, None, "column with the item"),
        ("a,rank: a\n1,2\n", {}, None, "two columns are called 'a'"),
    ],
)
def test_a_mistake_is_named_with_its_line(text, options, line, says):
    with pytest.raises(RankingFileError, match=says) as caught:
        read(text, **options)
    assert line is None or caught.value.line == line


def test_two_columns_of_the_same_name_are_kept_apart_if_chosen():
    assert read("a,b,a\n1,2,3\n", item_columns="1-3").items == ("a", "b", "a (3)")
    assert read("note,b,c,note\nx,1,2,y\n").items == ("b", "c")
    # That is how items that share a name are written, and they are read back.
    assert read("a,b,a (3)\n1,2,3\n").items == ("a", "b", "a (3)")


def test_a_word_among_ranks_after_the_first_block():
    text = "a,b\n" + "1,2\n" * 5 + "1,x\n"
    with pytest.raises(RankingFileError, match="'x' is not a number") as caught:
        list(scan_file(io.StringIO(text), "csv", rows=3))
    assert caught.value.line == 7


def test_options_about_tables_are_refused_for_other_formats():
    with pytest.raises(RankingFileError, match="layout is about columns"):
        read_file(io.StringIO("3 1\n1 1 2 0\n"), "blt", layout="long")


@pytest.mark.parametrize("name", ["votes", "votes.xyz"])
def test_a_format_must_be_known(name, tmp_path):
    with pytest.raises(RankingFileError, match=r"there is no such file|name the format"):
        read_file(tmp_path / name)
    (tmp_path / name).write_text("toro,uni\n1,2\n")
    with pytest.raises(RankingFileError, match="name the format"):
        read_file(tmp_path / name)


def test_frames_of_either_library(frames):
    table = frames.DataFrame({"ranking": [7, 9], "toro": [1, 2], "uni": [2, None], "t": ["x", "y"]})
    votes = from_frame(table)
    np.testing.assert_array_equal(votes.ranks, [[1, 2], [2, np.nan]])
    assert votes.ids == (7, 9)
    assert votes.columns["t"].tolist() == ["x", "y"]


def test_words_on_a_scale():
    text = "who,a,b,town\nx,JOY,MEH,Kobe\ny,DESPAIR,,Nara\n"
    votes = read(text, scale="JOY>MEH>DESPAIR")
    np.testing.assert_array_equal(votes.ranks, [[1, 2], [1, np.nan]])
    assert votes.items == ("a", "b")
    assert list(votes.columns) == ["who", "town"]
    with pytest.raises(RankingFileError, match=r"column 'town': 'Kobe' is not on the scale"):
        read(text, scale="JOY>MEH>DESPAIR", item_columns="a,town")


def test_orders_in_a_column():
    text = "who,vote,town\nx,Ann > Bob = Cy,Kobe\ny,Cy,Nara\nz,,Nara\n"
    votes = read(text, order="vote")
    assert votes.items == ("Ann", "Bob", "Cy")
    expected = [[1, 2, 2], [np.nan, np.nan, 1], [np.nan] * 3]
    np.testing.assert_array_equal(votes.dense(), expected)
    assert list(votes.columns) == ["who", "town"]
    assert read(text).items == ("Ann", "Bob", "Cy")
    with pytest.raises(RankingFileError, match=r"2: column 'order': item 'Ann' appears twice"):
        read("order\nAnn > Ann\n", layout="orders")
    text = "order\nAnn > Bob = Cy > Ann > Dee\n"
    expected = {"first": [1, 2, 2, 3], "last": [2, 1, 1, 3], "end": [1, 2, 2]}
    for repeats, ranks in expected.items():
        votes = read(text, layout="orders", repeats=repeats)
        found = dict(zip(votes.items, votes.dense()[0], strict=True))
        assert found == dict(zip(["Ann", "Bob", "Cy", "Dee"], ranks, strict=False))
    with pytest.raises(RankingFileError, match="leaves out an item"):
        read("order\nAnn > = Bob\n", layout="orders")


def test_delimiters_decimal_commas_and_the_empty_cells_of_other_programs():
    votes = read('"a, b";c;d\n1;2,5;2,5\n')
    assert votes.items == ("a, b", "c", "d")
    np.testing.assert_array_equal(votes.ranks, [[1, 2.5, 2.5]])
    votes = read("a|b|c\n1|NA|2\n2|1|nan\n", delimiter="|")
    np.testing.assert_array_equal(votes.ranks, [[1, np.nan, 2], [2, 1, np.nan]])


def test_long_titles_are_shortened_if_asked():
    text = "id,Please rank these: toro,Please rank these: uni\n7,1,2\n9,2,1\n"
    assert read(text, ranking="id", shorten=True).items == ("toro", "uni")
    assert read(text, ranking="id").items[0] == "Please rank these: toro"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_our_own_tables_say_what_is_an_item(tmp_path, suffix):
    ranks = np.array([[1.0, 2.0, np.nan], [1.0, 1.0, 2.0]])
    columns = {"year": np.array([1956.0, 1957.0]), "side": np.array([0.0, 1.0])}
    votes = RankingSet(ranks, ("toro", "age", "uni"), counts=[3, 2**53], columns=columns)
    place = tmp_path / f"votes.{suffix}"
    write_file(votes, place)
    assert suffix == "parquet" or place.read_text().split("\n")[0].endswith("rank: uni")
    again = read_file(place)
    np.testing.assert_array_equal(again.ranks, ranks)
    assert again.items == votes.items
    assert again.counts.tolist() == [3, 2**53]
    assert {name: values.tolist() for name, values in again.columns.items()} == {
        "year": [1956, 1957],
        "side": [0, 1],
    }


def test_excel_files_are_read(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["toro", "uni", "town"])
    book.active.append([1, 2, "Kobe"])
    book.active.append([2, 1, None])
    book.create_sheet("empty")
    other = book.create_sheet("more")
    other.append(["a", "b"])
    other.append([2, 1])
    book.save(tmp_path / "votes.xlsx")
    votes = read_file(tmp_path / "votes.xlsx")
    np.testing.assert_array_equal(votes.ranks, [[1, 2], [2, 1]])
    assert votes.columns["town"].tolist() == ["Kobe", None]
    np.testing.assert_array_equal(read_file(tmp_path / "votes.xlsx", sheet="more").ranks, [[2, 1]])
    with pytest.raises(RankingFileError, match="no sheet 'x'; the sheets are 'Sheet', 'empty', "):
        read_file(tmp_path / "votes.xlsx", sheet="x")
    with pytest.raises(RankingFileError, match="the file is empty"):
        read_file(tmp_path / "votes.xlsx", sheet="empty")
    content = (tmp_path / "votes.xlsx").read_bytes()
    cut = content[:200] + bytes(50) + content[250:]
    for damaged in (content[:-40], cut, b"", b"PK", b"PK\x03\x04 no"):
        (tmp_path / "bad.xlsx").write_bytes(damaged)
        with pytest.raises(RankingFileError, match=r"^\S+bad\.xlsx: not an Excel file[^\n]*$"):
            read_file(tmp_path / "bad.xlsx")


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("id,Ann,Bob\n7,JOY,MEH\n8,JOY,JOY\n", "from best to worst with scale"),
        (
            "guest,dish,rating\n"
            + "".join(f"{i},{j},{i * j % 5}.5\n" for i in (7, 8, 9) for j in range(71, 75)),
            'ranking="guest" item="dish" score="rating"',
        ),
    ],
)
def test_where_the_rankings_are_if_the_numbers_are_none(text, remedy):
    """The remedy is about the columns that hold them, not about the number of the respondent."""
    with pytest.raises(RankingFileError, match=remedy):
        read(text)


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
    votes = read_table(blocks, TableOptions(columns="uid"))
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
    np.testing.assert_array_equal(
        from_frame(table, item_columns="a,b").ranks, [[0, 1], [np.nan, 2]]
    )


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


@pytest.mark.parametrize("header", ["2", "1-2", (1,), 1.5, (2, 1), (0, 1), -1])
def test_a_header_is_one_line_or_two(header):
    with pytest.raises(RankingFileError, match="a header is a line, counted from 1, or a first"):
        read("a,b\n1,2\n", header=header)


@pytest.mark.parametrize("names", [[0, 1, 2], [1, 0, 5], [("x", "a"), ("x", "b"), ("y", "a")]])
def test_columns_of_a_frame_need_no_text_as_names(names):
    ranks = np.array([[1.0, 2, 3], [3, 1, 2], [2, 3, 1]])
    columns = pd.MultiIndex.from_tuples(names) if isinstance(names[0], tuple) else names
    votes = from_frame(pd.DataFrame(ranks, columns=columns))
    assert votes.items == tuple(map(str, names))
    np.testing.assert_array_equal(votes.ranks, ranks)


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (pl.DataFrame({"a": [1], "b": [2]}).lazy(), r"call its collect\(\) first"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "each column needs a name of its own"),
        ({"a": [1]}, "this is no frame"),
        (pd.Series([1, 2]), "this is no frame"),
    ],
    ids=["lazy", "same names", "dict", "series"],
)
def test_what_is_no_frame_is_refused(frame, says):
    with pytest.raises(InputError, match=says):
        from_frame(frame)
