"""A consensus as a picture, from fitted models; leaderboards and their mean ranks."""

import numpy as np
import pytest
from commands import succeed
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from rankcut import Consensus, GroupedConsensus, make_food, make_mallows
from rankcut.consensus.figure import leaderboard, pairs_picture
from rankcut.datasets import load_lunch
from rankcut.errors import InputError
from rankcut.pictures.charts import joined_runs
from rankcut.pictures.figures import draw_figure
from rankcut.pictures.scene import Path, Text
from rankcut.pictures.theme import COLOURS

pytest.importorskip("matplotlib", reason="Matplotlib is not installed")


def words_of(picture):
    return [shape.words for shape in picture.scene.shapes if isinstance(shape, Text)]


def test_one_consensus_and_one_for_each_group():
    lunch = load_lunch()
    one = Consensus(n_bootstraps=20).fit(lunch)
    (places,) = one.plot().axes
    assert places.texts[0].get_text() == lunch.items[int(one.ranking_.argmin())]
    groups = {
        name: Consensus(n_bootstraps=0).fit(lunch.ranks[lunch.target == k])
        for k, name in enumerate(lunch.target_names)
    }
    both = GroupedConsensus(groups)
    (legend,) = both.picture().legends
    # Somebody may be in both groups, and is not counted twice.
    assert both.picture().said.startswith("2 groups. Dots")
    names = [f"{name} ({groups[name].n_people_})" for name in lunch.target_names]
    assert sorted(key.words for key in legend.keys) == sorted(names)
    # By name, as on a map and in a comparison: the sweet tooth comes second.
    colours = {key.words: key.colour for key in legend.keys}
    assert [colours[name] for name in sorted(names)] == list(COLOURS[:2])
    assert both.tables()["places"]["group"].count(lunch.target_names[0]) == len(lunch.items)
    assert both.plot(title="Lunch").texts[0].get_text() == "Lunch"
    with pytest.raises(InputError, match="holds no consensus"):
        GroupedConsensus({})
    with pytest.raises(InputError, match="1 values for 8 items"):
        one.with_items(["a"])
    with pytest.raises(InputError, match="joined joins the items of one consensus"):
        both.plot(joined=True)


def test_a_consensus_is_drawn_where_one_asks(tmp_path):
    from matplotlib.figure import Figure

    model = Consensus(n_bootstraps=20).fit(load_lunch())
    left, right = Figure().subplots(1, 2)
    model.plot(left)
    model.plot(right, joined=True)
    drawn = [{text.get_text().split("  ")[0] for text in ax.texts} for ax in (left, right)]
    assert set(model.labels_of_items) <= drawn[0] & drawn[1]
    for suffix in (".csv", ".json", ".html", ".png"):
        model.save(tmp_path / f"lunch{suffix}")
    assert model.to_frame()["item"].tolist() == [model.labels_of_items[i] for i in model.order()]
    assert set(model.to_frame("pairs")) == {"item", "other", "share", "people", "clear"}
    assert repr(model).startswith("Consensus(n_bootstraps=20): No clear winner")


def test_cells_of_pairs_that_nobody_compares_are_grey_and_explained():
    nan = float("nan")
    apart = np.array([[1, 2, nan, nan], [nan, nan, 1, 2]] * 5)
    model = Consensus(n_bootstraps=0, unranked="anywhere").fit(apart)
    names = ["a", "b", "c", "d"]
    page = model.with_items(names).page()
    assert "Grey: nobody compares them." in page
    assert page.count(": nobody compares them") == 8 + 1  # ordered pairs, and what grey means
    full = Consensus(n_bootstraps=0).fit(make_mallows(9, 4, random_state=0).ranks)
    picture = pairs_picture(full.pairwise_, names, [2, 0, 1, 3])
    assert "nobody" not in picture.said
    words = [text.get_text() for text in draw_figure(picture).axes[0].texts]
    assert words.count("c") == 2
    assert str(round(100 * full.pairwise_[2, 0])) in words


def test_more_groups_than_colours_share_an_entry_of_the_legend():
    model = Consensus(n_bootstraps=0).fit(make_mallows(9, 3, random_state=0).ranks)
    (legend,) = GroupedConsensus({f"town {k:02}": model for k in range(12)}).picture().legends
    others = 12 - len(COLOURS)
    assert [key.words for key in legend.keys] == [
        *(f"town {k:02} (9)" for k in range(len(COLOURS))),
        f"{others} others ({9 * others})",
    ]


def test_mean_ranks_are_means_of_ranks():
    ranks = make_food(40, kind="ties", random_state=0).ranks
    found = Consensus(n_bootstraps=0).fit(ranks).mean_ranks_
    expected = np.mean([rankdata(row) for row in ranks], axis=0)
    # Tied pairs are not compared, so shares are of those who are not tied.
    full = make_food(40, random_state=0).ranks
    np.testing.assert_allclose(Consensus(n_bootstraps=0).fit(full).mean_ranks_, full.mean(axis=0))
    assert np.corrcoef(found, expected)[0, 1] > 0.99


def test_mean_ranks_of_strengths_are_expected_places():
    votes = np.array([[1, 2, np.nan], [np.nan, 1, 2], [1, np.nan, 2], [2, 1, np.nan]] * 9)
    model = Consensus(unranked="anywhere").fit(votes)
    theta = model.scores_
    for i in range(3):
        others = [1 / (1 + np.exp(theta[i] - theta[j])) for j in range(3) if j != i]
        assert model.mean_ranks_[i] == pytest.approx(1 + sum(others))


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_bars_join_the_longest_runs_without_a_clear_pair(n_items, seed):
    rng = np.random.default_rng(seed)
    clear = np.triu(rng.random((n_items, n_items)) < 0.3, 1)
    order = rng.permutation(n_items)
    in_order = np.zeros_like(clear)
    in_order[np.ix_(order, order)] = clear
    open_runs = {
        (i, j)
        for i in range(n_items)
        for j in range(i + 1, n_items)
        if not clear[i : j + 1, i : j + 1].any()
    }
    longest = {
        (i, j)
        for i, j in open_runs
        if not any((a, b) != (i, j) and a <= i and j <= b for a, b in open_runs)
    }
    assert joined_runs(order.tolist(), in_order) == sorted(longest)


def board(n_bootstraps=200):
    food = make_food(60, random_state=0)
    return Consensus(n_bootstraps=n_bootstraps).fit(food.ranks).with_items(food.item_names)


def test_the_picture_names_every_item_and_joins_what_is_not_clear():
    model = board()
    shapes = leaderboard(model).scene.shapes
    names = [shape.words for shape in shapes if isinstance(shape, Text) and "  " in shape.words]
    assert len(names) == model.n_features_in_
    assert all(any(name.startswith(item) for name in names) for item in model.labels_of_items)
    bars = [s for s in shapes if isinstance(s, Path) and s.tip == "not clearly different"]
    order = np.argsort(model.mean_ranks_, kind="stable").tolist()
    assert len(bars) == len(joined_runs(order, model.clear_)) > 0


def test_long_names_that_begin_alike_stay_apart():
    places = ("park", "pool", "library", "market", "theatre", "school")
    items = [f"an affordable and well-kept new {place}" for place in places]
    model = Consensus().fit(make_mallows(60, 6, phi=0.6, random_state=0).ranks).with_items(items)
    for drawn in (leaderboard(model), pairs_picture(model.pairwise_, items, range(6))):
        words = {name.split("  ")[0] for name in words_of(drawn)}
        assert len({name for name in words if name.startswith("an")}) == 6


def test_strengths_are_called_so_with_half_of_their_interval():
    model = Consensus(method="strengths", n_bootstraps=20).fit(make_food(40, random_state=0).ranks)
    page = model.page()
    assert f"{model.scores_[0]:.2f} ± {1.96 * model.errors_[0]:.2f}" in page
    assert ">strength<" in page
    assert ">score<" not in page


def test_without_intervals_nothing_is_clear():
    with pytest.raises(InputError, match="needs intervals"):
        leaderboard(board(n_bootstraps=0))


def test_the_command_draws_it_and_the_page_shows_it(tmp_path):
    places = [str(tmp_path / name) for name in ("board.png", "board.html")]
    succeed("consensus", "lunch:full", "--joined", "-o", places[0], "-o", places[1])
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
    assert "What is clearly different" in (tmp_path / "board.html").read_text(encoding="utf-8")


def test_votes_say_tiers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["toro,ika,left"] * 30 + ["uni,ika,left"] * 30 + ["toro,uni,left", "toro,uni,right"]
    (tmp_path / "votes.csv").write_text("\n".join(["left,right,choice", *rows, ""]))
    said = succeed("consensus", "votes.csv")
    assert "Tiers: toro and uni; ika. 2 of 3 pairs are clearly different." in said
