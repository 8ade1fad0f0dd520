"""The runner: missing tasks are run, and a lost process is reported."""

import os

import pytest

from rankcut.errors import RankingFileError
from reproduction import parts
from reproduction.parts import Settings, part_named, run_missing, works_of
from reproduction.store import Store


def test_what_is_there_is_not_run(tmp_path, monkeypatch):
    monkeypatch.setattr("reproduction.store.code_fingerprint", lambda part: "code")
    store = Store(tmp_path)
    statements = part_named("statements")
    works = works_of([statements], Settings(quick=True), None)
    for work in works:
        store.write("statements", work.task, [{"kept": True}])
    done = []
    run_missing(works, store, None, done.append)
    assert done == works
    assert all(store.read("statements", work.task) == [{"kept": True}] for work in works)


def test_only_parts_that_read_data_depend_on_it():
    works = works_of(
        [part_named("example"), part_named("statements")], Settings(quick=True), "mark"
    )
    assert {(work.part.name, work.data) for work in works} == {
        ("example", "mark"),
        ("statements", None),
    }


class Fatal:
    """Ends the process that is handed it."""

    def __reduce__(self):
        return os._exit, (1,)


@pytest.mark.slow
def test_a_killed_process_is_told_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "_run", Fatal())
    works = works_of([part_named("kinds")], Settings(quick=True), None)[:1]
    with pytest.raises(ChildProcessError, match="was killed, perhaps for lack of memory"):
        run_missing(works, Store(tmp_path), None, lambda work: None)


@pytest.fixture
def broken(tmp_path):
    """A directory with sushi files that hold no rankings."""
    for name in ("sushi3a.5000.10.order", "sushi3b.5000.10.order", "sushi3.idata", "sushi3.udata"):
        (tmp_path / name).write_text("this is no ranking\n")
    return tmp_path


BROKEN = r"sushi3a\.5000\.10\.order:1: "


def test_a_broken_data_file_is_told_as_that(broken):
    example = part_named("example")
    with pytest.raises(RankingFileError, match=BROKEN):
        example.run(example.tasks(Settings(quick=True))[0], broken)


@pytest.mark.slow
def test_what_a_process_complains_of_is_told_as_that(broken):
    works = works_of([part_named("example")], Settings(quick=True), "mark")[:1]
    with pytest.raises(RankingFileError, match=BROKEN):
        run_missing(works, Store(broken / "cache"), broken, lambda work: None)
