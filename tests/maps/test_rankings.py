"""Maps as numbers, pictures and pages: what is drawn, and that all agree."""

import re
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA

from rankcut import RankingSet, make_mallows
from rankcut.datasets import load_lunch
from rankcut.errors import InputError
from rankcut.maps import map_rankings
from rankcut.maps.rankings import MOST_ARROWS, MOST_MARKS, _gather, main_directions
from rankcut.pictures.scene import Mark, Path, Text
from rankcut.pictures.theme import COLOURS, OTHERS

pytest.importorskip("matplotlib", reason="Matplotlib is not installed")


def map_page(*given, **options):
    return map_rankings(*given, **options).page(options.get("title"))


HOSTILE = '"><script>alert(1)</script>$x_1$ & co'


def test_directions_are_those_of_repeated_vectors():
    rng = np.random.default_rng(0)
    vectors, counts = rng.normal(size=(30, 6)), rng.integers(1, 5, 30)
    found = main_directions(vectors, counts)
    model = PCA(2).fit(np.repeat(vectors, counts, axis=0))
    signs = np.sign((model.components_ * found.loadings.T).sum(axis=1))
    assert_allclose(found.points, model.transform(vectors) * signs, atol=1e-12)
    assert_allclose(found.shares, model.explained_variance_ratio_, atol=1e-12)
    assert_allclose(found.loadings.T, model.components_ * signs[:, None], atol=1e-12)


def test_rankings_that_fall_together_are_one_mark_of_their_groups():
    votes = RankingSet(
        np.array([[1.0, 2, 3], [1, 2, 3], [3, 2, 1], [1, 2, 3]]),
        ("a", "b", "c"),
        counts=[2, 1, 4, 3],
        columns={"town": np.array(["x", "y", "x", None], dtype=object)},
    )
    found = map_rankings(votes, "town")
    assert found.counts.tolist() == [6, 4]
    assert [(group.name, group.count) for group in found.groups] == [
        ("x", 6),
        ("y", 1),
        ("unknown", 3),
    ]
    assert found.parts.tolist() == [[2, 1, 3], [4, 0, 0]]
    assert found.words == ["a > b > c", "c > b > a"]
    assert found.subtitle() == "10 rankings of 3 items at 2 points"
    # The ellipse is of rankings, not of rows; a group of one has none.
    assert found.groups[0].spread is not None
    assert found.groups[1].spread is None
    assert found.groups[2].mean is None


def test_counts_are_the_same_as_repeated_rankings():
    votes = make_mallows(40, 5, phi=0.5, random_state=1)
    counts = np.random.default_rng(2).integers(1, 4, 40)
    towns = np.array(["x", "y"])[np.arange(40) % 2]
    counted = map_rankings(votes.ranks, towns, counts=counts)
    repeated = map_rankings(np.repeat(votes.ranks, counts, axis=0), np.repeat(towns, counts))
    assert_allclose(counted.places, repeated.places, atol=1e-9)
    assert counted.parts.tolist() == repeated.parts.tolist()
    for one, other in zip(counted.groups, repeated.groups, strict=True):
        assert_allclose(one.mean, other.mean, atol=1e-9)
        assert_allclose(one.spread, other.spread, atol=1e-9)


def test_many_groups_keep_the_largest_and_a_grey_rest():
    votes = make_mallows(120, 4, phi=0.5, random_state=0)
    towns = np.array([f"town {min(k, 55 - k):02d}" for k in np.arange(120) % 55])
    found = map_rankings(votes.ranks, towns)
    assert len(found.groups) == len(COLOURS) + 1
    assert found.groups[-1].colour == OTHERS
    assert found.groups[-1].name == f"{28 - len(COLOURS)} others"
    # Eight have a colour each, and the ninth, alone in grey, keeps its name.
    for number in (8, 9):
        few = map_rankings(votes.ranks, np.array([f"town {k}" for k in np.arange(120) % number]))
        assert [group.name for group in few.groups] == [f"town {k}" for k in range(number)]
    names = [group.name for group in found.groups[:-1]]
    assert names == sorted(names)
    assert found.parts.sum() == 120


def test_numbers_are_quarters_if_there_are_more_than_colours():
    votes = make_mallows(60, 4, phi=0.5, random_state=0)
    found = map_rankings(
        votes.ranks, np.where(np.arange(60) == 3, np.nan, np.arange(60.0)), by_name="age"
    )
    assert [(group.name, group.count) for group in found.groups] == [
        ("0 to 15", 15),
        ("16 to 30", 15),
        ("31 to 44", 14),
        ("45 to 59", 15),
        ("unknown", 1),
    ]
    few = map_rankings(votes.ranks, np.arange(60) % 12 // 4)
    assert [group.name for group in few.groups] == ["0", "1", "2"]


def test_near_points_are_drawn_as_one_if_there_are_many():
    points = np.random.default_rng(0).normal(size=(20_000, 2))
    mark, merged = _gather(points)
    assert merged
    counts = np.bincount(mark)
    assert counts.min() > 0
    assert len(counts) <= MOST_MARKS
    # No two points of a mark are farther apart than a few hundredths of the map.
    low = np.full((len(counts), 2), np.inf)
    np.minimum.at(low, mark, points)
    assert (points - low[mark]).max() < 0.05 * np.ptp(points, axis=0).max()


def shapes(picture, kind, **wanted):
    found = [shape for shape in picture.scene.shapes if isinstance(shape, kind)]
    return [s for s in found if all(getattr(s, name) == value for name, value in wanted.items())]


def arrows(picture):
    return [shape for shape in shapes(picture, Path) if shape.item is not None]


def test_the_scene_has_equal_scales_and_areas_in_proportion():
    votes = RankingSet(
        np.array([[1.0, 2, 3, 4], [4, 3, 2, 1], [2, 1, 4, 3]]), tuple("abcd"), counts=[1, 4, 9]
    )
    found = map_rankings(votes)
    picture = found.picture()
    marks = [mark for mark in shapes(picture, Mark) if mark.tip]
    assert_allclose([mark.radius / marks[-1].radius for mark in marks], [3, 2, 1])
    assert "Areas are numbers of rankings, up to 9." in picture.said
    places = np.array([[mark.x, mark.y] for mark in marks[::-1]])
    drawn = np.linalg.norm(places - places[0], axis=1)
    true = np.linalg.norm(found.places - found.places[0], axis=1)
    assert_allclose(drawn[1:] / drawn[1], true[1:] / true[1])
    assert (places > 0).all()
    assert (places < (picture.scene.width, picture.scene.height)).all()
    # Up is positive on the map, and y grows downwards on the page.
    drawn = np.array(
        [(arrow.lines[1][1] - arrow.lines[0][0]) * (1, -1) for arrow in arrows(picture)]
    )
    loadings = found.directions[[arrow.item for arrow in arrows(picture)]]
    assert_allclose(drawn * loadings[0, 0], loadings * drawn[0, 0], atol=1e-9)


def test_the_longest_arrows_come_first_and_only_they_are_named():
    found = map_rankings(make_mallows(60, 40, phi=0.9, random_state=0).ranks)
    every = found.picture(most_arrows=40)
    lengths = [np.linalg.norm(arrow.lines[1][1] - arrow.lines[0][0]) for arrow in arrows(every)]
    assert (np.diff(lengths) <= 1e-9).all()
    assert len(lengths) > MOST_ARROWS
    longest = [arrow.item for arrow in arrows(every)][:MOST_ARROWS]
    named = {text.item for text in shapes(every, Text, where="roomy", halo=True)}
    assert named
    assert named <= set(longest)
    few = found.picture()
    assert [arrow.item for arrow in arrows(few)] == longest
    assert "24 shorter arrows left out" in few.said


def test_mistakes():
    lunch = load_lunch()
    with pytest.raises(InputError, match=r"'town', not a column; columns are: guest"):
        map_rankings(lunch, "town")
    with pytest.raises(InputError, match="3 values for 48 rankings"):
        map_rankings(lunch, ["a", "b", "c"])
    with pytest.raises(InputError, match="at least two rankings"):
        map_rankings([[1, 2, 3]])
    with pytest.raises(InputError, match="whole number of 1 or more"):
        map_rankings(lunch, counts=np.full(48, 0) + (np.arange(48) > 0))
    with pytest.raises(InputError, match="option of the features"):
        map_rankings(lunch, features=object(), unranked="last")


def boxes(figure):
    renderer = figure.canvas.get_renderer()
    return [text.get_window_extent(renderer) for text in figure.axes[0].texts if text.get_text()]


@pytest.mark.parametrize("n_items", [3, 9, 40])
def test_labels_of_arrows_do_not_collide_and_stay_inside(n_items):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    votes = make_mallows(50, n_items, phi=0.9, random_state=0)
    figure = map_rankings(votes.ranks).plot()
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
    figure = map_rankings(votes.ranks, towns, by_name="town" * 20, title="long " * 50).plot()
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
    drawn = map_rankings(votes.ranks, towns).plot().axes[0]
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
    map_rankings(votes.ranks, towns, by_name=HOSTILE, title=HOSTILE).plot().canvas.draw()


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


def test_kinds_of_rankings():
    for row in ([1, 2, 3], [1, 1, 1]):
        assert map_page([row, row]).count("<circle") == 1
    for kind, unranked in (("top-k", "last"), ("incomplete", "anywhere"), ("ties", "error")):
        assert "<svg" in map_page(load_lunch(kind), "guest", unranked=unranked)


def test_whole_names_are_written_in_lines():
    lunch = load_lunch()
    long = {item: f"{item} as it is made on the islands" for item in lunch.items}
    votes = RankingSet(lunch.ranks, tuple(long.values()))
    figure = map_rankings(votes).plot()
    written = {text.get_text().replace("\n", " ") for text in figure.axes[0].texts}
    assert set(long.values()) <= written
    assert "<tspan" in map_page(votes)


def test_a_group_of_everyone_is_no_group():
    lunch = load_lunch()
    alone, together = map_rankings(lunch), map_rankings(lunch, ["bloc 1"] * 48, by_name="bloc")
    assert together.picture().legends == alone.picture().legends
    assert [group.name for group in together.groups] == [""]
