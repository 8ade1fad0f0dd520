"""Elements of pages: whatever a label says, it stays text."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from rankcut.pictures.page import Html, draw_svg, fill, page, table, tag, track
from rankcut.pictures.scene import Dot, Mark, Part, Scene, Text

# A parser turns these into others, or drops them, wherever they are.
words = st.text(st.characters(exclude_characters="\x00\r", exclude_categories=["Cs"]))


class Reader(HTMLParser):
    """Elements with their attributes, and all text."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


@given(words, words)
def test_text_and_attributes_are_read_as_they_were_written(said, tip):
    read = Reader(tag("p", said, tag("b", said), data_tip=tip))
    assert read.text == said + said
    assert [name for name, _ in read.elements] == ["p", "b"]
    assert read.elements[0][1].get("data-tip", "") == tip


@given(words)
def test_drawings_tables_and_templates_escape_too(said):
    scene = Scene(9, 9, [Text(said, 1, 1), Mark(1, 1, 1, [Part("#000000")], tip=said)], said)
    drawn = Reader(draw_svg(scene))
    assert drawn.text == said.replace("\n", "")
    names = [name for name, _ in drawn.elements if name != "tspan"]
    assert names == ["svg", "text", "circle"]
    listed = Reader(table([said], [[said], [track([Dot(1, "#000000")], (1, 2), said)]]))
    assert listed.text == said + said
    assert Reader(fill("<b>$name</b>", name=said)).text == said


def test_html_stays_and_empty_attributes_are_left_out():
    assert (
        tag("p", Html("<br>"), kind="", data_item=None, data_pick=0) == '<p data-pick="0"><br></p>'
    )
    assert fill("$a $b", a="<", b=Html("<br>")) == "&lt; <br>"


def test_a_page_has_its_own_style_and_script_after_those_of_all_pages():
    made = page("Title", tag("h1", "Hello"), style=".own {}", script="own();")
    assert made.index("svg .rim") < made.index(".own {}") < made.index("</style>")
    assert made.index('"pointerover"') < made.index("own();") < made.index("</body>")
    assert "http" not in made
