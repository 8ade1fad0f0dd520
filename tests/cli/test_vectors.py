"""What commands compute from vectors: features, Gram matrices, the rankings most alike."""

import json
import time
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from commands import fail, run, succeed

from rankcut import (
    GraphCutFeatures,
    NeighborGraph,
    RankingSet,
    graph_cut_features,
    read_file,
    write_file,
)
from rankcut.similar import LikenessFeatures


@pytest.mark.parametrize("suffix", ["npy", "csv", "parquet"])
def test_features_in_blocks_are_the_features(lunch, suffix):
    rankings = read_file("top-k.csv")
    expected = graph_cut_features(rankings.ranks, unranked="last")
    for source in ("top-k.csv", "top-k.parquet"):
        write_file(rankings, source)
        out = f"features.{suffix}"
        succeed("features", source, "-o", out, "--unranked", "last", "--block", "5")
        found = {
            "npy": lambda out: np.load(out),
            "csv": lambda out: pd.read_csv(out).iloc[:, -8:],
            "parquet": lambda out: pd.read_parquet(out).iloc[:, -8:],
        }[suffix](out)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("command", ["features", "gram"])
def test_one_run_writes_several_files(lunch, command):
    (lunch / "votes.csv").write_text("a,b,c,count\n1,2,3,2\n3,2,1,1\n2,1,3,1\n")
    files = ["-o", "x.npy", "-o", "x.csv", "-o", "x.parquet", "-o", "-"]
    assert succeed(command, "votes.csv", *files) == (lunch / "x.csv").read_text()
    expected = np.load("x.npy")
    assert len(expected) == 4
    table = pd.read_csv("x.csv")
    counts = table.pop("count") if command == "features" else 1
    np.testing.assert_array_equal(table.loc[table.index.repeat(counts)], expected)
    np.testing.assert_array_equal(pd.read_parquet("x.parquet")[list(table)], table)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["features", "-o", "x.npy", "-o", "parts/"],
            "parts/: parts of a result must be",
        ),
        (["gram", "-o", "x.npy", "-o", "k.zarr"], "k.zarr: parts of a result must be the only"),
        (["gram", "-o", "-", "-o", "-"], "only one output"),
        (["map", "-o", "x.npy"], "unknown suffix '.npy'"),
    ],
)
def test_outputs_that_cannot_be_together(lunch, arguments, says):
    command, *options = arguments
    fail(command, "full.csv", *options, says=says)
    assert not (lunch / "x.npy").exists()


def test_a_block_is_honoured_inside_a_row_group(lunch, monkeypatch):
    ranks = np.tile([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0]], (50_000, 1))
    pd.DataFrame(ranks, columns=["a", "b"]).to_parquet("large.parquet", row_group_size=150_000)
    sizes = []
    transform = GraphCutFeatures.transform

    def counted(self, rankings):
        sizes.append(len(rankings))
        return transform(self, rankings)

    monkeypatch.setattr(GraphCutFeatures, "transform", counted)
    succeed("features", "large.parquet", "-o", "x.npy", "--block", "7000")
    assert sizes == [7000] * 21 + [3000]
    assert np.load("x.npy").shape == ranks.shape


@pytest.mark.parametrize("suffix", ["npy", "csv", "parquet"])
def test_the_same_vectors_are_the_same_bytes(lunch, monkeypatch, suffix):
    succeed("features", "full.csv", "-o", f"one.{suffix}")
    monkeypatch.setattr(time, "time", lambda: 1e9)
    succeed("features", "full.csv", "-o", f"other.{suffix}")
    assert (lunch / f"one.{suffix}").read_bytes() == (lunch / f"other.{suffix}").read_bytes()


def test_features_stop_at_a_mistake_in_a_later_block_and_write_nothing(lunch):
    (lunch / "late.csv").write_text("a,b\n" + "1,2\n" * 9 + "1,x\n")
    fail("features", "late.csv", "-o", "late.npy", "--block", "4", says=r"late.csv:11: .*'x'")
    assert not (lunch / "late.npy").exists()


def test_items_and_graph_exclude_each_other_and_must_match(lunch):
    both = ["--items", "dishes.csv", "--graph", "g.npz"]
    fail("gram", "full.csv", "-o", "k.npy", *both, says="either --items or --graph")
    (lunch / "other.csv").write_text("dish,price\nsoup,1\nstew,2\n")
    fail("gram", "full.csv", "-o", "k.npy", "--items", "other.csv", says="do not match")


@pytest.mark.parametrize("command", ["features", "gram"])
def test_a_missing_rank_is_named_by_its_line(command, tmp_path):
    votes, out = tmp_path / "votes.csv", tmp_path / "out.npy"
    votes.write_text("toro,uni,ika\n1,2,3\n2,1,3\n1,,2\n")
    says = r"votes\.csv:4: item 'uni' is not ranked; pass --unranked last"
    fail(command, votes, "-o", out, says=says)
    # In a later block of rows too.
    fail(command, votes, "-o", out, "--block", "2", says=says)
    succeed(command, votes, "-o", out, "--unranked", "last")


@pytest.mark.parametrize("command", ["features", "gram"])
def test_what_a_file_says_of_unranked_items_holds(command, tmp_path):
    votes, out, same = (tmp_path / name for name in ("votes.csv", "out.npy", "same.npy"))
    votes.write_text("winner,loser\na,b\nb,c\nc,a\n")
    succeed(command, votes, "-o", out)
    succeed(command, votes, "-o", same, "--unranked", "anywhere")
    np.testing.assert_array_equal(np.load(out), np.load(same))


@pytest.mark.parametrize("unranked", ["last", "anywhere"])
def test_unranked_items_reach_the_feature_map(lunch, unranked):
    succeed("gram", "incomplete.csv", "-o", "k.npy", "--unranked", unranked)
    assert np.isfinite(np.load("k.npy")).all()


def test_products_are_those_of_vectors(lunch):
    lists = ["incomplete.csv", "--unranked", "last", "--items", "dishes.csv", "--normalize"]
    succeed("features", *lists, "-o", "x.npy")
    vectors = np.load("x.npy")
    succeed("gram", *lists, "-o", "k.npy")
    np.testing.assert_allclose(np.load("k.npy"), vectors @ vectors.T, atol=1e-12)


def test_a_gram_matrix_larger_than_memory_is_refused(lunch):
    (lunch / "large.csv").write_text("a,b\n" + "1,2\n" * 100_000)
    fail("gram", "large.csv", "-o", "k.npy", says="80 GB")


def test_similar_by_row_with_counts_and_ties(lunch):
    votes = RankingSet(np.array([[1.0, 1, 2], [1, 2, 3], [3, 2, 1]]), ("a", "b", "c"), [5, 2, 1])
    write_file(votes, "votes.toi")
    lines = succeed("similar", "votes.toi", "--to", "0").splitlines()
    assert lines[0] == "row,similar,similarity,count,similar count,order"
    assert lines[1] == "0,0,1.0,5,4,a = b > c"
    assert [line.split(",")[1] for line in lines[1:]] == ["0", "1", "2"]
    succeed("similar", "votes.toi", "--to", "2", "-o", "near.csv")
    assert len((lunch / "near.csv").read_text().splitlines()) == 3


def test_a_name_that_is_a_number_is_a_name_first(lunch):
    (lunch / "votes.csv").write_text("ranking,a,b,c\n7,1,2,3\n0,3,2,1\n1,2,1,3\n")
    for name, row in {"7": 0, "0": 1, "1": 2, "2": 2}.items():
        lines = succeed("similar", "votes.csv", "--to", name).splitlines()
        assert lines[1].startswith(f"{row},")
    fail("similar", "votes.csv", "--to", "3", says="no row 3: rows count from 0 to 2, nor one")


def test_those_most_like_each(lunch):
    done = run("similar", "full.csv", "-n", "3")
    assert done.exit_code == 0, done.output
    lines = pd.read_csv(StringIO(done.stdout))
    ranks = read_file("full.csv").ranks
    vectors = LikenessFeatures().fit_transform(ranks)
    gram = vectors @ vectors.T
    assert (lines["row"].to_numpy() == np.repeat(np.arange(len(ranks)), 3)).all()
    assert (lines["row"] != lines["similar"]).all()
    found = gram[lines["row"], lines["similar"]]
    np.testing.assert_allclose(lines["similarity"], found, atol=6e-5)
    np.fill_diagonal(gram, -np.inf)
    np.testing.assert_allclose(found.reshape(-1, 3), -np.sort(-gram, axis=1)[:, :3])


PARTIES = """candidate,party
Lab 1,Labour
Lab 2,Labour
Lab 3,Labour
Lab 4,Labour
Con,Conservative
"""


def test_lists_of_similar_items_are_similar(tmp_path, monkeypatch):
    """Lists that share no candidate are compared by their parties."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parties.csv").write_text(PARTIES)
    (tmp_path / "votes.csv").write_text("Lab 1,Lab 2,Lab 3,Lab 4,Con\n1,2,,,\n,,,,1\n,,1,2,\n")
    options = ["--to", "0", "--unranked", "last", "--items", "parties.csv", "--json"]
    table = pd.read_csv("parties.csv", index_col="candidate")
    ranks = pd.read_csv("votes.csv")
    graph = NeighborGraph(table, n_neighbors=1)
    features = LikenessFeatures(graph, item_features=graph, unranked="last")
    vectors = features.fit_transform(ranks)
    found = json.loads(succeed("similar", "votes.csv", *options))["pairs"]
    assert [row["similar"] for row in found] == [2, 1]
    np.testing.assert_allclose(
        [row["similarity"] for row in found], (vectors @ vectors[0])[[2, 1]], atol=1e-4
    )
