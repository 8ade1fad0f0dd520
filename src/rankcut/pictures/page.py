"""What all pages are made of: template, style and script, and elements that escape their text.

A page is one file that needs no network. Its template, style and script are the files beside this
module.
"""

from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from rankcut.pictures.scene import Key
from rankcut.pictures.theme import ON_DARK, VARIABLES


class Html(str):
    """Text that is HTML already; all other text is escaped."""

    __slots__ = ()


def tag(element: str, *content: Any, **attributes: Any) -> Html:
    """An element of a page.

    Text and attributes are escaped, unless they are :class:`Html`. An attribute of None or ""
    is left out; ``kind`` is the class, and underscores stand for hyphens.

    >>> tag("p", "a < b", kind="soft"), tag("circle", r=2.004, data_tip='"Ann"')
    ('<p class="soft">a &lt; b</p>', '<circle r="2" data-tip="&quot;Ann&quot;"/>')
    """
    looks = "".join(
        f' {"class" if name == "kind" else name.replace("_", "-")}="{_attribute(value)}"'
        for name, value in attributes.items()
        if value is not None and value != ""
    )
    if not content:
        return Html(f"<{element}{looks}/>")
    return Html(f"<{element}{looks}>{join(*content)}</{element}>")


def join(*content: Any) -> Html:
    """Pieces of a page after each other.

    >>> join(Html("<br>"), "<b>")
    '<br>&lt;b&gt;'
    """
    return Html("".join(each if isinstance(each, Html) else escape(str(each)) for each in content))


def _attribute(value: Any) -> str:
    # A hundredth of a pixel is more exact than can be seen.
    return f"{round(value, 2):g}" if isinstance(value, float) else escape(str(value))


@cache
def read_file(package: str, name: str) -> Html:
    """A file beside the modules of a package: a template, a style or a script."""
    return Html(files(package).joinpath(name).read_text(encoding="utf-8"))


def fill(template: str, **values: Any) -> Html:
    """A template with its values, escaped unless they are :class:`Html`.

    >>> fill("<b>$name</b>", name="A & B")
    '<b>A &amp; B</b>'
    """
    return Html(Template(template).substitute({name: join(each) for name, each in values.items()}))


def page(title: str, *body: Any, style: str = "", script: str = "") -> str:
    """A whole page.

    Parameters
    ----------
    title : str
        Title of the window.
    *body : str
        What is on it: text, and HTML by :func:`tag`.
    style, script : str
        CSS and JavaScript for this page only.

    Examples
    --------
    >>> "<title>A &lt; B</title>" in page("A < B", tag("h1", "Hello"))
    True
    """
    scripts = (read_file(__package__, "page.js"), script)
    filled = fill(
        read_file(__package__, "page.html"),
        title=title,
        light=_variables(dark=False),
        dark=_variables(dark=True),
        style=Html(read_file(__package__, "page.css") + style),
        body=join(*(line for each in body for line in (each, Html("\n")))),
        scripts=Html("".join(f"<script>\n{each}</script>\n" for each in scripts if each)),
    )
    return str(filled)


def _variables(*, dark: bool) -> Html:
    looks = ((name, ON_DARK[value] if dark else value) for name, value in VARIABLES.items())
    return Html("".join(f"--{name}:{value};" for name, value in looks))


def in_css(its_colour: str) -> str:
    """A colour of the theme as a variable, which has another value in dark mode.

    >>> from rankcut.pictures.theme import INK, colour
    >>> in_css(colour(0)), in_css(INK), in_css("#440154")
    ('var(--c0)', 'var(--ink)', '#440154')
    """
    return _NAMES.get(its_colour, its_colour)


_NAMES = {value: f"var(--{name})" for name, value in VARIABLES.items()}


def key(entry: Key) -> Html:
    """An entry of a legend; with a group, a button that highlights it."""
    look = f"background:{in_css(entry.colour)}"
    if (entry.width, entry.height) != (12.0, 12.0):
        look += f";width:{entry.width:.0f}px;height:{entry.height:.1f}px;opacity:{entry.opacity:g}"
        look += ";border-radius:0" * (entry.width > entry.height)
    words = (tag("span", "", kind="key", style=look), entry.words)
    if entry.group is None:
        return tag("li", *words)
    button = {"type": "button", "data_key": entry.group, "aria_pressed": "false"}
    return tag("li", tag("button", *words, kind="pick", **button))
