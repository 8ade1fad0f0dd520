"""``rankcut report``, ``demo``, which writes one, and ``map``."""

import re
from itertools import permutations

import pytest
from commands import fail, succeed

ROWS = list(enumerate([*permutations((1, 2, 3))] * 7))[:40]


def test_the_page_of_a_file(lunch):
    succeed("report", "full.csv", "--by", "guest", "--items", "dishes.csv", "-o", "page.html")
    page = (lunch / "page.html").read_text(encoding="utf-8")
    assert "Groups by guest" in page
    assert "The given graph" in page
    assert "<footer" in page
    assert "full.csv, " in page
    assert (
        succeed("report", "full.csv", "--by", "guest", "--items", "dishes.csv", "-o", "-") == page
    )


def test_the_options_of_other_commands(lunch):
    lines = ["a,b,c,w,who,side"]
    lines += [f"{a},{b},{c},{1 + k % 3 / 2},p{k // 2},{'ab'[k // 2 % 2]}" for k, (a, b, c) in ROWS]
    (lunch / "votes.csv").write_text("\n".join(lines))
    told = succeed(
        *("report", "votes.csv", "--by", "side", "--people", "who", "--weight", "w"),
        *("--item-columns", "a,b,c", "--title", "Three", "-o", "-"),
    )
    assert "<h1>Three</h1>" in told
    assert "survey weights" in told
    assert "<dt>people</dt><dd>20</dd>" in told


def test_mistakes_leave_no_file(lunch):
    fail("report", "full.csv", says="-o report.html")
    fail("report", "top-k.csv", "-o", "page.html", says="--unranked last")
    fail("report", "full.csv", "--by", "town", "-o", "page.html", says="no column 'town'")
    (lunch / "one.csv").write_text("a,b,town\n1,2,Nara\n2,1,Nara\n")
    says = "column 'town' has a single value, 'Nara'; compare two groups or more"
    fail("report", "one.csv", "--by", "town", "-o", "page.html", says=says)
    fail("report", "full.csv", "-o", "page.pdf", says="html")
    assert not (lunch / "page.html").exists()


def test_the_demo_finds_two_camps_and_leaves_a_page(tmp_path):
    page = tmp_path / "demo.html"
    said = succeed("demo", "-o", page)
    for words in (
        "made-up",
        "Groups differ (p ≤ 0.0001)",
        "- People fall into 2 camps. Each agrees more",
    ):
        assert words in said
    assert len(re.findall(r"^  rankcut \w+ YOURS.csv", said, re.MULTILINE)) == 3
    assert page.as_uri() in said
    assert "made-up" in page.read_text(encoding="utf-8")
    # The command of blocs says the same.
    assert "People fall into 2 camps." in succeed("blocs", "lunch:full")
    assert succeed("demo", "-o", "-").startswith("<!doctype html>")
    fail("demo", "-o", "demo.xyz", says="write a .html file")
    fail("demo", "-o", tmp_path / "nowhere" / "demo.html", says="there is no directory")


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "html"])
def test_map_in_each_format(lunch, suffix):
    starts = {"png": b"\x89png", "svg": b"<?xml", "pdf": b"%pdf", "html": (b"<!doctype", b"<html")}
    color = ["--by", "guest"] if suffix in ("svg", "html") else []
    succeed("map", "full.csv", "-o", f"map.{suffix}", *color)
    content = (lunch / f"map.{suffix}").read_bytes()
    assert content.lower().startswith(starts[suffix])
    assert suffix != "html" or b"g01: cake" in content
    assert not list(lunch.glob(".map*"))


@pytest.mark.parametrize("suffix", ["svg", "pdf"])
def test_the_same_picture_is_the_same_bytes(lunch, suffix):
    succeed("consensus", "full.csv", "-o", f"one.{suffix}", "-o", f"other.{suffix}")
    content = (lunch / f"one.{suffix}").read_bytes()
    assert content == (lunch / f"other.{suffix}").read_bytes()
    assert b"<dc:date>" not in content
    assert b"/CreationDate" not in content


def test_map_coloured_by_a_number(lunch):
    (lunch / "aged.csv").write_text("age,a,b,c\n30,1,2,3\n40,3,1,2\n,2,1,3\n")
    for suffix in ("png", "html"):
        succeed("map", "aged.csv", "-o", f"map.{suffix}", "--by", "age")
    fail("map", "aged.csv", "-o", "map.png", "--by", "town", says="no column 'town'")
    (lunch / "town.csv").write_text("town,a,b,c\nKobe,1,2,3\n,3,1,2\nNara,2,1,3\n")
    for suffix in ("svg", "html"):
        succeed("map", "town.csv", "-o", f"map.{suffix}", "--by", "town")
        assert "unknown" in (lunch / f"map.{suffix}").read_text()
    (lunch / "one.csv").write_text("a,b\n1,2\n")
    fail("map", "one.csv", "-o", "map.png", says="two rankings")
