"""Maps as pictures and pages: what is drawn, and that both agree."""

import re
from itertools import combinations

import numpy as np
import pytest

from rankcut import make_mallows, plot_map
from rankcut.datasets import load_lunch
from rankcut.pictures import map_page

pytest.importorskip("matplotlib", reason="Matplotlib is not installed")

HOSTILE = '"><script>alert(1)</script>$x_1$ & co'


def boxes(figure):
    renderer = figure.canvas.get_renderer()
    return [text.get_window_extent(renderer) for text in figure.axes[0].texts if text.get_text()]


@pytest.mark.parametrize("n_items", [3, 9, 40])
def test_labels_of_arrows_do_not_collide_and_stay_inside(n_items):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    votes = make_mallows(50, n_items, phi=0.9, random_state=0)
    figure = plot_map(votes.ranks)
    FigureCanvasAgg(figure).draw()
    found = boxes(figure)
    assert len(found) >= min(n_items, 8)
    assert not [1 for a, b in combinations(found, 2) if a.overlaps(b)]
    frame = figure.axes[0].get_window_extent()
    assert all(frame.x0 <= b.x0 and b.x1 <= frame.x1 for b in found)
    assert figure.axes[0].get_aspect() == 1.0


def test_no_text_leaves_the_picture_with_many_long_groups():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    votes = make_mallows(200, 4, phi=0.9, random_state=0)
    towns = np.array([f"a town with a long name, number {k}" for k in np.arange(200) % 55])
    figure = plot_map(votes.ranks, towns, by_name="town" * 20, title="long " * 50)
    FigureCanvasAgg(figure).draw()
    renderer = figure.canvas.get_renderer()
    edge = figure.bbox
    for texts in (figure.texts, *(axes.texts for axes in figure.axes)):
        for text in texts:
            box = text.get_window_extent(renderer)
            assert edge.x0 <= box.x0, text
            assert box.x1 <= edge.x1, text
            assert edge.y0 <= box.y0, text


def test_picture_and_page_have_the_same_groups_in_the_same_colours():
    from matplotlib.colors import to_hex

    votes = make_mallows(90, 4, phi=0.9, random_state=0)
    towns = np.array(["Kobe", "Nara", "Oslo", "Rome"])[np.arange(90) % 4]
    drawn = plot_map(votes.ranks, towns).axes[1]
    in_picture = [
        (text.get_text(), to_hex(dots.get_facecolor()[0]))
        for text, dots in zip(drawn.texts[:4], drawn.collections[:4], strict=True)
    ]
    page = map_page(votes.ranks, towns)
    in_page = re.findall(r'style="background:var\(--(\w+)\)"></span>([^<]+ \(\d+\))', page)
    light = dict(reversed(re.findall(r"--(c\d):(#\w+);", page)))  # what is said first
    assert in_picture == [(name, light[colour].lower()) for colour, name in in_page]
    marks = set(re.findall(r'<(?:circle|path)[^>]*fill="([^"]+)"[^>]*data-pick', page)) - {"none"}
    assert marks == {f"var(--{colour})" for colour, _ in in_page}


def test_a_page_stands_alone_and_runs_no_label():
    votes = make_mallows(30, 3, phi=0.9, random_state=0)
    towns = np.array([HOSTILE, "x"])[np.arange(30) % 2]
    page = map_page(votes.ranks, towns, by_name=HOSTILE, title=HOSTILE)
    assert "<script>alert" not in page
    assert "http" not in page
    assert '<meta name="viewport"' in page
    assert "<title>&quot;&gt;&lt;script&gt;" in page
    plot_map(votes.ranks, towns, by_name=HOSTILE, title=HOSTILE).canvas.draw()


def test_tips_say_counts_groups_and_the_ranking():
    ranks = np.array([[1.0, 2, 3], [1, 2, 3], [1, 2, 3], [3, 1, 2]])
    page = map_page(ranks, ["x", "x", "y", "y"])
    assert 'data-tip="x: 2, y: 1\n0 &gt; 1 &gt; 2"' in page
    assert 'data-tip="y: 1\n1 &gt; 2 &gt; 0"' in page
    assert 'data-tip="3 rankings\n0 &gt; 1 &gt; 2"' in map_page(ranks)


def test_a_page_of_many_rankings_is_small():
    votes = make_mallows(20_000, 9, phi=0.9, random_state=0)
    towns = np.array([f"town {k}" for k in range(40)])[np.arange(20_000) % 40]
    assert len(map_page(votes.ranks, towns).encode()) < 1_000_000


def test_kinds_of_rankings_and_the_text_of_a_scale():
    for kind, unranked in (("top-k", "last"), ("incomplete", "anywhere"), ("ties", "error")):
        assert "<svg" in map_page(load_lunch(kind), "guest", unranked=unranked)
    ages = np.arange(48.0)
    ages[0] = np.nan
    page = map_page(load_lunch(), ages, by_name="age")
    scale = re.search(r'<ul class="keys" aria-label="age">(.*?)</ul>', page)[1]
    assert re.sub("<[^>]+>", " ", scale).split() == [
        "age:",
        "1",
        "10.2",
        "19.4",
        "28.6",
        "37.8",
        "47",
    ]
    assert "age unknown" in page


def test_a_tip_names_the_groups_that_share_a_colour():
    ranks = np.array([[1.0, 2, 3], [3, 2, 1], [2, 1, 3]])[np.arange(60) % 3]
    towns = np.array([f"town {k:02d}" for k in range(30)])[np.arange(60) // 2]
    page = map_page(ranks, towns, by_name="town")
    assert "23 others (46)" in page  # the legend
    tips = re.findall(r'data-tip="([^"]*)"', page)
    named = {name for words in tips for name in re.findall(r"(town \d\d): \d", words)}
    assert len(named) > 7
    # At most six by name, and the rest of the rankings at the point are counted.
    for words in (words for words in tips if "others" in words):
        first = words.split("\n")[0]
        assert sum(map(int, re.findall(r": (\d+)", first))) == 20
    assert "Crosses are group means." in page
