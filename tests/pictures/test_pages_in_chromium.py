"""Pages in a real browser: nothing overflows, nothing is cut, nothing complains."""

import numpy as np
import pytest
from chromium import COLLIDING, CUT, WIDER
from commands import succeed

from rankcut import RankingSet, make_mallows, write_file

pytestmark = pytest.mark.slow

HOSTILE = "<img src=x onerror=alert(1)> and a name that goes on and on"


@pytest.fixture
def crowded(tmp_path):
    """Many items and groups with long and hostile names; two items are never compared."""
    ranks = make_mallows(156, 45, phi=0.9, random_state=0).ranks
    ranks[:78, 0] = ranks[78:, 1] = np.nan
    items = (HOSTILE, *(f"Item {k} with a longer name" for k in range(44)))
    towns = np.array([HOSTILE, *(f"town {k} with a long name" for k in range(51))], dtype=object)
    votes = RankingSet(ranks, items, columns={"town": towns[np.arange(156) % 52]})
    write_file(votes, tmp_path / "votes.csv")
    return tmp_path / "votes.csv"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    "command",
    [
        *("map --by town", "consensus", "graph --learn agreement --neighbors 2", "transfers"),
        *("compare --by town --n-permutations 19", "blocs -k 3 --by town"),
    ],
)
def test_nothing_overflows_is_cut_or_complains(show, crowded, command, width):
    target, title = crowded.with_suffix(".html"), ["--title", HOSTILE]
    unranked = [] if command == "transfers" else ["--unranked", "anywhere"]
    name, *options = command.split()
    succeed(name, crowded, *options, *title, *unranked, "-o", target)
    with show(target.read_text(encoding="utf-8"), width) as page:
        assert page.evaluate(WIDER) <= 0
        assert page.evaluate(CUT) == []
        assert page.evaluate(COLLIDING) == []
        assert page.errors() == []


def test_places_need_no_scrolling_on_a_telephone(show, tmp_path):
    succeed("consensus", "lunch:full", "--by", "guest", "-o", tmp_path / "page.html")
    with show((tmp_path / "page.html").read_text(encoding="utf-8"), 390) as page:
        assert page.evaluate(WIDER) <= 0
        table = "document.querySelector('.wide')"
        assert page.evaluate(f"{table}.scrollWidth <= {table}.clientWidth")


def test_hovering_and_picking_on_a_map(show):
    with show(succeed("map", "lunch:full", "--by", "guest", "-o", "-"), 1280) as page:
        fire = "new PointerEvent('pointerover', {bubbles: true})"
        page.evaluate(f"document.querySelector('circle[data-tip]').dispatchEvent({fire})")
        shown = page.evaluate("document.getElementById('tip').textContent")
        assert "1" in shown
        assert ">" in shown
        tipped = "document.getElementById('tip').getBoundingClientRect()"
        assert page.evaluate(f"{tipped}.right <= innerWidth && {tipped}.left >= 0")
        page.evaluate("document.querySelector('button.pick').click()")
        lit = page.evaluate("document.querySelectorAll('circle.lit').length")
        assert lit == 24
        page.evaluate("document.querySelector('button.pick').click()")
        assert not page.evaluate("document.body.classList.contains('picked')")
        page.evaluate("document.querySelector('svg').focus()")
        key = "new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true})"
        for _ in range(2):
            page.evaluate(f"document.querySelector('svg').dispatchEvent({key})")
        assert page.evaluate("document.getElementById('tip').textContent") != shown
        assert page.errors() == []
