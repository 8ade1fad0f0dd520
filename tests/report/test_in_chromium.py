"""The page about rankings in a real browser: widths, mouse, keyboard, dark, print, readers."""

import pytest
from chromium import COLLIDING, CUT, WIDER

from rankcut import NeighborGraph, RankingSet, make_mallows
from rankcut.datasets import load_lunch
from rankcut.report import report

pytestmark = pytest.mark.slow

LIT = "document.querySelectorAll('[data-item].on').length"
SAID = "document.getElementById('said').textContent"
TIP = "document.getElementById('tip').textContent"
FOCUSED = "document.activeElement"
WIDTHS = pytest.mark.parametrize("width", [390, 1280])
# Where an item is: its name, its place on a picture, its edge or its row.
MARKS = {
    "a name in a table": "tr[data-item='6'] button.item",
    "a card": ".card[data-item='6'] button",
    "a row of pairs": "#pairs ~ .wide text[data-item='6']",
    "an item of the graph": "circle[data-item='6']",
}
# Colours of text against what is behind it, by the rule of WCAG.
CONTRAST = """(() => {
  const channel = (v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const numbers = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = (c) => numbers(c).slice(0, 3)
    .reduce((sum, v, i) => sum + [.2126, .7152, .0722][i] * channel(v), 0);
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const found = [...document.querySelectorAll("p, td, th, h1, h2, li, dt, dd, button, a, text")]
    .filter((e) => e.textContent.trim() && e.getClientRects().length)
    .filter((e) => !e.style.fill) // numbers on coloured cells
    .map((e) => {
      const style = getComputedStyle(e), ink = light(e.matches("text") ? style.fill : style.color);
      const [high, low] = [Math.max(ink, paper), Math.min(ink, paper)];
      return [(high + .05) / (low + .05), e.textContent.slice(0, 40)];
    });
  return found.filter(([ratio]) => ratio < 4.5);
})()"""


def hostile():
    votes = make_mallows(60, 12, phi=0.9, kind="top-k", k=5, random_state=0)
    labels = tuple(f"<script>alert({k})</script> a long 'name' \"{k}\"" for k in range(12))
    return report(RankingSet(votes.ranks, labels), unranked="last")


def catalogue():
    votes = make_mallows(80, 60, phi=0.95, kind="top-k", k=20, random_state=0)
    return report(votes.ranks, [f"group {k % 9}" for k in range(80)], unranked="last")


def lunch():
    dishes = load_lunch()
    return report(dishes, by="guest", graph=NeighborGraph(dishes.item_points, n_neighbors=2))


@WIDTHS
@pytest.mark.parametrize("make", [lunch, hostile, catalogue])
def test_nothing_overflows_is_cut_or_complains(show, make, width):
    with show(make().html, width) as page:
        for scheme in ("light", "dark"):
            page.show_as(scheme=scheme)
            assert page.evaluate(WIDER) <= 0
            assert page.evaluate(CUT) == []
            assert page.evaluate(COLLIDING) == []
            assert make is not lunch or page.evaluate(CONTRAST) == []
        assert page.errors() == []


@WIDTHS
def test_an_item_is_followed_by_the_mouse(show, width):
    with show(lunch().html, width) as page:
        for where, mark in MARKS.items():
            page.click(mark)
            assert page.evaluate(SAID).startswith("cake: place 7 of 8 (95 % sure: 2 to 8)"), where
            panels = (
                "new Set([...document.querySelectorAll('.on')].map((e) => e.closest('section')))"
            )
            # Consensus, places, pairs, map, groups and graph.
            assert page.evaluate(f"{panels}.size") == 6
            page.click(mark)
            assert (page.evaluate(LIT), page.evaluate(SAID)) == (0, ""), where
        page.click(MARKS["a card"])
        page.click("#clear")
        assert page.evaluate(LIT) == 0
        page.point_at("circle[data-tip]")
        assert page.evaluate(TIP)
        assert page.errors() == []


@WIDTHS
def test_an_item_is_followed_by_the_keyboard(show, width):
    with show(lunch().html, width) as page:
        page.evaluate("document.querySelector('button.item').focus()")
        page.press("Enter")
        assert page.evaluate(SAID).startswith("gelato: place 1 of 8")
        assert page.evaluate(f"{FOCUSED}.getAttribute('aria-pressed')") == "true"
        page.press("Escape")
        assert (page.evaluate(LIT), page.evaluate(SAID)) == (0, "")
        page.evaluate("document.getElementById('find').focus()")
        for letter in "BISC":
            page.press(letter)
        assert page.evaluate(SAID).startswith("biscuit: place 8 of 8")
        page.press("Enter")
        row = "document.querySelector('tr.on').getBoundingClientRect()"
        assert page.evaluate(f"{row}.top >= 0 && {row}.bottom <= innerHeight")
        for letter in "xyz":
            page.press(letter)
        assert (page.evaluate(LIT), page.evaluate(SAID)[:7]) == (0, "No item")
        page.press("Escape")
        assert page.evaluate(SAID) == ""
        page.evaluate("document.querySelector('.card svg').focus()")
        page.press("ArrowRight")
        assert "gelato, place 1: " in page.evaluate(TIP)
        page.press("ArrowRight")
        assert "gelato, place 2: " in page.evaluate(TIP)
        page.press("ArrowLeft")
        assert "gelato, place 1: " in page.evaluate(TIP)
        assert page.errors() == []


def test_the_keyboard_reaches_everything(show):
    with show(lunch().html, 1280) as page:
        wanted = "a[href], button:not([hidden]), input, svg[tabindex], .wide[tabindex]"
        number = page.evaluate(f"document.querySelectorAll('{wanted}').length")
        seen = "(window.seen ??= new Set()).add(document.activeElement).size"
        for _ in range(number):
            page.press("Tab")
            reached = page.evaluate(seen)
        assert reached == number


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_tables_are_sorted(show, press):
    with show(lunch().html, 1280) as page:
        names = "[...document.querySelectorAll('table')[0].tBodies[0].rows].map("
        names += "(row) => row.cells[1].textContent)"
        by_place = page.evaluate(names)
        for expected in (sorted(by_place), sorted(by_place, reverse=True)):
            if press == "mouse":
                page.click("th:nth-child(2) button.sort")
            else:
                page.evaluate("document.querySelector('th:nth-child(2) button.sort').focus()")
                page.press("Enter")
            assert page.evaluate(names) == expected
        sorted_by = "document.querySelectorAll('th')[1].getAttribute('aria-sort')"
        assert page.evaluate(sorted_by) == "descending"
        assert page.errors() == []


def test_readers_are_told_what_each_thing_is(show):
    with show(lunch().html, 1280) as page:
        nodes = page.send("Accessibility.getFullAXTree")["nodes"]
        roles = ("button", "link", "searchbox", "textbox", "image", "table", "columnheader")
        found = [
            (node["role"]["value"], node.get("name", {}).get("value", "").strip())
            for node in nodes
            if not node["ignored"] and node["role"]["value"] in roles
        ]
        assert {role for role, _ in found} >= {"button", "link", "image", "columnheader"}
        assert [each for each in found if not each[1] and each[0] != "table"] == []


@WIDTHS
def test_in_print_the_page_is_light_and_has_no_tools(show, width):
    with show(lunch().html, width) as page:
        page.show_as(media="print", scheme="dark")
        assert page.evaluate("getComputedStyle(document.querySelector('.tools')).display") == "none"
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(255, 255, 255)"
        )
        assert page.evaluate(CUT) == []
        assert len(page.send("Page.printToPDF", printBackground=True)["data"]) > 10_000
