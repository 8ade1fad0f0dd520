"""Imports point down: command line → reports → estimators → kernels → features → loops."""

import ast
from pathlib import Path

import rankcut

LAYERS = [
    ["cli"],
    ["explanation"],
    ["dask"],
    ["pictures"],
    ["reports"],
    ["datasets"],
    ["files"],
    ["comparison"],
    ["estimators"],
    ["blocs"],
    ["completion"],
    ["label_ranking"],
    ["consensus"],
    ["kernels"],
    ["long_tables", "ranking_set"],
    ["features", "theory", "orders", "ratings"],
    ["setfunctions"],
    ["partitions"],
    ["graphs"],
    ["rankings", "threads", "dask.collections"],
    ["parameters"],
    ["errors"],
    ["_loops", "public_names"],
]
DEPTH = {name: depth for depth, layer in enumerate(LAYERS) for name in layer}
SOURCE = Path(rankcut.__file__).parent


# What low layers know of Dask: whether something is a collection, and how to map over its rows.
# The rest of the package knows estimators and kernels. They call it only if they meet a
# collection, from within a function.
LOW_DASK = {"dask", "dask.collections", "dask.tasks"}

# What a function may import when it is called: Dask, and the texts and pictures of a result, which
# its summary() and plot() ask for.
WHEN_CALLED = {"dask", "reports", "pictures"}


def layer(module):
    """The layer of ``rankcut.module``."""
    if module in LOW_DASK:
        return "dask.collections"
    return module.partition(".")[0]


def imports(path):
    """The modules of rankcut that one imports, and whether it does so at once."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    at_once = set(map(id, tree.body))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rankcut."):
            yield node.module.removeprefix("rankcut."), id(node) in at_once
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("rankcut."):
                    yield alias.name.removeprefix("rankcut."), id(node) in at_once


def test_each_module_imports_only_from_its_own_layer_or_below():
    upward = []
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        if parts[0] in ("__init__", "__main__"):
            continue
        home = layer(".".join(parts).removesuffix(".__init__"))
        for target, at_once in imports(path):
            there = layer(target)
            below = DEPTH[there] > DEPTH[home] or there == home
            if not below and (at_once or there not in WHEN_CALLED):
                upward.append(f"{path.relative_to(SOURCE)} imports rankcut.{target}")
    assert not upward
