"""Imports point down: command → report → answers → pictures → kernels → cuts → loops."""

from test_house import TREES, imported

# Each line may import what stands below it. Rooms of one line do not import each other.
LAYERS = [
    ["cli"],
    ["app"],
    ["answers"],
    ["dask"],
    ["report"],
    ["saved_models"],
    ["ranking_regression", "regression", "similar"],
    ["label_ranking", "blocs", "leaderboard", "utilities"],
    ["comparison", "completion", "consensus"],
    ["strengths", "maps"],
    ["results"],
    ["pictures"],
    ["datasets"],
    ["files"],
    ["gp"],
    ["kernels", "theory"],
    ["cuts"],
    ["estimators"],
    ["plain_estimators"],
    ["graphs"],
    ["sample"],
    ["saved_arrays"],
    ["rankings"],
    ["threads", "directions"],
    ["parameters"],
    ["errors"],
    ["_loops", "public_names"],
]
DEPTH = {name: depth for depth, layer in enumerate(LAYERS) for name in layer}


def test_each_module_imports_only_from_its_own_room_or_from_below():
    upward = set()
    for path, tree in TREES.items():
        room = path.with_suffix("").parts[0]
        if room in ("__init__", "__main__"):
            continue
        for name in imported(tree):
            package, _, target = name.partition(".")
            target = target.partition(".")[0]
            if package == "rankcut" and target and target != room and DEPTH[target] <= DEPTH[room]:
                upward.add(f"{path} imports rankcut.{target}")
    assert not sorted(upward)
