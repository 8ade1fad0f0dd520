"""Directories of parts: finished ones are kept, and never mixed with others."""

import json

import pytest

from rankcut import RankingFileError
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


def test_drafts_that_were_left_are_removed(tmp_path):
    parts = begun(tmp_path / "parts")
    draft = parts.folder / ".part-000001.txt.abc.txt"
    draft.write_text("half")
    Parts(parts.folder, "txt", SETTINGS)
    assert not draft.exists()


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


def test_what_is_not_ours_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(RankingFileError, match="has other files in it"):
        Parts(tmp_path, "txt", SETTINGS, restart=True)
    assert (tmp_path / "thesis.txt").read_text() == "precious"
