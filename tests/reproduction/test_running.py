"""The runner: missing tasks are run, and a lost process is reported."""

import os

import pytest

from rankcut.errors import RankingFileError
from reproduction import parts
from reproduction.parts import Settings, part_named, run_missing, works_of
from reproduction.store import Store


def test_what_is_there_is_not_run(tmp_path):
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


def test_a_lost_process_is_told_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "_run", Fatal())
    works = works_of([part_named("kinds")], Settings(quick=True), None)[:1]
    with pytest.raises(ChildProcessError, match="ended from outside, perhaps for want of memory"):
        run_missing(works, Store(tmp_path), None, lambda work: None)


def test_a_broken_data_file_is_told_as_that(tmp_path):
    for name in ("sushi3a.5000.10.order", "sushi3b.5000.10.order", "sushi3.idata", "sushi3.udata"):
        (tmp_path / name).write_text("this is no ranking\n")
    works = works_of([part_named("example")], Settings(quick=True), "mark")[:1]
    with pytest.raises(RankingFileError, match=r"sushi3a\.5000\.10\.order:1: "):
        run_missing(works, Store(tmp_path / "cache"), tmp_path, lambda work: None)
