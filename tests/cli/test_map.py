"""``rankcut map``: pictures and pages in each format."""

import pytest
from commands import fail, succeed


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
