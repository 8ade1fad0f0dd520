"""A consensus as a picture, from fitted models."""

import numpy as np
import pytest

from rankcut import Consensus, make_mallows, plot_consensus
from rankcut.consensus.figure import consensus_page
from rankcut.consensus.words import ConsensusReport, GroupConsensus
from rankcut.datasets import load_lunch
from rankcut.errors import InputError
from rankcut.pictures.theme import COLOURS

pytest.importorskip("matplotlib", reason="Matplotlib is not installed")


def test_one_consensus_and_one_for_each_group():
    lunch = load_lunch()
    one = Consensus(n_bootstraps=20).fit(lunch)
    places, pairs = plot_consensus(one).axes
    shown = [text.get_text() for text in places.get_yticklabels()]
    assert shown[0] == lunch.items[int(one.ranking_.argmin())]
    assert "who rank it before" in pairs.get_title()
    groups = {
        name: Consensus(n_bootstraps=0).fit(lunch.ranks[lunch.target == k])
        for k, name in enumerate(lunch.target_names)
    }
    figure = plot_consensus(groups, items=lunch.items)
    (places,), (legend,) = figure.axes, figure.legends
    assert [text.get_text() for text in legend.get_texts()] == lunch.target_names
    # By name, as on a map and in a comparison: the sweet tooth comes second.
    assert [line.get_color() for line in places.lines[:2]] == [COLOURS[1], COLOURS[0]]
    assert places.lines[0].get_xdata().tolist() != places.lines[1].get_xdata().tolist()
    with pytest.raises(InputError, match="holds no consensus"):
        plot_consensus({})
    with pytest.raises(InputError, match="1 values for 8 items"):
        plot_consensus(one, items=["a"])


def test_long_names_of_groups_are_not_cut():
    ranks = make_mallows(40, 4, phi=0.5, random_state=0).ranks
    model = Consensus(n_bootstraps=0).fit(ranks)
    groups = {f"people of a town with a long name, {k}": model for k in range(6)}
    figure = plot_consensus(groups, items=list("abcd"))
    figure.draw_without_rendering()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width


def test_columns_are_numbered_by_places():
    ranks = make_mallows(30, 20, phi=0.8, random_state=0).ranks
    matrix = plot_consensus(Consensus(n_bootstraps=0).fit(ranks)).axes[1]
    shown = [text.get_text() for text in matrix.get_xticklabels()]
    assert shown[:3] == ["1", "2", "4"]
    assert matrix.get_ylim() == (19.6, -0.6)


def test_cells_of_pairs_that_nobody_compares_are_grey_and_explained():
    nan = float("nan")
    apart = np.array([[1, 2, nan, nan], [nan, nan, 1, 2]] * 5)
    model = Consensus(n_bootstraps=0, unranked="anywhere").fit(apart)
    names = ["a", "b", "c", "d"]
    assert "nobody ranks both" in plot_consensus(model, items=names).axes[1].get_title()
    page = consensus_page(ConsensusReport(names, "borda", 0.95, [GroupConsensus.of(model)]))
    assert "Grey: nobody compares them." in page
    assert page.count(": nobody compares them") == 8 + 1  # ordered pairs, and what grey means
    full = Consensus(n_bootstraps=0).fit(make_mallows(9, 4, random_state=0).ranks)
    assert "nobody" not in plot_consensus(full).axes[1].get_title()


def test_more_groups_than_colours_share_an_entry_of_the_legend():
    model = Consensus(n_bootstraps=0).fit(make_mallows(9, 3, random_state=0).ranks)
    figure = plot_consensus({f"town {k}": model for k in range(12)})
    (legend,) = figure.legends
    shown = [text.get_text() for text in legend.get_texts()]
    assert shown == [*(f"town {k}" for k in range(len(COLOURS))), f"{12 - len(COLOURS)} others"]
