"""The report as a whole: of all results, or none."""

import re

import pytest

import rankcut
from reproduction import report
from reproduction.parts import Settings, part_named
from reproduction.store import Store


def test_no_report_is_made_of_some_of_the_results(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "run_missing", lambda works, store, data, done: None)
    monkeypatch.setattr("reproduction.store.code_fingerprint", lambda part: "code")
    statements = part_named("statements")
    store = Store(tmp_path / "cache")
    for task in statements.tasks(Settings(quick=True))[:-1]:
        store.write("statements", task, [{}])
    with pytest.raises(FileNotFoundError, match="a result of the part 'statements' is gone"):
        report.reproduce(["statements"], tmp_path, data=None, settings=Settings(quick=True))
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


def test_a_part_without_data_has_claims_that_were_not_checked():
    section = report.section(part_named("example"), {})
    assert {verdict.outcome for _, verdict in section.claims} == {"not checked"}
    assert not section.tables


def test_the_report_says_when_by_what_and_of_which_paper():
    said = report.lead(Settings(quick=True), with_data=False)
    assert re.search(r"a quick run, with fewer seeds .*, on \d{4}-\d\d-\d\d, with rankcut", said)
    assert f"rankcut {rankcut.__version__} on " in said
    assert "cores), Python 3." in said
    assert "https://doi.org/10.48550/arXiv.2105.12356" in said
    assert "Without the sushi data" in said
    assert "a full run" in report.lead(Settings(), with_data=True)
    assert "doi     = {10.48550/arXiv.2105.12356}" in report.BIBTEX
