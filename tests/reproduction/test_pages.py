"""Reports as HTML, Markdown, CSV and JSON."""

import csv
import io
import json

import pytest
from matplotlib.figure import Figure

from reproduction.findings import (
    Claim,
    Document,
    Key,
    Outcome,
    Picture,
    Section,
    Sheet,
    Verdict,
    as_csv,
    as_json,
)
from reproduction.html_page import html_page
from reproduction.markdown import markdown_page

EVIL = '<script>alert("1 & 2")</script>'


@pytest.fixture
def document():
    figure = Figure()
    figure.subplots().plot([1, 2])
    rows = [{"kernel": EVIL, "F1": 0.123456, "seeds": 1250}, {"kernel": "a|b", "F1": float("nan")}]
    published = Verdict(Outcome.HOLDS, f"Numbers {EVIL}")
    section = Section(
        "part",
        f"Title {EVIL}",
        f"Prose **bold** {EVIL}\n\n- one\n- two",
        [
            (
                Claim(f"It is {EVIL}", "Section 1"),
                Verdict(Outcome.FAILS, f"-0.5, not {EVIL}", published),
            )
        ],
        {"part-figure": Picture({EVIL: figure}, f"Caption {EVIL}", [Key("Kendall", "#000", "--")])},
        [Sheet(rows, "Scores", {"F1": ".2f"})],
        {"part-scores": rows},
    )
    return Document(f"Report {EVIL}", "Lead.", [section])


def test_html_escapes_and_embeds(document):
    page = html_page(document)
    assert "<script" not in page
    assert "&lt;script&gt;alert(&quot;1 &amp; 2&quot;)" in page
    assert page.count('src="data:image/svg+xml;base64,') == page.count("<img") == 1
    # Nothing is fetched.
    assert "http" not in page.replace("https://", "")
    assert "https://" not in page
    assert '<span class="badge fails">does not hold</span>' in page
    assert '<span class="badge holds">holds</span> Numbers' in page
    assert 'stroke-dasharray="6 4"' in page
    assert '<section id="part">' in page
    assert '<a href="#part">' in page
    assert '<td class="number">0.12</td>' in page
    assert '<td class="number">1,250</td>' in page
    assert "−0.5" in page
    assert "<li>one</li>" in page


def test_wide_tables_say_that_they_scroll_and_narrow_ones_do_not():
    def page(n_columns):
        rows = [{f"column {number}": number for number in range(n_columns)}]
        section = Section("part", "Part", "Prose.", sheets=[Sheet(rows, "Numbers")])
        return html_page(Document("Report", "Lead.", [section])).partition("<body>")[2]

    assert "Scroll sideways" in page(8)
    assert "Scroll sideways" not in page(3)


def test_the_paper_is_cited():
    cited = html_page(Document("Report", "Lead.", [], "@article{a & b}"))
    assert "<pre>@article{a &amp; b}</pre>" in cited
    assert "```bibtex\n@article{a & b}\n```" in markdown_page(
        Document("Report", "Lead.", [], "@article{a & b}")
    )


def test_markdown(document):
    page = markdown_page(document)
    assert (
        "Verdicts: 0 holds, 0 holds in part, 1 does not hold, 0 not decided, 0 not checked." in page
    )
    assert "| ✗ does not hold | ✓ holds | [It is" in page
    assert "As published: **✓ holds**. Numbers" in page
    assert "Kendall (--)" in page
    assert "a\\|b" in page
    assert "(figures/part-figure-1.svg)" in page
    assert "[part-scores.csv](part-scores.csv)" in page


def test_tables_as_files(document):
    rows = document.sections[0].tables["part-scores"]
    again = list(csv.DictReader(io.StringIO(as_csv(rows))))
    assert again[0] == {"kernel": EVIL, "F1": "0.123456", "seeds": "1250"}
    assert again[1]["seeds"] == ""
    assert json.loads(as_json(rows))[1] == {"kernel": "a|b", "F1": None}
