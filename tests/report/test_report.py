"""The page about rankings: what is on it, for rankings of any kind and for hostile labels."""

import json
import re
from datetime import date
from html.parser import HTMLParser

import numpy as np
import pytest

from rankcut import ItemGraph, RankingSet, __version__, make_mallows
from rankcut.datasets import load_lunch
from rankcut.errors import InputError
from rankcut.report import report

UNRANKED = {"full": "error", "ties": "error", "top-k": "last", "incomplete": "anywhere"}
HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "' onmouseover='alert(3)",
    "&lt;b&gt; ${1} \\u003c",
)


class Reader(HTMLParser):
    """Elements of a page, and the sentence of each panel."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.said, self.inside = [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = dict(attrs).get("class") == "says"
        self.said += [""] if self.inside else []

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.said[-1] += data


@pytest.mark.parametrize("kind", UNRANKED)
def test_every_panel_says_something_whatever_the_kind(kind):
    page = report(load_lunch(kind), by="guest", unranked=UNRANKED[kind]).html
    read = Reader(page)
    assert len(read.said) == sum(tag == "h2" for tag, _ in read.elements) == 6
    assert all(said.strip().endswith(".") for said in read.said)
    assert all("aria-label" in attrs for tag, attrs in read.elements if tag == "svg")
    assert "gelato" in page
    assert not re.search(r"\b(nan|None|inf)\b", " ".join(read.said))
    assert "http" not in page


def test_hostile_labels_stay_text():
    ranks = make_mallows(40, 4, phi=0.6, random_state=0).ranks
    votes = RankingSet(ranks, HOSTILE, columns={HOSTILE[1]: np.array(HOSTILE * 10, object)})
    page = report(votes, by=HOSTILE[1], title=HOSTILE[0])
    read = Reader(page.html)
    assert [tag for tag, _ in read.elements].count("script") == 3
    assert not [tag for tag, _ in read.elements if tag == "img"]
    assert not any(name.startswith("on") for _, attrs in read.elements for name in attrs)
    assert "alert(2)" in page.html
    outside = Reader(page._repr_html_())
    assert [tag for tag, _ in outside.elements] == ["iframe"]
    assert outside.elements[0][1]["srcdoc"] == page.html


def test_counts_are_the_same_page_as_rows():
    ranks = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [1.0, 3.0, 2.0], [3.0, 2.0, 1.0]])
    town = np.array(["a", "a", "b", "b"], object)
    counted = RankingSet(ranks, ("x", "y", "z"), counts=[9, 15, 11, 25], columns={"town": town})
    once, each = report(counted, by="town"), report(counted.expanded(), by="town")
    rows = "<div><dt>file</dt><dd>4 rows with counts</dd></div>"
    assert once.html.count(rows) == 1
    assert once.html.replace(rows, "") == each.html
    weighed = report(ranks, town, sample_weight=[9, 15, 11, 25], items=["x", "y", "z"])
    assert weighed.study.places.tolist() == each.study.places.tolist()


def test_a_map_of_weighted_rankings_says_that_they_are_drawn():
    votes = make_mallows(60, 4, phi=0.6, random_state=0)
    weights = np.random.default_rng(0).uniform(0.5, 2, size=60)
    said = "rankings are drawn at random, by their weights."
    assert said in report(votes.ranks, sample_weight=weights).html
    assert said not in report(votes.ranks).html


def test_small_and_odd_sets_have_a_page_and_large_ones_stay_below_a_megabyte():
    for ranks in ([[1.0, 2.0]], [[1.0]], [[1.0, 1.0, 1.0]], [[1.0, np.nan], [np.nan, 1.0]]):
        page = report(np.array(ranks), unranked="anywhere")
        assert page.html.startswith("<!doctype html>")
    votes = make_mallows(1500, 60, phi=0.98, random_state=0)
    labels = [f"an item with a long name, number {k}" for k in range(60)]
    page = report(votes.ranks, items=labels, unranked="anywhere")
    assert len(page.html.encode()) < 1_000_000
    assert repr(page) == "Report(1,500 rankings, 40 items shown)"


def test_items_without_room_on_a_drawing_wait_until_they_are_chosen():
    votes = make_mallows(60, 40, phi=0.95, random_state=0)
    elements = Reader(report(votes.ranks).html).elements
    arrows = [attrs for tag, attrs in elements if tag == "path" and attrs["fill"] == "var(--ink)"]
    waiting = {attrs["data-item"] for attrs in arrows if attrs.get("class") == "later"}
    assert (len(arrows), len(waiting)) == (40, 24)
    labels = [(attrs.get("class"), attrs.get("data-item")) for _, attrs in elements]
    for width in ("roomy", "narrow"):
        shown = {item for kind, item in labels if kind == f"halo {width}"}
        later = {item for kind, item in labels if kind == f"halo {width} later"}
        assert len(shown) + len(later) == 40
        assert waiting <= later


def test_lines_have_the_ends_of_their_scale():
    ranks = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 4.0, 3.0], [2.0, 1.0, 4.0, 3.0]] * 12)
    groups = np.repeat(["a", "b"], 18)
    page = report(ranks, groups, items=list("wxyz")).html
    ends = re.findall(r'class="ends"[^>]*><span>(\d+)</span><span>(\d+)</span>', page)
    # Places in the consensus, and mean places of the groups: 4/3, 5/3, 11/3 and 10/3.
    assert ends == [("1", "4"), ("1", "4")]
    left = re.findall(r"Mean place of w: [^>]*><span[^>]*></span><span[^>]*left:([\d.]+)%", page)
    assert left == [f"{100 * (4 / 3 - 1) / 3:.1f}"]


def test_cells_of_pairs_are_blue_where_most_prefer_the_item_of_the_row():
    votes = RankingSet(np.array([[1.0, 2.0], [2.0, 1.0]]), ("x", "y"), counts=[3, 1])
    read = Reader(report(votes).html).elements
    cells = [attrs for _, attrs in read if " before " in attrs.get("data-tip", "")]
    assert [(own["data-tip"], own["fill"], own["fill-opacity"]) for own in cells] == [
        ("x before y: 75 %", "var(--c0)", f"{0.75 * 0.5:.2g}"),
        ("y before x: 25 %", "var(--c1)", f"{0.75 * 0.5:.2g}"),
    ]


def test_what_is_said_of_a_chosen_item():
    ranks = np.array([[1.0, 2.0, np.nan], [2.0, 1.0, 3.0], [1.0, 2.0, 3.0]])
    votes = RankingSet(ranks, ("x", "y", "z"), counts=[40, 20, 40])
    page = report(votes, unranked="last").html
    (embedded,) = re.findall(r'id="items">(.*?)</script>', page)
    assert json.loads(embedded) == [
        ["x", "place 1 of 3 (95 % sure), put first by 80 %"],
        ["y", "place 2 of 3 (95 % sure), put first by 20 %"],
        ["z", "place 3 of 3 (95 % sure), put first by 0 %, not listed by 40 %"],
    ]


def test_a_given_graph_is_drawn_by_name():
    weights = np.array([[0.0, 0.0, 0.7], [0.0, 0.0, 0.0], [0.7, 0.0, 0.0]])
    graph = ItemGraph(weights, 3, ("z", "y", "x"))
    votes = RankingSet(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]), ("x", "y", "z"))
    assert report(votes, graph=graph).panels["graph"].said == (
        "The given graph: similar items are connected. Strongest: x and z (0.70). "
        "1 item connected to none."
    )


def test_findings_link_to_their_panels_and_the_foot_says_what_this_is(tmp_path):
    page = report(load_lunch(), by="guest", source="lunch.csv")
    page.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page.html
    links = [attrs["href"][1:] for tag, attrs in Reader(page.html).elements if tag == "a"]
    panels = {attrs["id"] for tag, attrs in Reader(page.html).elements if tag == "h2"}
    assert set(links) == panels == set(page.panels)
    assert links[:2] == ["groups", "map"]
    (foot,) = re.findall("<footer.*?>(.*?)</footer>", page.html)
    assert foot == f"lunch.csv, {date.today().day} {date.today():%B %Y}, rankcut {__version__}"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"X": [[1, np.nan]]}, "unranked"),
        ({"X": [[np.nan, np.nan]], "unranked": "last"}, "nothing to report"),
        ({"X": [[1, 2]], "by": "town"}, "by is 'town', not a column"),
        ({"X": [[1, 2], [2, 1]], "sample_weight": [-0.5, 1]}, "sample_weight"),
    ],
)
def test_mistakes(arguments, says):
    with pytest.raises(InputError, match=says):
        report(**arguments)
