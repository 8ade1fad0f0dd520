"""Tables: roles of columns, layouts, and mistakes with their line."""

import io

import numpy as np
import pytest

from rankcut import RankingFileError, from_frame, read_file, scan_file
from rankcut.files.item_tables import read_items


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
    for options in ({"columns": "age"}, {"columns": "1"}, {"items": "2-4"}):
        votes = read(text, **options)
        assert votes.items == ("toro", "uni", "ika")
        assert votes.columns["age"].tolist() == [30, 40]


def test_a_column_name_may_have_a_comma():
    votes = read('"toro, fat",uni\n1,2\n', items="toro, fat")
    assert votes.items == ("toro, fat",)


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


def test_repeats_choose_the_first_or_the_last_mention():
    text = "ranking,item,rank\nx,a,1\nx,b,2\nx,a,3\n"
    assert read(text, repeats="first").ranks.tolist() == [[1, 2]]
    assert read(text, repeats="last").ranks.tolist() == [[3, 2]]


def test_ballots_skip_blanks_and_end_at_an_overvote():
    text = "Choice 1,Choice 2,Choice 3,precinct\nuni,skipped,toro,7\nika,overvote,uni,8\n"
    votes = read(text, layout="ballots")
    assert votes.items == ("uni", "toro", "ika")
    np.testing.assert_array_equal(votes.ranks, [[1, 2, np.nan], [np.nan, np.nan, 1]])
    assert votes.columns["precinct"].tolist() == [7, 8]
    with pytest.raises(RankingFileError, match="'uni' is chosen twice"):
        read("rank1,rank2\nuni,uni\n", layout="ballots")


def test_headers_of_two_lines_of_none_and_with_blanks():
    text = "who,Rank these,,\nid,toro,uni,\nx,1,2,3\n"
    votes = read(text, header=(1, 2), items="2-3")
    assert votes.items == ("Rank these toro", "uni")
    assert list(votes.columns) == ["who id", "column 4"]
    assert read("1,2\n2,1\n", header=0).items == ("1", "2")


def test_delimiters_and_the_empty_cells_of_other_programs():
    votes = read("a;b\n1;NA\nnan;2\n", delimiter=";")
    np.testing.assert_array_equal(votes.ranks, [[1, np.nan], [np.nan, 2]])


def test_blocks_are_read_one_by_one_and_say_the_same():
    text = "ranking,town,a,b\n" + "".join(f"r{i},t{i},{1 + i % 2},{2 - i % 2}\n" for i in range(7))
    pieces = list(scan_file(io.StringIO(text), "csv", rows=3))
    assert [len(piece) for piece in pieces] == [3, 3, 1]
    whole = read(text)
    np.testing.assert_array_equal(np.concatenate([p.ranks for p in pieces]), whole.ranks)
    assert tuple(name for p in pieces for name in p.ids) == whole.ids


def test_a_block_does_not_wait_for_the_rest_of_the_file():
    class Endless(io.RawIOBase):
        def __init__(self):
            self.given = 0

        def readable(self):
            return True

        def readinto(self, buffer):
            chunk = (b"1,2\n" * (len(buffer) // 4 + 1))[: len(buffer) // 4 * 4]
            if self.given == 0:
                chunk = b"a,b\n" + chunk[4:]
            buffer[: len(chunk)] = chunk
            self.given += len(chunk)
            return len(chunk)

    stream = Endless()
    assert len(next(scan_file(stream, "csv", rows=1000))) == 1000
    assert stream.given < 200_000


@pytest.mark.parametrize(
    ("text", "options", "line", "says"),
    [
        ("", {}, 1, "empty"),
        ("a,b\n", {}, 1, "no rows"),
        ("a,b\nx,y\n", {}, 2, "none is an item"),
        ("a,b,a\n1,2,3\n", {}, 2, "item 'a' has two columns, 1 and 3; rename one"),
        ("a,b\n1,2\n2,x\n2,1\n,\n", {}, 3, "'b': 'x' is not a number, and most others are"),
        ("a,b\n1,2,3\n", {"header": 1}, None, "no such"),
        ("a,b\n1,2\n1\n", {}, 3, "1 cells"),
        ("a,b\n1,2\n1,2,3\n", {}, 3, "3 cells"),
        ("a,b\n1,2\n1,inf\n", {}, 3, "infinite"),
        ('a,b\n1,"2\n', {}, 2, "not a table"),
        ("count,a\n0,1\n", {}, 2, "whole number from 1"),
        ("count,a\n1.5,1\n", {}, 2, "whole number from 1"),
        ("ranking,a\n,1\n", {}, 2, "name of its ranking"),
        ("ranking,item,rank\n,a,1\n", {}, 2, "name of its ranking"),
        ("ranking,item,rank\nx,,1\n", {}, 2, "needs an item"),
        ("ranking,item,rank\nx,a,b\n", {}, 2, "not a number"),
        ("item,rank\na,1\n", {}, 2, "which ranking"),
        ("a,b\n1,2\n", {"items": "c"}, None, "no column 'c'; the columns are 'a', 'b'"),
        ("a,b\n1,2\n", {"items": "2-5"}, None, "numbered from 1 to 2"),
        ("a,b\n1,2\n", {"layout": "long"}, None, "column with the item"),
    ],
)
def test_a_mistake_is_named_with_its_line(text, options, line, says):
    if says == "no such":
        # A row longer than the header has columns without names.
        assert read(text, **options).items == ("a", "b", "column 3")
        return
    with pytest.raises(RankingFileError, match=says) as caught:
        read(text, **options)
    assert line is None or caught.value.line == line


def test_two_columns_of_the_same_name_are_kept_apart_if_chosen():
    assert read("a,b,a\n1,2,3\n", items="1-3").items == ("a", "b", "a (3)")
    assert read("note,b,c,note\nx,1,2,y\n").items == ("b", "c")
    # That is how items that share a name are written, and they are read back.
    assert read("a,b,a (3)\n1,2,3\n").items == ("a", "b", "a (3)")


@pytest.mark.parametrize("options", [{"columns": "b"}, {"items": "a"}])
def test_a_word_among_numbers_of_what_is_no_item(options):
    votes = read("a,b\n1,2\n2,x\n2,1\n", **options)
    assert votes.items == ("a",)
    assert votes.columns["b"].tolist() == ["2", "x", "1"]


def test_a_word_among_ranks_after_the_first_block():
    text = "a,b\n" + "1,2\n" * 5 + "1,x\n"
    with pytest.raises(RankingFileError, match="'x', which is not a number") as caught:
        list(scan_file(io.StringIO(text), "csv", rows=3))
    assert caught.value.line == 7


def test_options_about_tables_are_refused_for_other_formats():
    with pytest.raises(RankingFileError, match="layout is about columns"):
        read_file(io.StringIO("3 1\n0 1 2\n"), "order", layout="long")


@pytest.mark.parametrize("name", ["votes", "votes.xyz"])
def test_a_format_must_be_known(name, tmp_path):
    (tmp_path / name).write_text("toro,uni\n1,2\n")
    with pytest.raises(RankingFileError, match="name the format"):
        read_file(tmp_path / name)


def test_a_name_without_suffix_that_is_not_there(tmp_path):
    with pytest.raises(RankingFileError, match="there is no such file"):
        read_file(tmp_path / "votes")


def test_frames_of_either_library(frames):
    table = frames.DataFrame({"ranking": [7, 9], "toro": [1, 2], "uni": [2, None], "t": ["x", "y"]})
    votes = from_frame(table)
    np.testing.assert_array_equal(votes.ranks, [[1, 2], [2, np.nan]])
    assert votes.ids == (7, 9)
    assert votes.columns["t"].tolist() == ["x", "y"]


def test_tables_of_items():
    table = read_items(io.StringIO("dish,price,code\ntoro,9,1\nuni,7,2\n"), categorical="code")
    assert table.features["code"].tolist() == ["1", "2"]
    assert table.points().shape == (2, 3)
    for text, says in (
        ("dish,price\ntoro,\n", "'toro' has no value in column 'price'"),
        ("dish,price\ntoro,1\ntoro,2\n", "two rows"),
        ("dish,price\n,1\n", "no name"),
        ("dish\ntoro\n", "something known"),
    ):
        with pytest.raises(RankingFileError, match=says):
            read_items(io.StringIO(text))
