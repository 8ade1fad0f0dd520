"""The page about rankings in a real browser: widths, mouse, keyboard, search and sorting."""

import pytest
from chromium import COLLIDING, CUT, WIDER, find_chromium, opened

from rankcut import RankingSet, load_lunch, make_mallows, report

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_chromium() is None, reason="no Chromium"),
]

LIT = "document.querySelectorAll('[data-item].on').length"
SAID = "document.getElementById('said').textContent"


def press(key, target="document.activeElement"):
    return f"{target}.dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}', bubbles: true}}))"


def search(words):
    return (
        f"(() => {{ const field = document.getElementById('find'); field.value = '{words}';"
        "field.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def hostile():
    votes = make_mallows(60, 12, phi=0.9, kind="top-k", k=5, random_state=0)
    labels = tuple(f"<script>alert({k})</script> a long 'name' \"{k}\"" for k in range(12))
    return report(RankingSet(votes.ranks, labels), unranked="last")


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("make", [lambda: report(load_lunch(), by="guest"), hostile])
def test_nothing_overflows_is_cut_or_complains(tmp_path, make, width):
    file = tmp_path / "page.html"
    make().save(file)
    with opened(find_chromium(), file, width, tmp_path / "profile") as page:
        assert page.evaluate(WIDER) <= 0
        assert page.evaluate(CUT) == []
        assert page.evaluate(COLLIDING) == []
        assert page.errors() == []


@pytest.mark.parametrize("width", [390, 1280])
def test_an_item_is_followed_by_mouse_keyboard_and_search(tmp_path, width):
    file = tmp_path / "page.html"
    report(load_lunch(), by="guest").save(file)
    with opened(find_chromium(), file, width, tmp_path / "profile") as page:
        assert page.evaluate(LIT) == 0
        fire = "new MouseEvent('click', {bubbles: true})"
        page.evaluate(f"document.querySelector('circle[data-item=\"6\"]').dispatchEvent({fire})")
        assert page.evaluate(SAID).startswith("cake: place 7 of 8")
        panels = "new Set([...document.querySelectorAll('.on')].map((e) => e.closest('section')))"
        # Consensus, places, pairs, map, groups and graph.
        assert page.evaluate(f"{panels}.size") == 6
        page.evaluate(press("Escape", "document.body"))
        assert (page.evaluate(LIT), page.evaluate(SAID)) == (0, "")
        page.evaluate("document.querySelector('button.item').focus()")
        for kind in ("keyDown", "keyUp"):
            page.browser.send(
                "Input.dispatchKeyEvent",
                page.session,
                type=kind,
                key="Enter",
                code="Enter",
                text="\r",
                windowsVirtualKeyCode=13,
            )
        assert page.evaluate(SAID).startswith("gelato: place 1 of 8")
        assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
        page.evaluate(search("BISC"))
        assert page.evaluate(SAID).startswith("biscuit: place 8 of 8")
        page.evaluate(search("no such thing"))
        assert (page.evaluate(LIT), page.evaluate(SAID)[:7]) == (0, "No item")
        page.evaluate("document.getElementById('clear').click()")
        assert page.evaluate(SAID) == ""
        assert page.errors() == []


def test_tables_are_sorted_and_drawings_answer_the_arrow_keys(tmp_path):
    file = tmp_path / "page.html"
    report(load_lunch(), by="guest").save(file)
    with opened(find_chromium(), file, 1280, tmp_path / "profile") as page:
        names = "[...document.querySelectorAll('table')[0].tBodies[0].rows].map("
        names += "(row) => row.cells[1].textContent)"
        by_place = page.evaluate(names)
        page.evaluate("document.querySelectorAll('button.sort')[1].click()")
        assert page.evaluate(names) == sorted(by_place)
        page.evaluate("document.querySelectorAll('button.sort')[1].click()")
        assert page.evaluate(names) == sorted(by_place, reverse=True)
        sorted_by = "document.querySelectorAll('th')[1].getAttribute('aria-sort')"
        assert page.evaluate(sorted_by) == "descending"
        page.evaluate("document.querySelector('.card svg').focus()")
        page.evaluate(press("ArrowRight"))
        assert "gelato, place 1: " in page.evaluate("document.getElementById('tip').textContent")
        assert page.errors() == []
