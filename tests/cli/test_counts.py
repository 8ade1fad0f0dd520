"""Distinct rankings with counts, and the same rankings one by one: the same answer."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from commands import BALLOTS, ITEMS, assert_same, json_answer, run, succeed

from rankcut import read_file
from rankcut.files import read_graph


@pytest.fixture
def ballots(tmp_path, monkeypatch):
    """Where ``counted.csv`` and ``expanded.csv`` are."""
    monkeypatch.chdir(tmp_path)
    names = "town,age,rank: ann,rank: bob,rank: cy,rank: dan"
    rows = [(count, f"{town},{age},{ranks}") for count, town, age, ranks in BALLOTS]
    counted = [f"{row},{count}" for count, row in rows]
    expanded = [row for count, row in rows for _ in range(count)]
    Path("counted.csv").write_text("\n".join([f"{names},count", *counted, ""]))
    Path("expanded.csv").write_text("\n".join([names, *expanded, ""]))


LAST = ["--unranked", "last"]


def mapped(file):
    page = succeed("map", file, *LAST, "--by", "town", "-o", "-")
    return sorted(re.findall(r'data-tip="(.*?)"', page, re.S))


def described(file):
    found = said("info")(file)
    del found["n_rows"]
    return found


def said(command, *options):
    """What a command says as JSON."""
    return lambda file: json_answer(succeed(command, file, *options, "--json"))


def written(command):
    def matrix(file):
        succeed(command, file, *LAST, "-o", "matrix.npy")
        return np.load("matrix.npy").tolist()

    return matrix


def counted_table(file):
    """The vectors of a table, each as often as it counts."""
    succeed("features", file, *LAST, "-o", "vectors.csv")
    rows = csv.DictReader(Path("vectors.csv").read_text().splitlines())
    return [
        [float(row[item]) for item in ITEMS]
        for row in rows
        for _ in range(int(row.get("count", 1)))
    ]


def nearest(*options):
    """How similar the 3 nearest rankings are to one, or to each, and what they are."""

    def answer(file):
        found = json.loads(succeed("similar", file, *LAST, "-n", "3", *options, "--json"))["pairs"]
        values = {}
        for row in found:
            same = values.setdefault(row["row"], [row.get("count", 1)])
            same += [(row["similarity"], row["order"])] * row.get("similar count", 1)
        if options:
            return [near[:3] for _, *near in values.values()]
        return [[v for v, _ in near[:3]] for n, *near in values.values() for _ in range(n)]

    return answer


def converted(file):
    succeed("convert", file, "out.csv", "--expand")
    return Path("out.csv").read_text()


def learned(kind):
    def graph(file):
        said = succeed("graph", file, "--learn", kind, "-o", "graph.npz")
        return [said, read_graph("graph.npz").to_dense().tolist()]

    return graph


def one_by_one(text, key="ranking"):
    """The rows of a table without the names of the rankings, each as often as it counts."""
    rows = list(csv.DictReader(text.splitlines()))
    times = [int(row.pop("count", 1)) for row in rows]
    names = [row.pop(key, None) for row in rows]
    # The rows of a ranking stay together.
    groups = [[i for i in range(len(rows)) if names[i] == name] for name in dict.fromkeys(names)]
    if None in names:
        groups = [[i] for i in range(len(rows))]
    return [rows[i] for group in groups for _ in range(times[group[0]]) for i in group]


def completed(*options):
    return lambda file: one_by_one(succeed("complete", file, *options))


def reported(file):
    succeed("report", file, *LAST, "--by", "town", "-o", "page.html")
    rows = "<div><dt>file</dt><dd>7 rows with counts</dd></div>"
    page = Path("page.html").read_text().replace(rows, "").replace(file, "FILE")
    # Numbers at the odd places, rounded as they are.
    parts = re.split(r"(-?\d+\.\d+)", page)
    return [Rounded(part) if i % 2 else part for i, part in enumerate(parts)]


class Rounded(str):
    """A number in a text, equal to one that differs in its last digit."""

    def __eq__(self, other):
        digits = len(self.partition(".")[2])
        return abs(float(self) - float(other)) < 1.5 * 10**-digits

    __hash__ = None


def predicted(*command):
    """What a model that is fitted to one of the files predicts for the other, and why."""

    def answer(file):
        succeed(*command[:1], "counted.csv", *command[1:], "-o", "model.skops")
        explain = ["--explain"] if command[0] in ("classify", "regress") else []
        done = run("predict", "model.skops", file, *explain)
        return [one_by_one(done.stdout), done.stderr.replace(file, "FILE")]

    return answer


CLASSES = ["--target", "town", "--folds", "2"]
NUMBERS = ["--target", "age", "--folds", "2"]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(described, id="info"),
        pytest.param(mapped, id="map"),
        pytest.param(written("features"), id="features"),
        pytest.param(counted_table, id="features to a table"),
        pytest.param(written("gram"), id="gram"),
        pytest.param(nearest("--to", "0"), id="similar to one"),
        pytest.param(nearest(), id="similar to each"),
        pytest.param(said("classify", *CLASSES), id="classify"),
        pytest.param(
            said("consensus", *LAST, "--by", "town", "--n-bootstraps", "50"), id="consensus"
        ),
        pytest.param(
            said("compare", *LAST, "--by", "town", "--n-permutations", "50"), id="compare"
        ),
        pytest.param(
            said("blocs", "--unranked", "anywhere", "-k", "2", "--by", "town"), id="blocs"
        ),
        pytest.param(completed(), id="complete"),
        pytest.param(completed("--top", "2"), id="complete with the best"),
        pytest.param(said("regress", *NUMBERS), id="regress"),
        pytest.param(
            said("learn-ranking", "--folds", "2"), id="learn-ranking", marks=pytest.mark.slow
        ),
        pytest.param(said("regress-ranking", *LAST, "--on", "town"), id="regress-ranking"),
        pytest.param(reported, id="report"),
        pytest.param(predicted("classify", *CLASSES), id="predict classes", marks=pytest.mark.slow),
        pytest.param(predicted("regress", *NUMBERS), id="predict numbers"),
        pytest.param(predicted("blocs", "--unranked", "anywhere"), id="predict blocs"),
        pytest.param(predicted("complete"), id="predict places"),
        pytest.param(converted, id="convert"),
        pytest.param(learned("agreement"), id="graph by agreement"),
        pytest.param(learned("co-listing"), id="graph by co-listing"),
    ],
)
def test_counts_are_repeated_rankings(ballots, answer):
    assert len(read_file("counted.csv")) == 7
    assert len(read_file("expanded.csv")) == 18
    assert_same(answer("counted.csv"), answer("expanded.csv"))
