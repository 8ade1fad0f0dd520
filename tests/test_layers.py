"""Imports point down: command line → experiments → estimators → kernels → features → loops."""

import ast
from pathlib import Path

import rankcut

LAYERS = [
    ["cli"],
    ["experiments"],
    ["pictures", "reports"],
    ["estimators"],
    ["kernels"],
    ["datasets"],
    ["files"],
    ["long_tables"],
    ["features", "theory", "orders", "ratings"],
    ["setfunctions"],
    ["partitions"],
    ["graphs"],
    ["rankings", "seeds", "threads", "lazy"],
    ["errors"],
    ["_loops"],
]
DEPTH = {name: depth for depth, layer in enumerate(LAYERS) for name in layer}
SOURCE = Path(rankcut.__file__).parent


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rankcut."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("rankcut."):
                    yield alias.name.split(".")[1]


def test_each_module_imports_only_from_its_own_layer_or_below():
    upward = []
    for path in SOURCE.rglob("*.py"):
        home = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if home in ("__init__", "__main__"):
            continue
        for target in imports(path):
            below = DEPTH[target] > DEPTH[home] or target == home
            if not below:
                upward.append(f"{path.relative_to(SOURCE)} imports rankcut.{target}")
    assert not upward
