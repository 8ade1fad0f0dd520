"""Signs of any script: a font that has them, or a note that names them."""

import warnings

import matplotlib
import pytest
from matplotlib.font_manager import FontEntry, fontManager

from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.figures import _families, draw_figure
from rankcut.pictures.scene import Dot


def picture(name):
    return dot_chart("Who is first?", "Dots.", [Row(name, [Dot(1.0, "#0072B2")])], "place")


@pytest.fixture(autouse=True)
def fresh():
    _families.cache_clear()
    yield
    _families.cache_clear()


def usual_fonts():
    return [font for font in fontManager.ttflist if font.name == "DejaVu Sans"]


def families(figure):
    return {family for text in figure.axes[0].texts for family in text.get_fontfamily()}


def test_another_font_is_taken_for_what_the_usual_one_lacks(monkeypatch):
    usual = matplotlib.rcParams["font.family"]
    assert families(draw_figure(picture("café ☕\ufe0f"))) <= {*usual}
    # The only font here that has this sign, whatever else the machine has.
    (path,) = {
        f.fname
        for f in fontManager.ttflist
        if f.name == "STIXGeneral" and f.weight == 400 and f.style == "normal"
    }
    only = [FontEntry(fname=path, name="Signs of physics", style="normal")]
    monkeypatch.setattr(fontManager, "ttflist", [*usual_fonts(), *only])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = draw_figure(picture("\u2a0b"))
    assert "Signs of physics" in families(figure)


def test_signs_that_no_font_has_are_named(monkeypatch):
    monkeypatch.setattr(fontManager, "ttflist", usual_fonts())
    with pytest.warns(UserWarning, match="no font here has 🍣 🍤, drawn as boxes"):
        draw_figure(picture("🍣 and 🍤"))
