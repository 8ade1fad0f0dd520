"""The picture of three items: that what is drawn is where it should be."""

import numpy as np
import pytest
from functions import KINDS, make_case
from numpy.testing import assert_allclose
from tolerances import assert_rounds_to

from rankcut.cuts import GraphCut, Modular
from rankcut.errors import InputError
from rankcut.maps import map_polytope
from rankcut.maps.polytope import AXES, _Plane, _window
from rankcut.pictures.scene import Mark, Path, Text
from rankcut.theory import BasePolytope, MajorantCone, TangentCone, ordered_partitions

pytest.importorskip("matplotlib", reason="Matplotlib is not installed")

MATRIX = [[0, 4, 1], [4, 0, 1], [1, 1, 0]]
TRIANGLE = GraphCut(MATRIX)


def shapes(kind, *given, **options):
    picture = map_polytope(*given, **options).picture()
    return [shape for shape in picture.scene.shapes if isinstance(shape, kind)]


def test_the_map_to_the_plane_keeps_lengths():
    s = np.array([3.0, -1.0, -2.0])
    assert np.linalg.norm(s @ AXES) == pytest.approx(np.linalg.norm(s))
    assert_rounds_to(np.ones(3) @ AXES, np.zeros(2), n_terms=3, size=np.abs(AXES).sum())


def test_each_face_is_labelled_once():
    words = [text.words for text in shapes(Text, TRIANGLE, [], items="abc") if text.words]
    assert len(words) == len(list(ordered_partitions(3)))
    assert {"a ≻ b ≻ c", "{a, b} ≻ c", "c ≻ {a, b}", "{a, b, c}"} <= set(words)


def test_ordered_partitions_of_one_face_share_a_label():
    path = GraphCut([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    words = [text.words for text in shapes(Text, path, []) if text.words]
    assert "1 ≻ 3 ≻ 2\n3 ≻ 1 ≻ 2\n{1, 3} ≻ 2" in words
    assert sum(text.count("\n") + 1 for text in words) == 13


def test_a_matrix_is_the_cut_of_its_graph():
    assert map_polytope(MATRIX).to_dict() == map_polytope(TRIANGLE).to_dict()


def test_the_polytope_and_the_features_are_where_they_should_be():
    groups = [[0], [1], [2]]
    panel = _Plane(_window(TRIANGLE, [groups]), 0.0)
    body = next(shape for shape in shapes(Path, TRIANGLE, [groups]) if shape.filled)
    expected = panel.put(BasePolytope(TRIANGLE).vertices() @ AXES)
    # Rounded, so that corners at the same height come in the same order.
    found, expected = (sorted(set(map(tuple, p.round(6)))) for p in (body.lines[0], expected))
    assert_allclose(found, expected, atol=1e-6)
    drawn = map_polytope(TRIANGLE, [groups])
    marks = [mark for mark in shapes(Mark, TRIANGLE, [groups]) if mark.tip]
    for mark, cone in zip(marks, (MajorantCone, TangentCone), strict=True):
        point = cone(TRIANGLE, groups).min_norm_point()
        place = panel.put(point @ AXES)
        # The second panel stands beside the first.
        assert mark.y == pytest.approx(place[1])
        row = next(row for row in drawn.tables()["points"] if row["point"] == mark.tip)
        assert_allclose([row[name] for name in "123"], point)
    # A corner of the majorant cone is the vertex of the order.
    vertex = panel.put(BasePolytope(TRIANGLE).vertex([0, 1, 2]) @ AXES)
    cone = [shape for shape in shapes(Path, TRIANGLE, [groups]) if shape.opacity == 0.22][1]
    assert np.abs(cone.lines[0][:, 1] - vertex[1]).min() < 1e-6


@pytest.mark.parametrize("family", KINDS)
def test_every_family_can_be_drawn(family):
    for shape in shapes(Path, make_case(family, 3, 2).function):
        assert all(np.isfinite(line).all() for line in shape.lines)


def test_no_text_leaves_the_picture():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    names = ["a very long name", "another long name", "yet a longer name"]
    figure = map_polytope(TRIANGLE, items=names).plot()
    FigureCanvasAgg(figure).draw()
    renderer = figure.canvas.get_renderer()
    for text in (*figure.texts, *figure.axes[0].texts):
        box = text.get_window_extent(renderer)
        assert box.x0 >= figure.bbox.x0, text
        assert box.x1 <= figure.bbox.x1, text


def test_only_three_items():
    with pytest.raises(InputError, match=r"three items; got 4"):
        map_polytope(Modular([1, 2, 3, 4]))
    with pytest.raises(InputError, match="2 values for 3 items"):
        map_polytope(TRIANGLE, items="ab")
