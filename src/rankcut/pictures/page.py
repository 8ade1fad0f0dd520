"""What all pages are made of: a frame with one style, a script for hovering, and SVG pieces.

A page is one file that needs no network. The code that writes labels into it escapes them:
:func:`text` and :func:`tip` do. Elements with ``data-tip`` show that text under the mouse, a finger
or the keyboard's focus; elements with ``data-pick`` are highlighted together when one is clicked.
"""

from html import escape
from string import Template
from typing import Any

from rankcut.pictures.theme import FAINT, INK, ON_DARK, PAPER, SOFT

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<link rel="icon" href="data:,">
<style>$style</style>
</head>
<body>
<main>
$body
</main>
$script</body>
</html>
""")

# Groups' colours are the variables --c0, --c1, …; then come those of the others and of the unknown.
_DARK = {"ink": "#e7e9ec", "soft": "#a4acb4", "faint": "#3a4149", "paper": "#14171b"}
_DARK |= {f"c{k}": value for k, value in enumerate(ON_DARK.values())}
_LIGHT = {"ink": INK, "soft": SOFT, "faint": FAINT, "paper": PAPER}
_LIGHT |= {f"c{k}": value for k, value in enumerate(ON_DARK)}


def _variables(look: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in look.items())


STYLE = f"""
:root {{ color-scheme: light dark; {_variables(_LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_variables(_DARK)} }} }}
@media print {{ :root {{ {_variables(_LIGHT)} }} }}
@media screen and (prefers-color-scheme: dark) {{ svg .rim {{ fill-opacity: .9; }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", Arial, sans-serif; }}
main {{ margin: 0 auto; max-width: 62rem; padding: 1.2rem 1rem 3rem; }}
h1 {{ font-size: 1.45rem; line-height: 1.3; margin: 0 0 .2rem; text-wrap: balance;
  overflow-wrap: anywhere; }}
h2 {{ font-size: 1.12rem; margin: 2rem 0 .4rem; overflow-wrap: anywhere; }}
p {{ margin: .3rem 0; overflow-wrap: anywhere; }}
.soft {{ color: var(--soft); }} p.soft, ul.soft {{ font-size: .92rem; }}
figure {{ margin: .8rem 0; }}
svg {{ display: block; width: 100%; height: auto; }}
svg text {{ fill: var(--ink); font-family: inherit; }}
svg .soft {{ fill: var(--soft); }} svg .grid {{ stroke: var(--faint); fill: none; }}
svg .rim {{ stroke: var(--paper); stroke-width: .8; }}
svg .halo {{ paint-order: stroke; stroke: var(--paper); stroke-width: 3.5px; stroke-opacity: .85;
  stroke-linejoin: round; }}
svg .edge {{ stroke: var(--soft); }}
svg .arrow {{ stroke: var(--ink); fill: var(--ink); opacity: .65; stroke-width: 1.2; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .25rem .7rem; text-align: left; border-bottom: 1px solid var(--faint); }}
th {{ color: var(--soft); font-weight: normal; }} .number {{ text-align: right; }}
.keys {{ display: flex; flex-wrap: wrap; gap: .2rem .9rem; list-style: none; margin: .5rem 0;
  padding: 0; font-size: .92rem; }}
.key {{ display: inline-block; width: .75em; height: .75em; border-radius: 50%;
  margin-right: .4em; }}
button.pick {{ all: unset; cursor: pointer; border-radius: .3rem; padding: 0 .2rem;
  overflow-wrap: anywhere; }}
button.pick:focus-visible, svg:focus-visible {{ outline: 2px solid var(--c0); }}
.picked [data-pick] {{ opacity: .12; }} .picked [data-pick].lit {{ opacity: 1; }}
#tip {{ position: absolute; z-index: 9; max-width: min(22rem, 86vw); padding: .4rem .6rem;
  border: 1px solid var(--faint); border-radius: .4rem; background: var(--paper);
  box-shadow: 0 2px 10px #0003; font-size: .86rem; white-space: pre-line; pointer-events: none;
  overflow-wrap: anywhere; }}
#tip[hidden] {{ display: none; }}
.current {{ stroke: var(--ink) !important; stroke-width: 2 !important; }}
@media (max-width: 600px) {{ .roomy {{ display: none; }} th, td {{ padding: .25rem .35rem; }} }}
@media (min-width: 601px) {{ .narrow {{ display: none; }} }}
"""

SCRIPT = """<script>
(() => {
  const tip = document.createElement("div");
  tip.id = "tip"; tip.hidden = true; tip.setAttribute("role", "status");
  document.body.append(tip);
  let current = null;
  const show = (mark) => {
    if (current) current.classList.remove("current");
    current = mark;
    tip.hidden = !mark;
    if (!mark) return;
    mark.classList.add("current");
    tip.textContent = mark.dataset.tip;
    const box = mark.getBoundingClientRect(), width = document.documentElement.clientWidth;
    tip.style.left = tip.style.top = "0";
    const left = Math.min(box.right + 8, width - tip.offsetWidth - 8);
    let top = box.bottom + 8;
    if (top + tip.offsetHeight > innerHeight && box.top > tip.offsetHeight + 8) {
      top = box.top - tip.offsetHeight - 8;
    }
    tip.style.left = Math.max(8, left) + scrollX + "px";
    tip.style.top = top + scrollY + "px";
  };
  const over = (event) => {
    const mark = event.target.closest("[data-tip]");
    if (mark !== current) show(mark);
  };
  document.addEventListener("pointerover", over);
  document.addEventListener("click", (event) => {
    over(event);
    const button = event.target.closest("button.pick");
    if (!button) return;
    const chosen = button.getAttribute("aria-pressed") === "true" ? null : button.dataset.key;
    document.querySelectorAll("button.pick").forEach((each) =>
      each.setAttribute("aria-pressed", String(each.dataset.key === chosen)));
    document.querySelectorAll("[data-pick]").forEach((each) =>
      each.classList.toggle("lit", each.dataset.pick === chosen));
    document.body.classList.toggle("picked", chosen !== null);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(null);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const drawing = event.target.closest && event.target.closest("svg");
    if (!step || !drawing) return;
    const marks = [...drawing.querySelectorAll("[data-tip]")];
    if (!marks.length) return;
    event.preventDefault();
    show(marks[(marks.indexOf(current) + step + marks.length) % marks.length]);
  });
})();
</script>
"""


def page(title: str, body: str, *, script: bool = False, style: str = "") -> str:
    """A whole page.

    Parameters
    ----------
    title : str
        Title of the window; it is escaped.
    body : str
        HTML in which every label is escaped.
    script : bool
        Whether the page has tips and things to pick.
    style : str
        CSS for this page only.

    Examples
    --------
    >>> "<title>A &lt; B</title>" in page("A < B", "<h1>Hello</h1>")
    True
    """
    return _PAGE.substitute(
        title=escape(title), style=STYLE + style, body=body, script=SCRIPT if script else ""
    )


def text(words: Any, x: float, y: float, size: float, kind: str = "", anchor: str = "") -> str:
    """SVG text, escaped.

    >>> text("<b>", 1, 2, 12)
    '<text x="1" y="2" font-size="12">&lt;b&gt;</text>'
    """
    looks = f' class="{kind}"' if kind else ""
    looks += f' text-anchor="{anchor}"' if anchor else ""
    return (
        f'<text x="{round(x, 1):g}" y="{round(y, 1):g}" font-size="{size:g}"{looks}>'
        f"{escape(str(words))}</text>"
    )


def in_css(its_colour: str) -> str:
    """A colour of the theme as a variable, which has another value in dark mode.

    >>> from rankcut.pictures.theme import colour
    >>> in_css(colour(0)), in_css("#440154")
    ('var(--c0)', '#440154')
    """
    known = list(ON_DARK)
    return f"var(--c{known.index(its_colour)})" if its_colour in known else its_colour


def tip(words: Any) -> str:
    """The attribute that shows a text when the mouse is over an element.

    >>> tip('"Ann" & Bob')
    ' data-tip="&quot;Ann&quot; &amp; Bob"'
    """
    return f' data-tip="{escape(str(words))}"'


def key(name: Any, its_colour: str, number: int | None = None) -> str:
    """An entry of a legend; with a number, a button that highlights what has that number."""
    dot = f'<span class="key" style="background:{in_css(its_colour)}"></span>{escape(str(name))}'
    if number is None:
        return f"<li>{dot}</li>"
    return (
        f'<li><button class="pick" type="button" data-key="{number}" aria-pressed="false">'
        f"{dot}</button></li>"
    )
