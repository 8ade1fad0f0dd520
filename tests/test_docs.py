"""The pages of the site: their commands run, and everything public is in the reference."""

import importlib.util
import re
from pathlib import Path

import pytest

import rankcut

HOME = Path(__file__).parents[1]
PAGES = sorted((HOME / "docs").glob("*.md"))


def load_hooks():
    spec = importlib.util.spec_from_file_location("site_hooks", HOME / "docs" / "hooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hooks = load_hooks()


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if hooks.console_blocks(page.read_text(encoding="utf-8"))],
    ids=lambda page: page.stem,
)
def test_commands_run(page, tmp_path):
    for block in hooks.console_blocks(page.read_text(encoding="utf-8")):
        shown = hooks.run_commands(block, tmp_path)
        assert shown.startswith("$ ")


def test_commands_are_shown_with_their_output(tmp_path):
    shown = hooks.run_commands("$ rankcut info lunch:full --top 1\n$ echo 'a b'", tmp_path)
    assert "rankings:        48" in shown
    assert shown.endswith("$ echo 'a b'\na b")
    with pytest.raises(RuntimeError, match="no-such-command"):
        hooks.run_commands("$ no-such-command", tmp_path)


def test_every_public_name_is_in_one_room_of_the_reference():
    rooms = hooks.public_names()
    listed = [name for names in rooms.values() for name in names]
    assert len(listed) == len(set(listed))
    packages = {name for name, home in rankcut._HOMES.items() if home == "rankcut"}
    assert set(rankcut._HOMES) - packages <= set(listed)


def test_every_page_has_a_place_in_the_navigation():
    nav = (HOME / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    named = set(re.findall(r"[\w/-]+\.md", nav))
    assert {page.name for page in PAGES} <= named


def test_results_are_small_and_start_with_a_title():
    results = sorted((HOME / "docs" / "results").glob("*.md"))
    assert sum(path.stat().st_size for path in results) < 200_000
    assert all(path.read_text(encoding="utf-8").startswith("# ") for path in results)


def test_recorded_results_say_where_they_come_from():
    from record import header

    opening = header("startup", "python benchmarks/startup.py")
    assert opening.startswith("# Startup\n")
    facts = dict(re.findall(r"^\| (\w+) \| (.+) \|$", opening, re.M))
    assert list(facts) == ["date", "version", "processor", "cores", "command"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", facts["date"])
    assert facts["version"].startswith(f"rankcut {rankcut.__version__}, ")
    assert facts["command"] == "`python benchmarks/startup.py`"
    recorded = (HOME / "docs" / "results" / "startup.md").read_text(encoding="utf-8")
    assert all(f"| {fact} | " in recorded for fact in facts)
