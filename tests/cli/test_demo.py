"""``rankcut demo`` as a user runs it."""

import re

from commands import fail, succeed
from typer.testing import CliRunner

from rankcut.cli import app


def test_finds_two_camps_and_leaves_a_page(tmp_path):
    page = tmp_path / "demo.html"
    said = succeed("demo", "-o", page)
    assert "made-up" in said
    (together,) = re.findall(r"Kendall's W, is ([\d.]+) \(0 = none, 1 = full\)\.", said)
    ((first, second, before),) = re.findall(
        r"Kendall's W is ([\d.]+) and ([\d.]+) instead of ([\d.]+)\.", said
    )
    assert before == together
    assert float(together) < 0.1 < float(second) < float(first)
    for words in ("People fall into 2 camps", "Each camp agrees more", "of 8 dishes"):
        assert words in said
    assert "48 of 48 guests are in the camp of their kind." in said
    assert "Groups differ (p ≤ 0.001)" in said
    assert "sausage for a juicy eater and gelato for a sweet tooth" in said
    assert len(re.findall(r"^  rankcut \w+ YOURS.csv", said, re.M)) == 3
    assert page.as_uri() in said
    text = page.read_text(encoding="utf-8")
    assert text.count("<h2") == 5
    assert text.count('class="track"') == 8 + 8 + 2 * 8
    assert "made-up" in text
    # The report and the command of blocs say the same.
    assert "People fall into 2 camps." in succeed("report", "lunch:full", "-o", "-")
    assert "People fall into 2 camps." in succeed("blocs", "lunch:full")
    assert len(text) < 200_000


def test_a_page_on_standard_output():
    assert CliRunner().invoke(app, ["demo", "-o", "-"]).stdout.startswith("<!doctype html>")


def test_mistakes(tmp_path):
    fail("demo", "-o", "demo.xyz", says="write a .html file")
    fail("demo", "-o", tmp_path / "nowhere" / "demo.html", says="there is no directory")
