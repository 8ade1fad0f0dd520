"""Distinct rankings with counts, and the same rankings one by one: the same answer."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from commands import succeed

from rankcut import read_file, read_graph

# Complete and incomplete ones, with and without ties, each in one town.
BALLOTS = [
    (4, "Kobe", "1,2,3,4"),
    (1, "Kobe", "1,1,2,"),
    (3, "Kobe", "2,1,,"),
    (2, "Nara", "4,3,2,1"),
    (5, "Nara", ",2,1,"),
    (2, "Nara", ",,1,1"),
    (1, "Nara", "3,,2,1"),
]


@pytest.fixture
def ballots(tmp_path, monkeypatch):
    """Where ``counted.csv`` and ``expanded.csv`` are."""
    monkeypatch.chdir(tmp_path)
    counted = [f"{town},{ranks},{count}" for count, town, ranks in BALLOTS]
    expanded = [f"{town},{ranks}" for count, town, ranks in BALLOTS for _ in range(count)]
    Path("counted.csv").write_text("\n".join(["town,ann,bob,cy,dan,count", *counted, ""]))
    Path("expanded.csv").write_text("\n".join(["town,ann,bob,cy,dan", *expanded, ""]))


def described(file):
    said = json.loads(succeed("info", file, "--json"))
    del said["n_rows"]
    return said


def mapped(file):
    points = json.loads(succeed("map", file, *LAST, "--by", "town", "-o", "-", "--to", "json"))
    return [{name: value for name, value in point.items() if name != "row"} for point in points]


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


def nearest_to_one(file):
    """The 9 nearest rankings, of which some are equal."""
    found = json.loads(succeed("similar", file, *LAST, "--to", "0", "-n", "9", "--json"))
    listed = [
        (row["similarity"], row["order"]) for row in found for _ in range(row.get("count", 1))
    ]
    return listed[:10]


def nearest_to_each(file):
    """How similar the 3 nearest rankings are to each ranking."""
    found = json.loads(succeed("similar", file, *LAST, "-n", "3", "--json"))
    values = {}
    for row in found:
        same = values.setdefault(row["row"], [row.get("count", 1)])
        same += [row["similarity"]] * row.get("similar count", 1)
    return [nearest[:3] for count, *nearest in values.values() for _ in range(count)]


def classified(*options):
    def scores(file):
        target = ["--target", "town", "--folds", "2", "--json"]
        return json.loads(succeed("classify", file, *target, *options))

    return scores


def agreed(file):
    return json.loads(
        succeed("consensus", file, *LAST, "--by", "town", "--n-bootstraps", "50", "--json")
    )


def compared(file):
    return json.loads(
        succeed("compare", file, *LAST, "--by", "town", "--permutations", "50", "--json")
    )


def converted(file):
    succeed("convert", file, "out.csv", "--expand")
    return Path("out.csv").read_text()


def learned(kind):
    def graph(file):
        said = succeed("graph", file, "--learn", kind, "-o", "graph.npz")
        return [said, read_graph("graph.npz").to_dense().tolist()]

    return graph


ITEMS = ["ann", "bob", "cy", "dan"]
LAST = ["--unranked", "last"]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(described, id="info"),
        pytest.param(mapped, id="map"),
        pytest.param(written("features"), id="features"),
        pytest.param(counted_table, id="features to a table"),
        pytest.param(written("gram"), id="gram"),
        pytest.param(nearest_to_one, id="similar to one"),
        pytest.param(nearest_to_each, id="similar to each"),
        pytest.param(classified(), id="classify"),
        pytest.param(classified("--model", "logistic", *LAST), id="classify by logistic"),
        pytest.param(classified("--model", "gp", *LAST), id="classify by gp"),
        pytest.param(agreed, id="consensus"),
        pytest.param(compared, id="compare"),
        pytest.param(converted, id="convert"),
        pytest.param(learned("agreement"), id="graph by agreement"),
        pytest.param(learned("co-listing"), id="graph by co-listing"),
    ],
)
def test_counts_are_repeated_rankings(ballots, answer):
    assert len(read_file("counted.csv")) == 7
    assert len(read_file("expanded.csv")) == 18
    assert_same(answer("counted.csv"), answer("expanded.csv"))


def assert_same(one, other):
    """Equal, numbers up to the rounding of sums in another order."""
    if isinstance(one, dict):
        assert list(one) == list(other)
        one, other = list(one.values()), list(other.values())
    if isinstance(one, list | tuple):
        assert len(one) == len(other)
        for first, second in zip(one, other, strict=True):
            assert_same(first, second)
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-9)
    else:
        assert one == other
