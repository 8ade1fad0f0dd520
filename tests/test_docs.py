"""The pages of the site: their commands run, and everything public is in the reference."""

import re
from pathlib import Path
from types import SimpleNamespace

import hooks
import pytest
import shell
import tell
from typeset import typeset

import rankcut
from rankcut.public_names import homes_beside

HOME = Path(__file__).parents[1]
PAGES = sorted((HOME / "docs").glob("*.md"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if shell.BLOCK.findall(page.read_text(encoding="utf-8"))],
    ids=lambda page: page.stem,
)
def test_commands_run(page, tmp_path):
    for block in shell.BLOCK.findall(page.read_text(encoding="utf-8")):
        shown = shell.run_commands(block, tmp_path)
        assert shown.startswith("$ ")


def test_commands_are_shown_with_their_output(tmp_path):
    shown = shell.run_commands("$ rankcut info lunch:full -n 1\n$ echo 'a b'", tmp_path)
    assert "rankings:        48" in shown
    assert shown.endswith("$ echo 'a b'\na b")
    with pytest.raises(RuntimeError, match="no-such-command"):
        shell.run_commands("$ no-such-command", tmp_path)


def test_every_public_name_is_in_one_room_of_the_reference():
    rooms = hooks.public_names()
    listed = [name for names in rooms.values() for name in names]
    assert len(listed) == len(set(listed))
    packages = {name for name, home in homes_beside(rankcut.__file__).items() if home == "rankcut"}
    assert set(homes_beside(rankcut.__file__)) - packages <= set(listed)


def test_every_page_has_a_place_in_the_navigation():
    nav = (HOME / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    named = set(re.findall(r"[\w/-]+\.md", nav))
    assert {page.name for page in PAGES} <= named
    assert {f"stories/{name}.md" for name in tell.STORIES} <= named


@pytest.mark.parametrize("name", tell.STORIES)
def test_the_page_of_a_story_is_of_its_source(name):
    page = (tell.PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert re.fullmatch(tell.pattern(name), page)
    assert "Get the data" in page
    assert page.rpartition("\n## ")[2].startswith("What we would not conclude\n")
    pictures = re.findall(r"^!\[.+\]\((.+)\)$", page, re.M)
    assert len(pictures) >= 2
    assert all((tell.PAGES / picture).stat().st_size < 150_000 for picture in pictures)


@pytest.mark.slow
@pytest.mark.parametrize("name", tell.STORIES)
def test_a_story_told_again_says_the_same(name, data_home, monkeypatch):
    monkeypatch.setenv("RANKCUT_DATA", str(data_home))
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    if tell.find_data(name) is None:
        pytest.skip(f"the data of the story {name} are not in RANKCUT_DATA")
    again, pictures = tell.tell(name, "again")
    page = (tell.PAGES / f"{name}.md").read_text(encoding="utf-8")

    def words(text):
        # Numbers may differ in their last digit from one processor to another.
        return re.sub(r"[\d█●━·.,]+", "0", " ".join(text.split("\n\n", 2)[2].split()))

    assert words(again) == words(page)
    assert set(pictures) == {path.name for path in tell.PAGES.glob(f"{name}-*.png")}


def test_results_are_small_and_say_where_they_come_from():
    results = sorted((HOME / "docs" / "results").glob("*.md"))
    assert sum(path.stat().st_size for path in results) < 250_000
    for path in results:
        text = path.read_text(encoding="utf-8")
        assert text.startswith("# ")
        facts = dict(re.findall(r"^\| (\w+) \| (.+) \|$", text.partition("\n\n")[2][:600], re.M))
        assert list(facts)[:5] == ["date", "version", "processor", "cores", "command"], path.name


RESULTS = sorted((HOME / "docs" / "results").glob("*.md"))


@pytest.mark.parametrize("page", RESULTS, ids=lambda page: page.stem)
def test_results_are_as_new_as_their_programs(page):
    """A page is of this version and its program here, or it names the commit of its run."""
    facts = dict(re.findall(r"^\| (\w+) \| (.+) \|$", page.read_text(encoding="utf-8")[:900], re.M))
    program = re.match(r"`python -m ([\w.]+)", facts["command"])
    there = program and (HOME / f"{program[1].replace('.', '/')}.py").exists()
    if "commit" not in facts:
        assert there or facts["command"].startswith("`make reproduce")
        assert facts["version"].startswith(f"rankcut {rankcut.__version__}, ")


def test_recorded_results_say_where_they_come_from():
    from benchmarks.record import header

    opening = header("growth", "python -m benchmarks.growth")
    assert opening.startswith("# Growth with size\n")
    assert header("ratings", "").startswith("# Ratings\n")
    facts = dict(re.findall(r"^\| (\w+) \| (.+) \|$", opening, re.M))
    assert list(facts) == ["date", "version", "processor", "cores", "command"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", facts["date"])
    assert facts["version"].startswith(f"rankcut {rankcut.__version__}, ")
    assert facts["command"] == "`python -m benchmarks.growth`"


def test_the_reference_says_one_thing_once():
    def mended(html, uri="reference/kernels.md"):
        page = SimpleNamespace(file=SimpleNamespace(src_uri=uri))
        return hooks.on_page_content(html, page, None, None)

    start, end = '<li class="doc-section-item field-body">\n', "</li>"
    kind = '(<code><autoref identifier="typing.Any">Any</autoref></code>)'
    said = '–\n<div class="doc-md-description">{}</div>\n'
    x, y, z = (
        f"{start}<b><code>{name}</code></b> {kind} {said.format(words)}{end}"
        for name, words in (("x", "As above."), ("y", "As above."), ("z", "Other."))
    )
    html = mended(f"<ul>{x}\n{y}\n{z}</ul> after")
    assert html.count("<li") == 2
    assert html.count("As above.") == 1
    assert "<b><code>x</code></b>, <b><code>y</code></b> –" in html
    assert html.endswith("</ul> after")
    returned = f"{start}<code>Figure</code>\n{said.format(' ')}{end}"
    assert "–" not in mended(returned)
    assert mended("<p>plain</p>") == "<p>plain</p>"
    assert ">top-k<" in mended("<i a>full</i>, <i b>top</i> - <i c>k</i>")
    names = '<details class="see-also"><p>one : First,\nto begin.\ntwo : Second.</p></details>'
    assert mended(names).count("<br>") == 1
    assert mended("0.1 ± 0.2", "results/gp.md") == "0.1\u00a0±\u00a00.2"


def test_numbers_names_and_formulas_are_typeset():
    kept = '<span style="white-space:nowrap">{}</span>'.format
    assert typeset("7 % of 1.4 s, p &lt; 0.01") == "7\u00a0% of 1.4\u00a0s, p &lt;\u00a00.01"
    assert typeset("3 small sets, .1 ± .2") == "3 small sets, .1\u00a0±\u00a0.2"
    assert typeset("<p>top-k</p>") == f"<p>{kept('top-k')}</p>"
    assert typeset("Σ_{i&lt;j} W_ij φ'_i") == "Σ<sub>i&lt;j</sub> W<sub>ij</sub> φ'<sub>i</sub>"
    assert typeset("p^(d−1)·v_t²") == "p<sup>d−1</sup>·v<sub>t</sub>²"
    for as_it_is in (
        "n_jobs and kendall_w",
        "<pre>x_i 7 %</pre>",
        "<code>x_i</code>",
        '<a href="x_i">',
    ):
        assert typeset(as_it_is) == as_it_is
    assert "nowrap" in typeset("<code>--unranked\nlast</code>")
    assert "nowrap" not in typeset("<code>unranked</code>")
    assert typeset("<code>a --b</code>") == f"<code>a {kept('--b')}</code>"
    extra = '".[plot]"'
    assert typeset(f"<code>pip {extra}</code>") == f"<code>pip {kept(extra)}</code>"
    name = "<code>GaussianKernel(lam_)</code>"
    assert typeset(name) == name
    assert typeset(f"<td>{name}</td>{name}").count("<wbr") == 2
    assert typeset(f"<code>{'kernel' * 6}.lam_one</code>").count("<wbr") == 1


def test_long_lines_of_output_are_folded_between_words():
    line = "  first " + "word " * 30 + "last"
    folded = shell.folded(line).splitlines()
    assert len(folded) == 2
    assert all(len(part) <= shell.WIDTH and part.startswith("  ") for part in folded)
    assert " ".join(part.strip() for part in folded) == line.strip()
    assert shell.folded("short   line") == "short   line"
