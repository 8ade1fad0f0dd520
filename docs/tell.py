"""Tell the stories: run what their pages show, and write pages and pictures.

    RANKCUT_DATA=downloads python docs/tell.py [NAME …]

A story, ``docs/stories/source/NAME.md``, is Markdown with parts that run, in order and in one
folder: shell commands in blocks marked ``console``, Python in blocks marked ``python`` (``python
hidden`` is not shown), and Python expressions between ``{{`` and ``}}`` in the text. The page of
the site, ``docs/stories/NAME.md``, has their output, and says when it was made. The site tells a
story again when it is built, if its data is there.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import textwrap
import warnings
from datetime import UTC, datetime
from pathlib import Path

from shell import folded, run_commands

PAGES = Path(__file__).with_name("stories")
SOURCES = PAGES / "source"

STORIES = {
    "dublin": "00001-00000001.soi",
    "star-wars": "StarWars.csv",
    "eurovision": "eurovision-votes.csv",
    "movielens": "u.data",
    "judgements": "llmfao.csv.gz",
    "boards": "llmfao-results.jsonl",
    "issues": "issues.csv",
    "covariates": "sushi3.udata",
    "slide": "StarWars.csv",
    "worth": "sushi3.udata",
}
"""The stories, and a file of the data that each needs."""

_PART = re.compile(r"^```(console|python(?: hidden)?)\n(.*?)^```\n|\{\{(.+?)\}\}", re.M | re.S)
_WIDTH = 100
# What a picture of a page needs of colours: few, and smaller files.
_COLOURS = 128


def find_data(name):
    """The file that a story needs, in the directory that RANKCUT_DATA names; None if missing."""
    home = os.environ.get("RANKCUT_DATA")
    return next(Path(home).rglob(STORIES[name]), None) if home else None


def source(name):
    """The text of a story, with what is to run."""
    return (SOURCES / f"{name}.md").read_text(encoding="utf-8")


def tell(name, when):
    """The page of a story, and its pictures by name.

    Parameters
    ----------
    name : str
        The story.
    when : str
        When its numbers were computed, as the page says.
    """
    import rankcut

    known = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for path in find_data(name).resolve().parent.iterdir():
            Path(path.name).symlink_to(path)
        told = _PART.sub(lambda found: _run(found, known, folder), source(name))
        pictures = {path.name: reduced(path) for path in sorted(Path().glob("*.png"))}
    title, _, rest = told.partition("\n\n")
    said = f"*Numbers and pictures: {when} with rankcut {rankcut.__version__}.*"
    return f"{title}\n\n{said}\n\n{rest}", pictures


def _run(found, known, folder):
    kind, code, expression = found.groups()
    if kind == "console":
        return f"```shell-session\n{run_commands(code, folder)}\n```\n"
    # A page shows what is printed, not what a terminal would say beside it.
    with contextlib.redirect_stdout(io.StringIO()) as said, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if expression is not None:
            # Python writes 5%, these pages 5 %.
            return re.sub(r"(?<=\d)%", " %", str(eval(expression.strip(), known)))
        exec(code, known)
    if kind == "python hidden":
        return ""
    output = "\n".join(folded(line.rstrip()) for line in said.getvalue().rstrip().splitlines())
    return f"```python\n{code}```\n" + (f"\n```text\n{output}\n```\n" if output else "")


def reduced(path):
    """A picture with few colours, as the bytes of a smaller file."""
    from PIL import Image

    kept = io.BytesIO()
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(_COLOURS).save(kept, format="PNG", optimize=True)
    return kept.getvalue()


def pattern(name):
    """What the page of a story looks like, whatever its numbers.

    The page is of its source, if this matches all of it.
    """
    pieces, end = [], 0
    text = source(name)
    for found in _PART.finditer(text):
        pieces.append(re.escape(text[end : found.start()]))
        end = found.end()
        kind, code, expression = found.groups()
        if expression is not None:
            pieces.append(".+?")
        elif kind == "console":
            lines = "\n(?:.*\n)*?".join(map(re.escape, code.strip().splitlines()))
            pieces.append(f"```shell-session\n{lines}\n(?:.*\n)*?```\n")
        elif kind == "python":
            pieces.append(f"```python\n{re.escape(code)}```\n(?:\n```text\n(?:.*\n)*?```\n)?")
    title, _, rest = "".join([*pieces, re.escape(text[end:])]).partition("\\\n\\\n")
    return rf"{title}\n\n\*Numbers and pictures: .*\*\n\n{rest}"


def main(names):
    """Write the pages and pictures of some stories, or of all."""
    for name in names or STORIES:
        if find_data(name) is None:
            sys.exit(f"{name}: {STORIES[name]} is not in the directory that RANKCUT_DATA names")
        page, pictures = tell(name, f"from a run on {datetime.now(UTC):%-d %B %Y}")
        (PAGES / f"{name}.md").write_text(page, encoding="utf-8")
        for file, content in pictures.items():
            (PAGES / file).write_bytes(content)
        print(textwrap.fill(f"{name}: {len(page):,} characters, {', '.join(pictures)}", _WIDTH))


if __name__ == "__main__":
    main(sys.argv[1:])
