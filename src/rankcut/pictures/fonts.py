"""Fonts for signs of any script, where Matplotlib's usual font lacks some of a picture's."""

import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from rankcut.pictures.scene import Picture, Text
from rankcut.pictures.theme import import_figure

# Signs that are not drawn: they join others, choose how these look, or are spaces.
_WITHOUT_SHAPE = ("Cf", "Cc", "Mn", "Zs", "Zl", "Zp")

# Signs that a note lists.
_MOST_NAMED_SIGNS = 5


@contextmanager
def fonts_for(picture: Picture) -> Iterator[None]:
    """Draw with fonts that have the signs of a picture; a warning says which no font here has."""
    # Which says how to install Matplotlib.
    import_figure()
    import matplotlib

    words = [picture.title, picture.said]
    for legend in picture.legends:
        words += [legend.name, *(key.words for key in legend.keys)]
    words += [shape.words for shape in picture.scene.shapes if isinstance(shape, Text)]
    signs = {sign for sign in "".join(words) if not sign.isascii()}
    families, lacking = _families(
        frozenset(sign for sign in signs if unicodedata.category(sign) not in _WITHOUT_SHAPE)
    )
    if lacking:
        some = " ".join(lacking[:_MOST_NAMED_SIGNS]) + " …" * (len(lacking) > _MOST_NAMED_SIGNS)
        warnings.warn(
            f"no font here has {some}, drawn as boxes: install one that has, such as Noto Sans CJK "
            "or Noto Emoji, or write .svg or .html",
            UserWarning,
            stacklevel=1,
        )
    with matplotlib.rc_context({"font.family": [*matplotlib.rcParams["font.family"], *families]}):
        yield


@cache
def _families(signs: frozenset[str]) -> tuple[list[str], list[str]]:
    """Families beside the usual one that have some of the signs, and the signs that none has."""
    from matplotlib.font_manager import FontProperties, findfont, fontManager

    lacking = {ord(sign) for sign in signs}
    if lacking:
        lacking -= _codes(findfont(FontProperties()))
    families = []
    fonts = [font for font in fontManager.ttflist if font.style == "normal"]
    # Matplotlib's last resort has a box for each script.
    files = {font.name: font.fname for font in fonts if not font.name.startswith("Last Resort")}
    # Fonts without serifs first.
    for family in sorted(files, key=lambda name: ("Sans" not in name, name)) if lacking else ():
        covered = lacking & _codes(files[family])
        families += [family] * bool(covered)
        lacking -= covered
    return families, sorted(map(chr, lacking))


@cache
def _codes(file: str) -> frozenset[int]:
    """The signs that a font has, by number; none of one that Matplotlib cannot scale."""
    from matplotlib.ft2font import FT2Font

    try:
        font = FT2Font(file)
        return frozenset(font.get_charmap()) if font.scalable else frozenset()
    except (OSError, RuntimeError):
        return frozenset()
