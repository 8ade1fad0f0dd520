"""Imports point down: command → report → answers → pictures → kernels → cuts → loops."""

import ast
from pathlib import Path

import rankcut

# Each line may import what stands below it. Rooms of one line do not import each other.
LAYERS = [
    ["cli"],
    ["app"],
    ["dask"],
    ["report"],
    ["saved_models"],
    ["ranking_regression", "regression", "similar"],
    ["label_ranking", "blocs"],
    ["comparison", "completion", "consensus"],
    ["strengths"],
    ["pictures"],
    ["datasets"],
    ["files"],
    ["gp"],
    ["kernels", "theory"],
    ["cuts"],
    ["estimators"],
    ["graphs"],
    ["rankings"],
    ["threads"],
    ["parameters"],
    ["errors"],
    ["_loops", "public_names"],
]
DEPTH = {name: depth for depth, layer in enumerate(LAYERS) for name in layer}
SOURCE = Path(rankcut.__file__).parent


def imports(path):
    """The modules of rankcut that one imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rankcut."):
            yield node.module.removeprefix("rankcut.")
        elif isinstance(node, ast.ImportFrom) and node.module == "rankcut":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("rankcut."):
                    yield alias.name.removeprefix("rankcut.")


def room(module):
    return module.partition(".")[0]


def test_each_module_imports_only_from_its_own_room_or_from_below():
    upward = []
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        if parts[0] in ("__init__", "__main__"):
            continue
        for target in map(room, imports(path)):
            if target != parts[0] and DEPTH[target] <= DEPTH[parts[0]]:
                upward.append(f"{path.relative_to(SOURCE)} imports rankcut.{target}")
    assert not sorted(set(upward))
