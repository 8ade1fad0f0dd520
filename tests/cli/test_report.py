"""``rankcut report``."""

from commands import fail, succeed


def test_the_page_of_a_file(lunch):
    succeed("report", "full.csv", "--by", "guest", "--items", "dishes.csv", "-o", "page.html")
    page = (lunch / "page.html").read_text(encoding="utf-8")
    assert "Groups by guest" in page
    assert "The given graph" in page
    assert (
        succeed("report", "full.csv", "--by", "guest", "--items", "dishes.csv", "-o", "-") == page
    )


def test_mistakes_leave_no_file(lunch):
    fail("report", "full.csv", says="-o report.html")
    fail("report", "top-k.csv", "-o", "page.html", says="--unranked last")
    fail("report", "full.csv", "--by", "town", "-o", "page.html", says="no column 'town'")
    fail("report", "full.csv", "-o", "page.pdf", says="html")
    assert not (lunch / "page.html").exists()
