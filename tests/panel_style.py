"""The style of the reproduction's figures."""

from matplotlib.text import Text

from reproduction import panels


def check_style(pictures):
    """Text of one size in all panels, titles within them, and one legend at most."""
    for picture in pictures.values():
        for name, figure in picture.panels.items():
            texts = [each for each in figure.findobj(Text) if each.get_text()]
            assert {text.get_fontsize() for text in texts} == {panels.TEXT}, name
            figure.draw_without_rendering()
            titles = {axes.get_title(loc="left") for axes in figure.axes}
            for text in texts:
                if text.get_text() in titles:
                    place = text.get_window_extent()
                    assert 0 <= place.x0 < place.x1 <= figure.bbox.x1, name
                    assert 0 <= place.y0 < place.y1 <= figure.bbox.y1, name
            assert not figure.legends
            assert not (picture.legend and any(axes.get_legend() for axes in figure.axes)), name
