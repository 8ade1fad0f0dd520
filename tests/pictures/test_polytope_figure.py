"""The picture of three items: that what is drawn is where it should be."""

import numpy as np
import pytest
from functions import KINDS, make_case
from numpy.testing import assert_allclose
from tolerances import assert_rounds_to

from rankcut import plot_polytope
from rankcut.cuts import GraphCut, Modular
from rankcut.errors import InputError
from rankcut.theory import BasePolytope, MajorantCone, ordered_partitions

pictures = pytest.importorskip(
    "rankcut.pictures.polytope_figure", reason="Matplotlib is not installed"
)

TRIANGLE = GraphCut([[0, 4, 1], [4, 0, 1], [1, 1, 0]])


def test_the_map_to_the_plane_keeps_lengths():
    axes = pictures.AXES
    s = np.array([3.0, -1.0, -2.0])
    assert np.linalg.norm(s @ axes) == pytest.approx(np.linalg.norm(s))
    assert_rounds_to(np.ones(3) @ axes, np.zeros(2), n_terms=3, size=np.abs(axes).sum())


def test_each_face_is_labelled_once():
    figure = plot_polytope(TRIANGLE, items="abc")
    shown = [text.get_text() for text in figure.axes[0].texts]
    assert len(shown) == len(list(ordered_partitions(3)))
    assert {"a ≻ b ≻ c", "{a, b} ≻ c", "c ≻ {a, b}", "{a, b, c}"} <= set(shown)


def test_ordered_partitions_of_one_face_share_a_label():
    path = GraphCut([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    figure = plot_polytope(path)
    shown = [text.get_text() for text in figure.axes[0].texts]
    assert "1 ≻ 3 ≻ 2\n3 ≻ 1 ≻ 2\n{1, 3} ≻ 2" in shown
    assert sum(text.count("\n") + 1 for text in shown) == 13


def test_the_polytope_and_the_features_are_where_they_should_be():
    groups = [[0], [1], [2]]
    figure = plot_polytope(TRIANGLE, [groups])
    faces, cones = figure.axes
    to_plane = pictures.AXES
    corners = faces.patches[0].get_xy()[:-1]
    expected = BasePolytope(TRIANGLE).vertices() @ to_plane
    # Rounded, so that corners at the same height come in the same order.
    found, expected = (sorted(points.round(9).tolist()) for points in (corners, expected))
    assert_allclose(found, expected, atol=1e-9)
    marked = [line.get_xydata()[0] for line in cones.lines if line.get_marker() == "o"]
    phi = MajorantCone(TRIANGLE, groups).min_norm_point() @ to_plane
    assert_allclose(marked, [np.zeros(2), phi], atol=1e-12)
    # The apex of the majorant cone is the vertex of the order.
    tips = np.vstack([patch.get_xy() for patch in cones.patches[1:]])
    vertex = BasePolytope(TRIANGLE).vertex([0, 1, 2]) @ to_plane
    assert np.linalg.norm(tips - vertex, axis=1).min() < 1e-9


@pytest.mark.parametrize("family", KINDS)
def test_every_family_can_be_drawn(family):
    figure = plot_polytope(make_case(family, 3, 2).function)
    figure.canvas.draw()
    for axes in figure.axes:
        assert np.isfinite([*axes.get_xlim(), *axes.get_ylim()]).all()


def test_no_text_is_clipped():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    names = ["a very long name", "another long name", "yet a longer name"]
    figure = plot_polytope(TRIANGLE, items=names)
    FigureCanvasAgg(figure).draw()
    renderer = figure.canvas.get_renderer()
    texts = [text for axes in figure.axes for text in (axes.title, axes._left_title)]
    texts += [text for axes in figure.axes for text in axes.texts]
    for text in (*figure.texts, *texts):
        box = text.get_window_extent(renderer)
        assert box.x0 >= figure.bbox.x0, text
        assert box.x1 <= figure.bbox.x1, text
    for text in (axes._left_title for axes in figure.axes):
        assert text.get_window_extent(renderer).x1 <= text.axes.bbox.x1


def test_only_three_items():
    with pytest.raises(InputError, match=r"three items; got 4"):
        plot_polytope(Modular([1, 2, 3, 4]))
    with pytest.raises(InputError, match="2 values for 3 items"):
        plot_polytope(TRIANGLE, items="ab")
