"""What the site does beyond Markdown: run commands, draw the gallery, list the public names.

MkDocs calls the functions named ``on_…``. Blocks marked ``console`` hold shell commands, which the
site shows with the output they have when it is built; so do stories, where their data is there.
"""

import importlib
import io
import re
import tempfile
from pathlib import Path

from boxes import with_tables
from notebooks import cells, last_value, notebook
from shell import BLOCK, WIDE, WIDTH, folded, run_commands
from tell import STORIES, find_data, tell
from typeset import typeset

from rankcut.public_names import homes_beside

HOME = Path(__file__).parents[1]
EXAMPLES = HOME / "examples"
# What the gallery opens with; the others follow by name.
FIRST = ("plot_map", "plot_item_graph", "plot_groups", "plot_grid", "plot_cones", "plot_counts")

# The opening of a page without anything beside its text.
_WIDE = "---\nhide:\n  - navigation\n  - toc\n---\n"

# What the gallery says first.
_GALLERY = """Short programs, each with the picture it draws; each opens in Jupyter.

There is no button that runs them in the browser yet. emscripten-forge has NumPy, SciPy,
scikit-learn and, since August 2026, Numba for JupyterLite, and what else rankcut needs is plain
Python; but nobody has tried its loops on 32-bit WebAssembly. Pyodide has no Numba."""

# What only the tests need to see.
_DOCTEST = re.compile(r"^<BLANKLINE>$|  # doctest: \S+", re.M)

# A block of Python with prompts, or of output.
_PRINTED = re.compile(r"^```(?:python\n(?=>>> )|text\n).*?^```$", re.M | re.S)

# What a program printed.
_TEXT = re.compile(r"^```text\n(.*?)^```$", re.M | re.S)

# The dash after a returned type without a description.
_NOTHING_SAID = re.compile(r'–\s*<div class="doc-md-description">\s*</div>\s*</li>')

# The name of a test, which may be broken where a reader would.
_TEST = re.compile(r"<code>tests/[^<]*::[^<]*</code>")
_BREAK = re.compile("(::|(?<!<)/|_)")

# A picture by itself, which opens in its own size.
_PICTURE = re.compile(r'<p>(<img [^>]*src="([^"]+)"[^>]*/?>)</p>')

# "top-k" among the values of a parameter, read as a difference.
_DIFFERENCE = re.compile(r"<(\w+)[^>]*>top</\1> - <\1[^>]*>k</\1>")

# An entry of the reference's lists of parameters, without its type or with any.
_ENTRY = re.compile(
    r'<li class="doc-section-item field-body">\s*<b><code>(\w+)</code></b>\s*'
    r"(?:\(<code><[^>]*>Any</[^>]*></code>(, default:\s*<code>[^<]*</code>\s*)?\)\s*)?(–.*?)</li>",
    re.S,
)
_ENTRY_OF = '<li class="doc-section-item field-body"><b><code>{name}</code></b> {rest}</li>'
_BOLD = "</code></b>, <b><code>"

# Names with explanations, and where the next one starts.
_SEE_ALSO = re.compile(r'<details class="see-also".*?</details>', re.S)
_NEXT_NAME = re.compile(r"\n(?=[\w.]+ : )")

# A number, and what keeps another with it.
_INTERVAL = re.compile(r"(\d%?) (±|to) (?=\d)")

# Rooms of the reference, with their titles, as the navigation has them.
ROOMS = {
    room: title
    for title, room in re.findall(
        r"- (.+): reference/(\w+)\.md", (HOME / "mkdocs.yml").read_text(encoding="utf-8")
    )
}

# What answers return, which nobody imports by name.
RESULTS = {
    "comparison": {
        "GroupComparison": "rankcut.comparison.results",
    },
    "leaderboard": {"NextVotes": "rankcut.leaderboard.next_votes"},
    "consensus": {"Agreement": "rankcut.consensus.agreement"},
    "regression": {"Explanation": "rankcut.regression.effects"},
    "ranking_regression": {"WaldTest": "rankcut.strengths.errors"},
    "report": {"Panel": "rankcut.report.panels", "Study": "rankcut.report.study"},
}


def on_page_markdown(markdown, page, config, files):
    """Run the commands of a page, in order, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        markdown = BLOCK.sub(
            lambda found: f"```console\n{run_commands(found[1], folder)}\n```", markdown
        )
    if page.file.src_uri.startswith("results/"):
        page.meta.setdefault("hide", ["navigation", "toc"])  # tables are wide
    if page.file.src_uri == "names.md":
        markdown = _linked(markdown)
    is_result = page.file.src_uri.startswith("results/")
    if is_result:
        markdown = _TEXT.sub(lambda found: with_tables(found[1]), markdown)
    markdown = _PRINTED.sub(lambda found: _folded(found[0], WIDE if is_result else WIDTH), markdown)
    return _DOCTEST.sub("", markdown)


def _folded(block, width):
    """A block whose lines of output fit on a page; lines of code stay as they are."""
    code = (">>> ", "... ", "...\n", "```")
    return "\n".join(
        line if line.startswith(code) else folded(line, width) for line in block.splitlines()
    )


def on_page_content(html, page, config, files):
    """Mend what the Markdown cannot say, or the reference says badly."""
    if page.file.src_uri.startswith("results/"):
        html = _INTERVAL.sub("\\1\u00a0\\2\u00a0", html)
    html = _alike_together(_NOTHING_SAID.sub("</li>", html))
    html = _TEST.sub(lambda found: _BREAK.sub(r"\1<wbr>", found[0]), html)
    html = _PICTURE.sub(r'<p><a href="\2">\1</a></p>', html)
    html = _DIFFERENCE.sub("top-k", html)
    html = _SEE_ALSO.sub(lambda found: _NEXT_NAME.sub("<br>", found[0]), html)
    return typeset(html)


def _alike_together(html):
    """Parameters in a row that one sentence explains, as one entry of their list."""
    kept = []
    for start, names, default, rest in _entries(html):
        if kept and names and kept[-1][3] == rest and not start.strip():
            kept[-1][1].extend(names)
        else:
            kept.append((start, names, default, rest))
    return "".join(
        start + (_ENTRY_OF.format(name=_BOLD.join(names), rest=rest) if names else rest)
        for start, names, rest in (
            # The default is that of the first, for all of them.
            (start, names, f"({default[2:]}) {rest}" if default and len(names) == 1 else rest)
            for start, names, default, rest in kept
        )
    )


def _entries(html):
    """Before each entry of a list of parameters, its name, its default, and what follows these."""
    end = 0
    for found in _ENTRY.finditer(html):
        yield html[end : found.start()], [found[1]], found[2], found[3]
        end = found.end()
    yield "", [], None, html[end:]


def _linked(markdown):
    """Public names, each with a link to where the reference explains it."""
    places = {
        name: f"reference/{room}.md#{home}.{name}"
        for room, names in public_names().items()
        for name, home in names.items()
    }

    def link(found):
        place = places.get(found[1])
        return found[0] if place is None else f"[{found[0]}]({place})"

    return re.sub(r"`(\w+)`", link, markdown)


def public_names():
    """The public names of each room, with the module that defines each."""
    rankcut = importlib.import_module("rankcut")
    rooms = {room: {} for room in ROOMS}
    listed = homes_beside(rankcut.__file__)
    homes = {name: home for name, home in listed.items() if home != "rankcut"}
    packages = [name for name, home in listed.items() if home == "rankcut"]
    for package in packages:
        module = importlib.import_module(f"rankcut.{package}")
        for name in module.__all__:
            home = getattr(getattr(module, name), "__module__", "")
            if home.startswith("rankcut."):  # not an alias of a type
                homes.setdefault(name, home)
    for name, home in sorted(homes.items(), key=lambda pair: pair[0].lower()):
        part = home.removeprefix("rankcut.").partition(".")[0]
        room = "files" if part == "errors" else part
        rooms[room][name] = home
    for room, results in RESULTS.items():
        rooms[room] |= results
    return rooms


def reference_page(title, names):
    """A page of the reference: each name with its docstring."""
    lines = [f"# {title}", ""]
    for name, home in names.items():
        lines += [f"::: {home}.{name}", ""]
    return "\n".join(lines)


def gallery():
    """The examples that draw: their names, titles, texts and code."""
    paths = {path.stem: path for path in sorted(EXAMPLES.glob("plot_*.py"))}
    for name in (*FIRST, *(name for name in paths if name not in FIRST)):
        path = paths[name]
        (_, said), *rest = cells(path)
        title, _, text = said.removeprefix("# ").partition("\n")
        yield path, title, text.strip(), "\n\n".join(code for _, code in rest)


def draw(path):
    """The picture that an example draws, as the bytes of a PNG file."""
    kept = io.BytesIO()
    last_value(path).savefig(kept, format="png", dpi=150)
    return kept.getvalue()


def on_config(config):
    """Leave pages out of the navigation that are not written yet."""
    config.nav = _present(config.nav)
    return config


def _present(entries):
    made = ("reference/", "gallery/", "results/index.md")
    kept = []
    for entry in entries:
        if isinstance(entry, str):
            target, value = entry, entry
        else:
            ((_, value),) = entry.items()
            target = value if isinstance(value, str) else ""
        if isinstance(value, list):
            (name,) = entry
            kept.append({name: _present(value)})
        elif target.startswith(made) or (HOME / "docs" / target).exists():
            kept.append(entry)
    return kept


def results_page():
    """A list of the results that benchmarks wrote, with their dates."""
    lines = [
        _WIDE,
        "# Results",
        "",
        "What the programs in `benchmarks/` print, with the date, version, processor and command "
        "of each run. `python benchmarks/record.py NAME` writes such a page.",
        "",
        '<div class="runs" markdown>',
        "",
        "| benchmark | what it asks | date | processor |",
        "|---|---|---|---|",
    ]
    for path in sorted((HOME / "docs" / "results").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        title = text.partition("\n")[0].removeprefix("# ")
        facts = dict(re.findall(r"^\| (date|processor|cores|command) \| (.*?) \|$", text, re.M))
        date = facts["date"].replace("-", "\u2011")  # in one line
        name = facts["processor"].replace("(R)", "").removesuffix(" Processor")
        machine = f"{name}, {facts['cores']} cores".replace(" ", "\u00a0")
        opening = text.split("\n\n")[2]
        asked = "What holds, claim by claim" if opening[0] == "|" else _first_sentence(opening)
        lines.append(f"| [{title}]({path.name}) | {asked} | {date} | {machine} |")
    lines += ["", "</div>"]
    return "\n".join(lines) + "\n"


def _first_sentence(text):
    """What a page says first, in a cell of a table."""
    words = " ".join(text.split())
    return re.match(r".*?[.?](?=\s|$)|.*", words)[0].rstrip(".").replace("|", "\\|")


def on_files(files, config):
    """Add the pages and pictures that are made, not written."""
    from mkdocs.structure.files import File

    def add(uri, content):
        files.append(File.generated(config, uri, content=content))

    for room, names in public_names().items():
        add(f"reference/{room}.md", reference_page(ROOMS[room], names))
    add("results/index.md", results_page())
    for name in STORIES:
        if find_data(name) is not None:
            page, pictures = tell(name, "computed when this page was built,")
            made = {f"{name}.md": page, **pictures}
            for file, content in made.items():
                uri = f"stories/{file}"
                files.remove(files.get_file_from_path(uri))
                add(uri, content)
    pages = [_WIDE, "# Gallery", "", _GALLERY, ""]
    pages += ['<div class="grid cards" markdown>', ""]
    for path, title, text, code in gallery():
        picture = f"gallery/{path.stem}.png"
        add(picture, draw(path))
        page = f"# {title}\n\n{text}\n\n![{title}]({path.stem}.png)\n\n```python\n{code}\n```\n"
        page += f"\n[Open it in Jupyter]({path.stem}.ipynb){{ download }}\n"
        add(f"gallery/{path.stem}.ipynb", notebook(path))
        add(f"gallery/{path.stem}.md", page)
        pages += [
            f"-   [![{title}]({path.stem}.png){{ loading=lazy }}]({path.stem}.md)",
            "",
            f"    **[{title}]({path.stem}.md)**",
            "",
        ]
    pages += ["</div>", ""]
    add("gallery/index.md", "\n".join(pages))
    return files
