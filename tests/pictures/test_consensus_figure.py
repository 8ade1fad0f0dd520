"""A consensus as a picture, from fitted models."""

import pytest

from rankcut import Consensus, load_lunch, plot_consensus
from rankcut.errors import InputError
from rankcut.pictures.theme import COLOURS

pytest.importorskip("matplotlib", reason="Matplotlib is not installed")


def test_one_consensus_and_one_for_each_group():
    lunch = load_lunch()
    one = Consensus(n_bootstraps=20).fit(lunch)
    places, pairs = plot_consensus(one).axes
    shown = [text.get_text() for text in places.get_yticklabels()]
    assert shown[0] == lunch.items[int(one.ranking_.argmin())]
    assert "prefer the row" in pairs.get_title()
    groups = {
        name: Consensus(n_bootstraps=0).fit(lunch.ranks[lunch.target == k])
        for k, name in enumerate(lunch.target_names)
    }
    (places,) = plot_consensus(groups, items=lunch.items).axes
    assert [text.get_text() for text in places.get_legend().get_texts()] == lunch.target_names
    assert [line.get_color() for line in places.lines[:2]] == list(COLOURS[:2])
    assert places.lines[0].get_xdata().tolist() != places.lines[1].get_xdata().tolist()
    with pytest.raises(InputError, match="holds no consensus"):
        plot_consensus({})
    with pytest.raises(InputError, match="1 values for 8 items"):
        plot_consensus(one, items=["a"])
