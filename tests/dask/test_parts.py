"""Parquet data sets of many files, read as one table and in blocks; the parts of a result."""

import json

import numpy as np
import pandas as pd
import pytest

from rankcut import read_file
from rankcut.dask.parquet import BlockReader, Parts, block_places
from rankcut.files import RankingFileError, scan_file
from rankcut.files.options import TableOptions


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


def check_parts(parts, whole):
    np.testing.assert_array_equal(np.concatenate([part.ranks for part in parts]), whole.ranks)
    assert tuple(name for part in parts for name in part.ids) == whole.ids
    towns = [town for part in parts for town in part.columns["town"]]
    assert towns == whole.columns["town"].tolist()


def test_a_directory_and_a_pattern_are_one_table(votes):
    whole = read_file(votes)
    assert len(whole) == 75
    assert whole.ids[25] == "1-0"
    check_parts([read_file(f"{votes}/*.parquet")], whole)
    check_parts(list(scan_file(votes, rows=7)), whole)


@pytest.mark.parametrize(
    ("rows", "sizes"), [(4, [4, 4, 2, 4, 4, 2, 4, 1]), (15, [10, 15]), (100, [25])]
)
def test_blocks_add_up(votes, rows, sizes):
    places = block_places(str(votes), rows)
    assert [place.n_rows for place in places] == 3 * sizes
    reader, first = BlockReader.like(places, TableOptions())
    assert len(first) == sizes[0]
    whole = read_file(votes)
    check_parts([reader(place) for place in places], whole)


def test_mistakes_name_the_file_and_the_line(votes):
    frame = pd.read_parquet(votes / "2.parquet")
    frame["uni"] = frame["uni"].astype(object)
    frame.loc[17, "uni"] = "urchin"
    frame["uni"] = frame["uni"].astype(str)
    frame.to_parquet(votes / "2.parquet", row_group_size=10)
    places = block_places(str(votes), 10)
    reader, _ = BlockReader.like(places, TableOptions())
    with pytest.raises(RankingFileError, match=r"2\.parquet:18: .*'urchin'"):
        reader(places[-2])


def test_other_columns_are_refused(votes):
    pd.DataFrame({"toro": [1], "uni": [2]}).to_parquet(votes / "3.parquet")
    with pytest.raises(RankingFileError, match=r"3\.parquet: its columns differ from those of"):
        block_places(str(votes), 10)
    with pytest.raises(RankingFileError, match=r"3\.parquet: its columns differ from those of"):
        read_file(votes)


def test_what_is_not_there_and_long_tables_have_no_blocks(tmp_path):
    with pytest.raises(RankingFileError, match="no Parquet file in this directory"):
        read_file(tmp_path)
    with pytest.raises(RankingFileError, match="no file has a name like this"):
        read_file(f"{tmp_path}/*.parquet")
    with pytest.raises(RankingFileError, match="there is no such file"):
        block_places(str(tmp_path / "votes.parquet"), 10)
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
    # Blocks of a table with counts all have them.
    frame = pd.read_parquet(votes / "0.parquet").assign(count=[1] * 20 + [2] * 5)
    frame.to_parquet(votes / "counted.parquet", row_group_size=10)
    places = block_places(str(votes / "counted.parquet"), 10)
    reader, first = BlockReader.like(places, TableOptions())
    assert first.counted
    assert all(reader(place).counted for place in places)


# --- directories of parts: finished ones are kept, and never mixed with others ---------------

SETTINGS = {"normalize": True, "files": [["votes.parquet", 10]]}


@pytest.fixture
def parts(tmp_path):
    """Two parts of a result."""
    parts = Parts(tmp_path / "a" / "parts", "txt", SETTINGS)
    for number in (0, 2):
        parts.path(number).write_text("done")
    return parts


def test_finished_parts_are_kept_and_drafts_that_were_left_removed(parts):
    drafts = [
        parts.folder / name for name in (".part-000001.txt.abc.txt", "._rankcut.json.abc.json")
    ]
    for draft in drafts:
        draft.write_text("half")
    again = Parts(parts.folder, "txt", json.loads(json.dumps(SETTINGS)))
    assert again.missing(4) == [1, 3]
    assert not any(draft.exists() for draft in drafts)


def test_a_run_ended_before_its_first_part_is_begun_anew(tmp_path):
    (tmp_path / "._rankcut.json.abc.json").write_text("half")
    assert Parts(tmp_path, "txt", SETTINGS).missing(2) == [0, 1]
    assert Parts(tmp_path, "txt", {"normalize": False}).missing(2) == [0, 1]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["_rankcut.json"]


def test_other_settings_are_refused_unless_started_anew(parts):
    other = {**SETTINGS, "files": [["votes.parquet", 11]]}
    with pytest.raises(RankingFileError, match=r'files=\[\["votes.parquet", 10\]\], and now it is'):
        Parts(parts.folder, "txt", other)
    long = {**SETTINGS, "files": [["votes.parquet", n] for n in range(100)]}
    with pytest.raises(RankingFileError, match="was begun with other files; finish it"):
        Parts(parts.folder, "txt", long)
    assert Parts(parts.folder, "txt", SETTINGS).missing(3) == [1]
    assert Parts(parts.folder, "txt", other, restart=True).missing(3) == [0, 1, 2]
    assert Parts(parts.folder, "txt", other).missing(3) == [0, 1, 2]


def test_a_setting_that_was_not_there_is_another_one_even_without_a_value(parts):
    with pytest.raises(RankingFileError, match="with smoothing=not set, and now it is null;"):
        Parts(parts.folder, "txt", {**SETTINGS, "smoothing": None})
    Parts(parts.folder, "txt", {"files": None}, restart=True).path(0).write_text("done")
    with pytest.raises(RankingFileError, match="with files=null, and now it is not set;"):
        Parts(parts.folder, "txt", {})


@pytest.mark.parametrize("content", [b"", b'{"normalize": tr', b"[1]", b"\xff\xfe\x00"])
def test_settings_that_cannot_be_read_are_refused_unless_started_anew(parts, content):
    manifest = parts.folder / "_rankcut.json"
    manifest.write_bytes(content)
    with pytest.raises(RankingFileError, match=r"_rankcut.json: the file is damaged.*--restart"):
        Parts(parts.folder, "txt", SETTINGS)
    assert parts.path(0).read_text() == "done"
    assert manifest.read_bytes() == content
    assert Parts(parts.folder, "txt", SETTINGS, restart=True).missing(3) == [0, 1, 2]
    manifest.write_bytes(content)
    # Without any part there is nothing to mix up.
    assert Parts(parts.folder, "txt", SETTINGS).missing(3) == [0, 1, 2]
    assert json.loads(manifest.read_text()) == SETTINGS


def test_what_is_not_ours_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(RankingFileError, match="has other files in it"):
        Parts(tmp_path, "txt", SETTINGS, restart=True)
    assert (tmp_path / "thesis.txt").read_text() == "precious"
