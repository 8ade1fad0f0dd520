"""The table of equations in the documentation: each test that it names exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "theory.md"
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE.read_text(encoding="utf-8"))


def names_in(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


def test_the_page_lists_tests():
    rows = PAGE.read_text(encoding="utf-8").split("## Equation by equation")[1]
    assert len(NAMED) == sum(line.startswith("|") for line in rows.splitlines()) - 2


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_each_named_test_exists(path, name):
    assert name in names_in(path)


@pytest.mark.parametrize("path", ["test_set_functions.py", "test_cones.py"])
def test_each_identity_that_is_tested_is_listed(path):
    """Checks of shapes and of bad input are no identities."""
    listed = {name for _, name in NAMED}
    tested = {name for name in names_in(f"tests/theory/{path}") if name.startswith("test_")}
    assert tested - {"test_vectors_of_the_wrong_shape"} <= listed
