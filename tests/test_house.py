"""What keeps the package small enough to hold in mind."""

import ast
import importlib
import inspect
import re
from collections import defaultdict
from dataclasses import fields
from pathlib import Path

import rankcut
from rankcut import RankingSet
from rankcut.public_names import homes_beside
from rankcut.rankings import Rankings

SOURCE = Path(rankcut.__file__).parent
MODULES = {
    path.relative_to(SOURCE): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")
}
TREES = {path: ast.parse(text) for path, text in MODULES.items()}
OTHERS = ("numba", "llvmlite", "sklearn", "scipy", "numpy", "dask", "narwhals", "matplotlib")


def imported(tree):
    """Each name that a module imports from another library, in full."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_private_name_of_another_library_is_imported():
    private = [
        f"{path}: {name}"
        for path, tree in TREES.items()
        for name in imported(tree)
        if name.split(".")[0] in OTHERS
        and (any(part.startswith("_") for part in name.split(".")) or "numba.core" in name)
    ]
    assert not private


def test_no_two_classes_have_one_name():
    homes = defaultdict(list)
    for path, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                homes[node.name.lstrip("_")].append(str(path))
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def is_number(node):
    """Whether an expression is made of numbers alone."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float) and not isinstance(value, bool)
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.BinOp(left=left, right=right):
            return is_number(left) and is_number(right)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return bool(elements) and all(map(is_number, elements))
    return False


def numbers_without_reason(text):
    """Names of numbers that no comment or text explains: above, beside, or above its neighbours."""
    lines = text.splitlines()
    explained = 0
    for node in ast.parse(text).body:
        if not (isinstance(node, ast.Assign | ast.AnnAssign) and is_number(node.value)):
            continue
        above = lines[node.lineno - 2].lstrip() if node.lineno > 1 else ""
        beside = lines[(node.end_lineno or node.lineno) - 1]
        below = lines[node.end_lineno] if len(lines) > node.end_lineno else ""
        has_text = above.startswith("#") or "#" in beside or below.startswith('"""')
        if has_text or explained == node.lineno - 1:
            explained = node.end_lineno
        else:
            yield ast.unparse(node)


def test_each_number_has_a_reason():
    bare = [
        f"{path}: {number}"
        for path, text in MODULES.items()
        for number in numbers_without_reason(text)
    ]
    assert not bare


def named_numbers(tree):
    """The name and the value of each number that a module defines."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and is_number(node.value):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            together = isinstance(target, ast.Tuple)
            names = target.elts if together else [target]
            values = node.value.elts if together else [node.value]
            for name, value in zip(names, values, strict=True):
                yield ast.unparse(name).lstrip("_"), ast.unparse(value)


def test_each_number_has_one_name_and_one_value():
    places = defaultdict(list)
    for path, tree in TREES.items():
        for name, value in named_numbers(tree):
            places[name].append(f"{path}: {value}")
    assert {name: each for name, each in places.items() if len(each) > 1} == {}


# A number that is used once, and says nothing beyond its place, stands there.
MOST_NUMBERS = 194


def test_there_are_no_more_numbers_than_there_were():
    """A new one is welcome where an old one goes; lower the bound when numbers go."""
    numbers = [
        f"{path}: {ast.unparse(node)}"
        for path, tree in TREES.items()
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and is_number(node.value)
    ]
    assert len(numbers) <= MOST_NUMBERS


def public_objects():
    """Each public function and class, with where it was found."""
    homes = homes_beside(rankcut.__file__)
    for name, home in homes.items():
        if home != "rankcut":
            yield f"rankcut.{name}", getattr(rankcut, name)
    for room in (name for name, home in homes.items() if home == "rankcut"):
        package = importlib.import_module(f"rankcut.{room}")
        for name in package.__all__:
            yield f"rankcut.{room}.{name}", getattr(package, name)


PUBLIC = {name: thing for name, thing in public_objects() if callable(thing)}


def parameters(thing):
    try:
        return inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return {}


def test_unranked_has_one_default():
    defaults = {
        name: parameters(thing)["unranked"].default
        for name, thing in PUBLIC.items()
        if "unranked" in parameters(thing)
    }
    assert {name for name, default in defaults.items() if default != "error"} == set()


def test_rankings_have_one_name():
    """Rankings in any form are X; what takes a class of ours, such as RankingSet, may say so."""
    own = ("RankingSet", "ParquetRankings", "Rankings")
    others = set()
    for name, thing in PUBLIC.items():
        first = next(iter(parameters(thing).values()), None)
        if first is not None and first.name in ("ranks", "rankings"):
            annotation = str(getattr(first.annotation, "__name__", first.annotation))
            if annotation not in own and not name.endswith(own):
                others.add(name)
    assert others == set()


def replaced(tree):
    """What each call of ``dataclasses.replace`` changes, and to what."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "replace",
            "dataclasses.replace",
        ):
            yield ast.unparse(node.args[0]), {word.arg for word in node.keywords}


def test_rankings_change_by_their_verbs_alone():
    verbs = r"rows|among|meaning|filled|reversed|dense|plain|having|with_\w+|without_\w+"
    is_rankings = re.compile(rf"(^|[._])rankings$|\.({verbs})\(.*\)$")
    of_sets = {field.name for field in fields(RankingSet)}
    of_values = {field.name for field in fields(Rankings)}
    # Names that no other value has.
    telling = (of_values - of_sets - {"items", "weights"}) | {"ids", "counted", "target_names"}
    changed = [
        f"{path}: replace({thing}, ...)"
        for path, tree in TREES.items()
        if path.parts[0] != "rankings"
        for thing, names in replaced(tree)
        if names & telling or (names <= of_values | of_sets and is_rankings.search(thing))
    ]
    assert changed == []
