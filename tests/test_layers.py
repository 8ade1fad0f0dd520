"""Imports point down the table of rooms in CONTRIBUTING.md."""

import re
from pathlib import Path

from test_house import SOURCE, TREES, imported

GUIDE = Path(__file__).parents[1] / "CONTRIBUTING.md"
TABLE = GUIDE.read_text(encoding="utf-8").partition("| room | what |\n|---|---|\n")[2]
# The rooms of each row; of a row with "then", of each part.
LAYERS = [
    re.findall(r"`(\w+)(?:/|\.py)`", part)
    for row in TABLE.partition("\n\n")[0].splitlines()
    for part in row.split("|")[1].split(", then ")
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


def test_every_room_has_a_row():
    rooms = {path.stem if path.is_file() else path.name for path in SOURCE.iterdir()}
    rooms = {room for room in rooms if not room.startswith("__") and room != "py"}
    assert rooms == {*DEPTH}
    assert len(DEPTH) == sum(map(len, LAYERS))
