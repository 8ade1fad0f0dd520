"""Small parts, the store, the report, and ``python -m reproduction`` as a process."""

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

import reproduction
from reproduction import arithmetic, example, kinds, report, store, times
from reproduction.__main__ import main
from reproduction.claims import Claim, Outcome, Verdict, Way, read_claims
from reproduction.store import Work, code_fingerprint, run_works

HOME = Path(reproduction.__file__).parents[1]


def verdicts(part, found):
    return {
        claim.name.partition(".")[2]: claim.judge(found, Way.PRINTED).outcome
        for claim in read_claims()
        if claim.part == part
    }


def test_arithmetic():
    found = verdicts("arithmetic", None)
    assert found.pop("f1_is_accuracy") is Outcome.FAILS
    in_part = {name for name, outcome in found.items() if outcome is Outcome.IN_PART}
    assert in_part == {
        *("places_follow_from_scores", "coherent_partitions_are_counted"),
        "only_the_graph_cut_kernel_uses_a_gpu",
    }
    assert {found[name] for name in set(found) - in_part} == {Outcome.HOLDS}
    assert "6 do as well" in arithmetic.draws_are_enough(None, Way.PRINTED).because


def test_kinds():
    cells = kinds.found([], None)
    assert all(held for (name, _), held in cells.items() if name != "diffusion")
    assert cells["diffusion", "full"]
    found = verdicts("kinds", cells)
    assert found["graph_cut_handles_all_kinds"] is Outcome.HOLDS
    assert found["kendall_cannot_handle_incomplete_rankings"] is Outcome.FAILS
    # By what was known then.
    assert found["mallows_cannot_handle_ties"] is Outcome.HOLDS
    assert found["the_only_one_for_all_kinds"] is Outcome.FAILS
    cells["Kendall", "incomplete"] = False
    found = verdicts("kinds", cells)
    assert found["kendall_cannot_handle_incomplete_rankings"] is Outcome.HOLDS
    assert found["the_only_one_for_all_kinds"] is Outcome.HOLDS
    cells["graph cut", "ties"] = False
    assert verdicts("kinds", cells)["graph_cut_handles_all_kinds"] is Outcome.FAILS


def test_the_worked_example(data_home):
    found = example.found([], Path(data_home))
    published, *readings = found.values.values()
    assert published[[4, 7, 2]].round(3).tolist() == [-4.224, -2.366, -2.366]
    assert sorted(round(each[4], 2) for each in readings) == [-6.99, -6.61, -6.43, -6.01]
    # A row of the authors' sample, whose first item is the most preferred.
    assert found.third == example.LISTED
    direction = example.higher_values_for_preferred_items
    assert direction(found, Way.PRINTED).outcome is Outcome.HOLDS
    assert direction(found, Way.RUN).outcome is Outcome.FAILS
    assert example.printed_values(found, Way.PRINTED).outcome is Outcome.FAILS
    assert example.printed_values(found, Way.PUBLISHED).outcome is Outcome.HOLDS
    falls = found._replace(values={name: -each for name, each in found.values.items()})
    assert direction(falls, Way.PRINTED).outcome is Outcome.IN_PART


def test_verdicts_on_time_follow_the_times():
    def found(cut, kendall, vectors):
        found = {"vectors": 1e-3, "vectors, literally": vectors, "Gram matrix": 0.1}
        levels = [(kind, level) for kind, several in times.LEVELS.items() for level in several]
        for procedure, (kind, level) in product(("literal", "rankcut"), levels):
            found[procedure, kind, level, "graph cut"] = cut**-level
            for rival in ("Kendall", "diffusion"):
                found[procedure, kind, level, rival] = kendall
        return found

    slow_rival = verdicts("times", found(2.0, 500.0, 1.0))
    assert set(slow_rival.values()) == {Outcome.HOLDS}
    quick_rival = verdicts("times", found(1.0, 0.5, 0.01))
    assert quick_rival.pop("diffusion_is_expensive") is Outcome.IN_PART
    assert set(quick_rival.values()) == {Outcome.FAILS}


@pytest.mark.parametrize(
    ("kind", "level", "closed"), [("incomplete", 4, True), ("ties", 4, False), ("top-k", 3, False)]
)
def test_kendall_is_timed_by_what_the_authors_call(kind, level, closed, monkeypatch):
    """The closed form for incomplete rankings, signs for lists, all full orders for ties."""
    called = []
    monkeypatch.setattr(times.literal, "expected_kendall", lambda *rows: called.append(rows))
    task = {"kind": kind, "level": level, "trials": 1}
    records = list(times.run(task, None))
    assert bool(called) is closed
    literal = {record["kernel"] for record in records if record["procedure"] == "literal"}
    assert literal == {"graph cut", "Kendall"} | ({"Mallows"} if kind == "top-k" else set())


def test_results_are_known_by_the_code_that_computes_them(tmp_path):
    def fingerprint(computes, judges):
        (tmp_path / "sushi.py").write_text(computes)
        (tmp_path / "sushi_claims.py").write_text(judges)
        code_fingerprint.cache_clear()
        return code_fingerprint(tmp_path)

    first = fingerprint("x = 1", "y = 1")
    assert fingerprint("x = 1", "y = 2") == first
    assert fingerprint("x = 2", "y = 1") != first
    code_fingerprint.cache_clear()


def end(work, code, data):
    os._exit(1)


@pytest.mark.slow
def test_a_killed_process_is_told_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "records_of", end)
    works = [Work("synthetic", {"n": n}) for n in range(2)]
    with pytest.raises(ChildProcessError, match="was killed, perhaps for lack of memory"):
        run_works(works, tmp_path, None)


def test_what_a_quick_run_leaves_open_is_told_as_recorded(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RECORDED", tmp_path / "recorded.md")
    claim = Claim("sushi.x", "It is so.", "Section 1", (Way.PRINTED, Way.RUN))
    found = dict.fromkeys(claim.ways, Verdict(Outcome.HOLDS, "+.5."))
    report.record({claim: found})
    text = report.RECORDED.read_text()
    assert text.startswith("# Claims of the paper\n")
    open_ones = dict.fromkeys(claim.ways, Verdict(Outcome.UNDECIDED, "+.4."))
    *_, printed, run, _ = report.verdict_rows({claim: open_ones}, quick=True)
    said = "| It is so. (Section 1) `sushi.x` | as printed | not decided | +.4. "
    assert printed.startswith(said)
    assert "The full run: holds (" in run
    assert run.endswith("). +.5. |")


def test_the_recorded_run_is_of_these_claims():
    names = {(claim.name, way) for claim in read_claims() for way in claim.ways}
    assert set(report.recorded()) == names


@pytest.mark.slow
def test_the_command_writes_a_report_and_goes_on_where_it_stopped(tmp_path):
    def run():
        """The program on its own, without any data."""
        command = [sys.executable, "-m", "reproduction", "times", "arithmetic", "example"]
        environment = {key: own for key, own in os.environ.items() if key != "RANKCUT_DATA"}
        how = {"capture_output": True, "text": True, "timeout": 300, "cwd": HOME}
        return subprocess.run([*command, "--quick", "-o", tmp_path], env=environment, **how)

    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("No sushi data: get it from https://www.kamishima.net/sushi/")
    assert lines[1] == "Checked: arithmetic, times. Not checked without the data: example."
    assert lines[-1] == f"report: {tmp_path / 'report.md'}"
    text = (tmp_path / "report.md").read_text()
    # In the order of the parts, not of the command line; an empty table is none.
    assert text.index("`example.") < text.index("`arithmetic.") < text.index("`times.")
    assert "|---|\n\n" not in text
    measured = json.loads((tmp_path / "times.json").read_text())
    assert run().returncode == 0
    # Times would differ if they were measured again.
    assert json.loads((tmp_path / "times.json").read_text()) == measured


def test_without_data_the_parts_that_need_none_are_named(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("RANKCUT_DATA", raising=False)
    main(["example", "-o", str(tmp_path)])
    assert capsys.readouterr().out.splitlines()[1] == (
        "Not checked without the data: example. "
        "These parts need none: arithmetic, kinds, synthetic, times."
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing", "-o", "out"], "there is no part 'nothing'; the parts are example, "),
        (["kinds", "-o", "out", "--record"], "only a full run of all parts is recorded"),
        (["--data", "nowhere", "-o", "out"], "nowhere"),
        (["kinds", "-o", "file/out"], "Not a directory: 'file/out'"),
    ],
)
def test_a_mistake_is_said_in_one_line(tmp_path, monkeypatch, capsys, arguments, says):
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RANKCUT_DATA", raising=False)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = str(ended.value.code) if isinstance(ended.value.code, str) else capsys.readouterr().err
    assert says in said.splitlines()[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
