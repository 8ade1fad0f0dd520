"""The site, built strictly, in a real browser: nothing overflows or complains, search works."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from chromium import PATIENCE, WIDER

HOME = Path(__file__).parents[1]

pytestmark = pytest.mark.slow

BROKEN = "[...document.images].filter((i) => i.complete && !i.naturalWidth).map((i) => i.src)"
ASK = """(() => {
  const box = document.querySelector("input.md-search__input");
  box.focus();
  box.value = "consensus";
  box.dispatchEvent(new Event("input", { bubbles: true }));
  box.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
})()"""
FOUND = "document.querySelectorAll('.md-search-result__item').length"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs", reason="make docs installs what builds the site")
    place = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", place],
        cwd=HOME,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        check=True,
    )
    return place


@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_overflows_or_complains(show, site, width):
    pages = [page for page in sorted(site.rglob("*.html")) if page.name != "404.html"]
    assert len(pages) > 40
    with show(pages[0], width) as shown:
        for page in pages:
            shown.visit(page)
            assert shown.evaluate(WIDER) <= 0, page
            assert shown.evaluate(BROKEN) == [], page
            assert shown.errors() == [], page


def test_no_markup_is_left_in_the_reference(site):
    """Roles become names, and what stands in a formula is no attribute of an element."""
    for page in sorted((site / "reference").glob("*.html")):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r":(func|class|meth|mod|attr):", text), page
        assert not re.search(r"<(em|strong) ", text), page


def test_search_works_without_a_network(show, site):
    with show(site / "index.html", 1280) as shown:
        shown.evaluate(ASK)
        deadline = time.monotonic() + PATIENCE
        while not shown.evaluate(FOUND) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert shown.evaluate(FOUND) >= 3
        assert shown.errors() == []


# What people look for, and the page that they should find.
WANTED = {
    "Elo": "leaderboards.html",
    "leaderboard": "leaderboards.html",
    "critical-difference diagram": "leaderboards.html",
    "Friedman": "leaderboards.html",
    "Bradley–Terry": "strengths.html",
    "Plackett–Luce": "strengths.html",
    "MaxDiff": "utilities.html",
    "best–worst": "utilities.html",
    "conjoint": "jobs.html",
    "utilities": "utilities.html",
    "Kemeny": "consensus.html",
    "RCV": "jobs.html",
    "EASE": "complete.html",
    "Kendall tau": "jobs.html",
    "rank-biased overlap": "kernels.html",
    "Qualtrics": "survey-tools.html",
    "weights": "consensus.html",
    "rologit": "coming-from.html",
    "reticulate": "from-r.html",
    "GroupComparison": "reference/comparison.html",
    "Consensus": "reference/consensus.html",
}


@pytest.mark.parametrize("word", WANTED)
def test_the_search_index_knows_where(site, word):
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    pages = {
        entry["location"].partition("#")[0]
        for entry in index["docs"]
        if word.lower() in f"{entry['title']} {entry['text']}".lower()
    }
    assert WANTED[word] in pages
