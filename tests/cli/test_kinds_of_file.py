"""Every command takes every kind of file that ``info`` reads, or refuses before it computes."""

import importlib
import json
import pkgutil
from contextlib import contextmanager

import pytest
from commands import run

import rankcut.cli
from rankcut.cli import COMMANDS

# What each command needs, beside the file, to write a file.
OPTIONS = {
    "convert": ["-o", "out.csv"],
    "compare": ["--by", "town", "--n-permutations", "20", "-o", "out.html"],
    "consensus": ["--n-bootstraps", "20", "-o", "out.html"],
    "leaderboard": ["-o", "out.html"],
    "transfers": ["-o", "out.html"],
    "graph": ["--learn", "agreement", "-o", "out.html"],
    "features": ["-o", "out.csv"],
    "gram": ["-o", "out.csv"],
    "similar": ["-o", "out.html"],
    "blocs": ["-k", "2", "-o", "out.html"],
    "complete": ["-o", "out.csv"],
    "classify": ["--target", "town", "--folds", "2", "-o", "out.html"],
    "regress-ranking": ["--on", "town", "-o", "out.html"],
    "map": ["-o", "out.html"],
    "report": ["-o", "out.html"],
}
# They take seconds, or no rankings: a table of people, a model.
LEFT_OUT = {"demo", "open", "help", "info", "predict", "regress", "learn-ranking", "utilities"}

ROWS = ("Oslo,1,2,3,4", "Rome,2,1,4,3", "Oslo,1,3,2,4", "Rome,4,2,1,3") * 3
PAIRS = (("a", "b"), ("b", "c"), ("c", "a"), ("a", "d"), ("d", "b"), ("c", "d")) * 4
FILES = {
    "ranks.csv": "\n".join(["town,a,b,c,d", *ROWS]),
    "gaps.csv": "\n".join(["town,a,b,c,d", *(row.replace("4", "") for row in ROWS)]),
    "votes.csv": "\n".join(
        ["town,model_a,model_b,winner"]
        + [
            f"{'Oslo' if k % 3 else 'Rome'},{one},{other},model_{'ab'[k % 5 == 0]}"
            for k, (one, other) in enumerate(PAIRS)
        ]
    ),
    "ballots.csv": "\n".join(["town,1st,2nd,3rd", *["Oslo,a,b,c", "Rome,c,b,", "Oslo,b,d,a"] * 4]),
    "orders.csv": "\n".join(
        ["town,order", *["Oslo,a > b > c", "Rome,c > b = a", "Oslo,d > a"] * 4]
    ),
    "long.csv": "\n".join(
        ["ranking,town,item,rank"]
        + [
            f"{r},{'Oslo' if r % 2 else 'Rome'},{'abcd'[(r + k) % 4]},{k}"
            for r in range(9)
            for k in (1, 2, 3)
        ]
    ),
    "scores.csv": "\n".join(
        ["town,a,b,c,d", *["Oslo,9.5,7,3,1", "Rome,2,8.5,8,4", "Oslo,7,7,9,3.5"] * 4]
    ),
    "votes.soi": "\n".join(
        [
            "# NUMBER ALTERNATIVES: 3",
            "# ALTERNATIVE NAME 1: a",
            "# ALTERNATIVE NAME 2: b",
            "# ALTERNATIVE NAME 3: c",
            "4: 1,2",
            "3: 3,2,1",
            "2: 2",
        ]
    ),
    "votes.blt": '3 1\n4 1 2 0\n3 3 2 1 0\n2 2 0\n0\n"a"\n"b"\n"c"\n"Council"\n',
    "votes.abif": "4:a>b>c\n3:c>b=a\n2:b",
    "votes.trec": "\n".join(
        f"q{q} Q0 {'abc'[(q + k) % 3]} {k + 1} {1 - k / 9:.2f} run"
        for q in range(5)
        for k in range(3)
    ),
    "games.json": json.dumps([{"winner": one, "loser": other} for one, other in PAIRS]),
}


def test_every_command_is_tried():
    assert {*OPTIONS} == {*COMMANDS} - LEFT_OUT


@pytest.mark.parametrize("command", OPTIONS)
def test_a_command_takes_a_file_or_refuses_it_at_once(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    computed = []

    @contextmanager
    def working(what):
        yield lambda words: None
        computed.append(what)  # it ended without a mistake

    for each in pkgutil.iter_modules(rankcut.cli.__path__, "rankcut.cli."):
        module = importlib.import_module(each.name)
        if hasattr(module, "working"):
            monkeypatch.setattr(module, "working", working)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content + "\n", encoding="utf-8")
        computed.clear()
        done = run(command, name, *OPTIONS[command])
        wrote = [*tmp_path.glob("out.*")]
        if done.exit_code == 0:
            assert wrote, (name, done.output)
            if name in ("votes.soi", "votes.blt", "votes.abif", "votes.trec"):
                assert done.stderr.count(f"{name}: read as ") == 1, (name, done.stderr)
        else:
            assert done.exit_code in (1, 2), (name, done.output, done.exception)
            assert not computed, (name, done.stderr)
            assert not wrote, name
        for path in wrote:
            path.unlink()
