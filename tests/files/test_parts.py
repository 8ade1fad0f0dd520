"""Directories of parts: finished ones are kept, and never mixed with others."""

import json

import pytest

from rankcut.files import RankingFileError
from rankcut.files.parts import Parts

SETTINGS = {"normalize": True, "files": [["votes.parquet", 10]]}


def begun(folder, suffix="txt"):
    parts = Parts(folder, suffix, SETTINGS)
    for number in (0, 2):
        parts.path(number).write_text("done")
    return parts


def test_finished_parts_are_kept(tmp_path):
    begun(tmp_path / "a" / "b")
    again = Parts(tmp_path / "a" / "b", "txt", json.loads(json.dumps(SETTINGS)))
    assert again.missing(4) == [1, 3]


@pytest.mark.parametrize("name", [".part-000001.txt.abc.txt", "._rankcut.json.abc.json"])
def test_drafts_that_were_left_are_removed(tmp_path, name):
    parts = begun(tmp_path / "parts")
    draft = parts.folder / name
    draft.write_text("half")
    Parts(parts.folder, "txt", SETTINGS)
    assert not draft.exists()


def test_a_run_ended_before_its_first_part_is_begun_anew(tmp_path):
    (tmp_path / "._rankcut.json.abc.json").write_text("half")
    assert Parts(tmp_path, "txt", SETTINGS).missing(2) == [0, 1]
    assert Parts(tmp_path, "txt", {"normalize": False}).missing(2) == [0, 1]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["_rankcut.json"]


def test_other_settings_are_refused_unless_started_anew(tmp_path):
    parts = begun(tmp_path / "parts")
    other = {**SETTINGS, "files": [["votes.parquet", 11]]}
    with pytest.raises(RankingFileError, match=r'files=\[\["votes.parquet", 10\]\], and now it is'):
        Parts(parts.folder, "txt", other)
    long = {**SETTINGS, "files": [["votes.parquet", n] for n in range(100)]}
    with pytest.raises(RankingFileError, match="was begun with other files; finish it"):
        Parts(parts.folder, "txt", long)
    assert Parts(parts.folder, "txt", SETTINGS).missing(3) == [1]
    assert Parts(parts.folder, "txt", other, restart=True).missing(3) == [0, 1, 2]
    assert Parts(parts.folder, "txt", other).missing(3) == [0, 1, 2]


def test_a_setting_that_was_not_there_is_another_one_even_without_a_value(tmp_path):
    parts = begun(tmp_path / "parts")
    with pytest.raises(RankingFileError, match="with smoothing=not set, and now it is null;"):
        Parts(parts.folder, "txt", {**SETTINGS, "smoothing": None})
    Parts(parts.folder, "txt", {"files": None}, restart=True).path(0).write_text("done")
    with pytest.raises(RankingFileError, match="with files=null, and now it is not set;"):
        Parts(parts.folder, "txt", {})


@pytest.mark.parametrize("content", [b"", b'{"normalize": tr', b"[1]", b"\xff\xfe\x00"])
def test_settings_that_cannot_be_read_are_refused_unless_started_anew(tmp_path, content):
    parts = begun(tmp_path / "parts")
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
