"""The page "Will it read my file?" says what is said."""

import io
import re
import shlex
from pathlib import Path

import pytest

from rankcut import read_file
from rankcut.errors import InputError

PAGE = (Path(__file__).parents[2] / "docs" / "will-it-read.md").read_text()
KINDS = re.findall(r"\*\*(.+?)\*\*\n\n```(\w+)\n(.*?)\n```\n\n> ([^\n]+)", PAGE, re.DOTALL)
READ = [kind for kind in KINDS if kind[3].startswith("read as")]
ASKED = [kind for kind in KINDS if kind not in READ]


def test_the_page_shows_kinds():
    assert len(KINDS) > 20


@pytest.mark.parametrize(("kind", "suffix", "text", "line"), READ, ids=[k[0] for k in READ])
def test_a_kind_is_read_as_the_page_says(kind, suffix, text, line):
    assert read_file(io.StringIO(f"{text}\n"), suffix).metadata["READ AS"] == line


@pytest.mark.parametrize(("kind", "suffix", "text", "line"), ASKED, ids=[k[0] for k in ASKED])
def test_a_kind_is_asked_about_as_the_page_says(kind, suffix, text, line):
    with pytest.raises(InputError) as caught:
        read_file(io.StringIO(f"{text}\n"), suffix)
    said = caught.value.render(lambda setting: shlex.join(setting.as_option()))
    assert said.replace("<stream>", f"file.{suffix}") == line
    assert caught.value.remedies()
    for options in caught.value.remedies():
        again = read_file(io.StringIO(f"{text}\n"), suffix, **options).metadata["READ AS"]
        assert re.search(r"first ([^,;]+)", again)[1] in said
