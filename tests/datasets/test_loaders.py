"""Loaders: small files of our own in the original formats, and the real ones where they are."""

import csv

import numpy as np
import pytest

from rankcut import GraphCutFeatures, RankingSet, SimilarityGraph
from rankcut.datasets import (
    load_eurovision,
    load_lunch,
    load_movielens,
    load_starwars,
    load_sushi,
    make_food,
)
from rankcut.datasets.downloads import VARIABLE

NAMES = ["ebi", "anago", "maguro", "ika", "uni", "ikura", "tamago", "toro", "tekka_maki"]
NAMES += ["kappa_maki", "tako"]


@pytest.fixture
def sushi_home(tmp_path):
    folder = tmp_path / "sushi"
    folder.mkdir()
    # Set B counts the items in another order than set A.
    shelf = [*NAMES[:5], "tako", *NAMES[5:10]]
    items = (f"{i} {name} {i % 2} 0 {i} 1.5 2.5 {i}.5 0.8\n" for i, name in enumerate(shelf))
    people = "7 0 2 355 0 0 0 0 0 0 0\n9 1 1 214 26 6 1 26 6 1 0\n"
    (folder / "sushi3.idata").write_text("".join(items).replace(" ", "\t"))
    (folder / "sushi3.udata").write_text(people.replace(" ", "\t"))
    of_a = "10 1\n0 10 7 0 1 2 3 4 5 6 8 9\n0 10 9 8 7 6 5 4 3 2 1 0\n"
    (folder / "sushi3a.5000.10.order").write_text(of_a)
    (folder / "sushi3b.5000.10.order").write_text("11 1\n0 2 5 0\n0 3 10 9 8\n")
    return tmp_path


def test_sushi_a(sushi_home):
    sushi = load_sushi("a", data_home=sushi_home)
    assert sushi.ranks[0, sushi.item_names.index("toro")] == 1
    assert sushi.item_names == NAMES[:10]
    # ikura is item 5 of set A and stands in line 6 of the item file.
    assert sushi.item_features["price"][5] == 6.5
    assert sushi.item_features["style"][5] == "maki"
    assert sushi.target.tolist() == [0, 1]
    known = ("age", "gender", "region", "prefecture", "side", "moved", "seconds")
    assert [*zip(*(sushi.columns[name].tolist() for name in known), strict=True)] == [
        ("30-39", "male", "Hokkaido", "Hokkaido", "east", "no", 355),
        ("20-29", "female", "Kinki", "Osaka", "west", "no", 214),
    ]
    model = GraphCutFeatures(SimilarityGraph(sushi.item_features))
    assert model.fit_transform(sushi.ranks).shape == (2, 10)


def test_sushi_b_from_the_folder_itself_and_by_the_variable(sushi_home, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(sushi_home / "sushi"))
    sushi = load_sushi("b")
    assert sushi.ranks.shape == (2, 11)
    assert sushi.ranks[0, sushi.item_names.index("tako")] == 1
    assert sushi.ranks.nnz == 5


def test_absent_files_say_where_to_get_them_and_the_terms(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(FileNotFoundError, match=r"kamishima\.net/sushi.*not to be redistributed"):
        load_sushi()
    with pytest.raises(FileNotFoundError, match=r"grouplens\.org.*not to be redistributed"):
        load_movielens(data_home=tmp_path)
    with pytest.raises(ValueError, match='which must be "a" or "b"'):
        load_sushi("c")
    with pytest.raises(ValueError, match="kind must be"):
        load_lunch("late")


def test_movielens(tmp_path):
    folder = tmp_path / "ml-100k"
    folder.mkdir()
    (folder / "u.genre").write_text("Drama|0\nWar|1\n\n")
    (folder / "u.item").write_bytes(
        "1|Café (1995)|01-Jan-1995||http://x|1|0\n2|Ark (1950)|||http://x|0|1\n"
        "3|Ark (1950)|01-Jan-1951||http://x|1|1\n".encode("latin-1")
    )
    (folder / "u.user").write_text("1|24|M|writer|85711\n2|53|F|other|94043\n")
    (folder / "u.data").write_text("2\t1\t3\t88\n2\t3\t5\t89\n1\t2\t1\t87\n")
    films = load_movielens(data_home=tmp_path)
    np.testing.assert_array_equal(films.ranks.toarray(), [[0, 1, 0], [2, 0, 1]])
    assert films.item_names == ["Café (1995)", "Ark (1950) [2]", "Ark (1950) [3]"]
    np.testing.assert_array_equal(films.item_features["year"], [1995, 1973, 1951])
    assert films.feature_names == ["Drama", "War", "year"]
    assert films.target.tolist() == [0, 1]
    assert films.columns["occupation"].tolist() == ["writer", "other"]
    assert SimilarityGraph(films.item_features).build().n_items == 3
    (folder / "u.data").write_text("2\t9\t3\t88\n")
    with pytest.raises(ValueError, match=r"u\.data:1: '9' is not listed"):
        load_movielens(data_home=tmp_path)


@pytest.mark.parametrize("kind", ["full", "top-k", "ties", "incomplete"])
def test_lunch_has_each_kind(kind):
    lunch = load_lunch(kind)
    ranked = ~np.isnan(lunch.ranks)
    tied = [len(set(row[on])) < on.sum() for row, on in zip(lunch.ranks, ranked, strict=True)]
    assert lunch.ranks.shape == (48, 8)
    assert np.bincount(lunch.target).tolist() == [24, 24]
    assert ranked.all() == (kind in ("full", "ties"))
    assert all(tied) == any(tied) == (kind == "ties")
    assert (ranked.sum(axis=1) == 3).all() == (kind == "top-k")
    assert lunch.item_points.shape == (8, 6)
    graph = SimilarityGraph(lunch.item_features).build()
    np.testing.assert_allclose(
        graph.to_dense(), SimilarityGraph(lunch.item_points).build().to_dense()
    )


def test_eurovision(tmp_path):
    head = "year,semi_final,edition,jury_or_televoting,from_country,to_country,points,duplicate"
    songs = ["France", "Malta", "Norway", "Spain", "The Netherlands", "Poland"]
    lines = [f"1999,f,x,J,Poland,{to},{12 - 2 * i},NA" for i, to in enumerate(songs)]
    lines += [f"1999,f,x,T,France,{to},{i},NA" for i, to in enumerate(songs)]
    lines += [f"1998,sf,x,T,Malta,{to},{i + 1},NA" for i, to in enumerate(songs)]
    lines += [f"1990,f,x,T,Malta,{to},{i + 1},NA" for i, to in enumerate(songs)]
    lines += ["1999,f,x,T,France,France,7,x"]
    (tmp_path / "eurovision-votes.csv").write_text("\n".join([head, *lines, ""]))
    votes = load_eurovision(data_home=tmp_path)
    assert votes.items == ("France", "Malta", "Netherlands", "Norway", "Poland", "Spain")
    np.testing.assert_array_equal(votes.ranks, [[np.nan, 5, 2, 4, 1, 3], [1, 2, 5, 3, np.nan, 4]])
    assert votes.columns["country"].tolist() == ["France", "Poland"]
    assert votes.columns["voters"].tolist() == ["public", "jury"]
    assert (votes.target.tolist(), votes["year"].tolist()) == ([0, 1], [1999, 1999])
    assert len(load_eurovision(data_home=tmp_path, first_year=1990)) == 3


def test_starwars(tmp_path):
    names = ["id", "seen", "fan", *["saw"] * 6, *"abcdef", *(f"who {i}" for i in range(14))]
    names += ["shot", "EU", "EU fan", "Trek", "Gender", "Age", "Income", "Education", "Region"]
    cells = [
        ["7", "Yes", "Yes", *["x"] * 6, *"312546", *["Very favorably"] * 2, *["Unfamiliar"] * 11,
         "Somewhat unfavorably", "", "", "", "", "Female", "> 60", "", "", ""],
        ["8", "No", "", *[""] * 6, *[""] * 6, *[""] * 14, *[""] * 4, "Male", "18-29", "", "", ""],
    ]  # fmt: skip
    with (tmp_path / "StarWars.csv").open("w", encoding="latin-1", newline="") as file:
        csv.writer(file).writerows([["?"] * 38, names, *cells])
    films = load_starwars(data_home=tmp_path)
    np.testing.assert_array_equal(films.ranks, [[3, 1, 2, 5, 4, 6]])
    assert (films.items, films.ids) == (tuple("abcdef"), ("7",))
    assert [films[name][0] for name in ("gender", "age", "income")] == ["Female", "> 60", None]
    people = load_starwars("characters", data_home=tmp_path)
    np.testing.assert_array_equal(people.ranks, [[1, 1, *[np.nan] * 11, 2]])
    with pytest.raises(ValueError, match='which must be "films"'):
        load_starwars("ships")


@pytest.mark.parametrize("load", [load_lunch, lambda: make_food(20, random_state=0)])
def test_data_sets_are_ranking_sets(load):
    data = load()
    assert isinstance(data, RankingSet)
    assert data["item_features"] is data.item_features
    assert data["feature_names"] is data.feature_names
    assert len(repr(data)) < 60
    assert data[5:9].target.tolist() == data.target[5:9].tolist()
    with pytest.raises(AttributeError, match="colour"):
        data.colour  # noqa: B018


def test_real_sushi(data_home):
    a, b = (load_sushi(which, data_home=data_home) for which in "ab")
    assert a.ranks.shape == (5000, 10)
    assert (np.sort(a.ranks, axis=1) == np.arange(1, 11)).all()
    assert b.ranks.shape == (5000, 100)
    assert (np.diff(b.ranks.indptr) == 10).all()
    assert a.target.tolist() == b.target.tolist()
    # Fatty tuna is what most people like best, cucumber roll what they like least.
    order = np.argsort(a.ranks.mean(axis=0))
    assert (a.item_names[order[0]], a.item_names[order[-1]]) == ("toro", "kappa_maki")


def test_real_movielens(data_home):
    films = load_movielens(data_home=data_home)
    lines = (data_home / "movielens-100k" / "u.data").read_text().splitlines()
    assert films.ranks.shape == (943, 1682)
    assert films.ranks.nnz == len(lines)
    assert np.diff(films.ranks.indptr).min() >= 19
    assert len(films.feature_names) == 20
