"""Parquet data sets of many files: read as one table, and in blocks."""

import numpy as np
import pandas as pd
import pytest

from rankcut import read_file
from rankcut.files import RankingFileError, scan_file
from rankcut.files.layouts import joined
from rankcut.files.parquet import BlockReader, block_places
from rankcut.files.roles import TableOptions


@pytest.fixture
def votes(tmp_path):
    """Three files with 25 rankings each, in row groups of 10."""
    rng = np.random.default_rng(0)
    folder = tmp_path / "votes"
    folder.mkdir()
    for number in range(3):
        ranks = rng.permuted(np.tile([1, 2, 3, 4], (25, 1)), axis=1)
        frame = pd.DataFrame(ranks, columns=["toro", "uni", "ika", "ebi"])
        frame["ranking"] = [f"{number}-{row}" for row in range(25)]
        frame["town"] = ["Kobe", "Nara", None, "Ise", "Uji"] * 5
        frame.to_parquet(folder / f"{number}.parquet", row_group_size=10)
    (folder / "_metadata.parquet").write_text("not a part")
    return folder


def test_a_directory_and_a_pattern_are_one_table(votes):
    whole = read_file(votes)
    assert len(whole) == 75
    assert whole.ids[25] == "1-0"
    for other in (read_file(f"{votes}/*.parquet"), joined(list(scan_file(votes, rows=7)))):
        np.testing.assert_array_equal(other.ranks, whole.ranks)
        assert other.ids == whole.ids
        assert other.columns["town"].tolist() == whole.columns["town"].tolist()


@pytest.mark.parametrize(
    ("rows", "sizes"), [(4, [4, 4, 2, 4, 4, 2, 4, 1]), (15, [10, 15]), (100, [25])]
)
def test_blocks_add_up(votes, rows, sizes):
    places = block_places(str(votes), rows)
    assert [place.n_rows for place in places] == 3 * sizes
    reader, first = BlockReader.like(places, TableOptions())
    assert len(first) == sizes[0]
    whole = read_file(votes)
    again = joined([reader(place) for place in places])
    np.testing.assert_array_equal(again.ranks, whole.ranks)
    assert again.ids == whole.ids
    assert again.columns["town"].tolist() == whole.columns["town"].tolist()


def test_mistakes_name_the_file_and_the_line(votes):
    frame = pd.read_parquet(votes / "2.parquet")
    frame["uni"] = frame["uni"].astype(object)
    frame.loc[17, "uni"] = "second"
    frame["uni"] = frame["uni"].astype(str)
    frame.to_parquet(votes / "2.parquet", row_group_size=10)
    places = block_places(str(votes), 10)
    reader, _ = BlockReader.like(places, TableOptions())
    with pytest.raises(RankingFileError, match=r"2\.parquet:18: .*'second'"):
        reader(places[-2])


def test_other_columns_are_refused(votes):
    pd.DataFrame({"toro": [1], "uni": [2]}).to_parquet(votes / "3.parquet")
    with pytest.raises(RankingFileError, match=r"3\.parquet: its columns differ from those of"):
        block_places(str(votes), 10)
    with pytest.raises(RankingFileError, match=r"3\.parquet: its columns differ from those of"):
        read_file(votes)


def test_what_is_not_there(tmp_path):
    with pytest.raises(RankingFileError, match="no Parquet file in this directory"):
        read_file(tmp_path)
    with pytest.raises(RankingFileError, match="no file has a name like this"):
        read_file(f"{tmp_path}/*.parquet")
    with pytest.raises(RankingFileError, match="there is no such file"):
        block_places(str(tmp_path / "votes.parquet"), 10)


def test_long_tables_have_no_blocks(tmp_path):
    lines = pd.DataFrame({"ranking": [1, 1], "item": ["toro", "uni"], "rank": [1, 2]})
    lines.to_parquet(tmp_path / "long.parquet")
    places = block_places(str(tmp_path / "long.parquet"), 10)
    with pytest.raises(RankingFileError, match="a long table cannot be read in blocks"):
        BlockReader.like(places, TableOptions())


def test_blocks_of_which_no_row_is_wanted_are_empty(votes):
    places = block_places(str(votes), 10)
    reader, first = BlockReader.like(places, TableOptions(where=("ranking=1-13",)))
    assert first.ids == ("1-13",)
    found = [reader(place) for place in places]
    assert [len(each) for each in found] == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert found[0].items == first.items
    assert found[0].columns.keys() == first.columns.keys()
    assert reader.row_of_file(places[4], 0) == 13
    with pytest.raises(RankingFileError, match="no row meets town=Oslo"):
        BlockReader.like(places, TableOptions(where=("town=Oslo",)))


def test_blocks_of_a_table_with_counts_all_have_them(votes):
    frame = pd.read_parquet(votes / "0.parquet").assign(count=[1] * 20 + [2] * 5)
    frame.to_parquet(votes / "counted.parquet", row_group_size=10)
    places = block_places(str(votes / "counted.parquet"), 10)
    reader, first = BlockReader.like(places, TableOptions())
    assert first.counted
    assert all(reader(place).counted for place in places)
