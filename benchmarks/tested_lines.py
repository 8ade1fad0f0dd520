"""Which lines do tests reach, room by room? `make coverage` runs those
that are not slow and writes this page. What runs elsewhere is not seen: in other
processes (workers of a cluster, the page that opens files, commands started as a user does), or as
compiled loops, which tests compare with plain code.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path


def by_room(files):
    """The lines and branches of each room of the package, and how many are reached."""
    rooms = {}
    for name, found in files.items():
        inside = Path(name).parts
        inside = inside[inside.index("rankcut") + 1 :]
        room = f"{inside[0]}/" if len(inside) > 1 else inside[0]
        counts = found["summary"]
        rooms.setdefault(room, Counter()).update(
            {
                "lines": counts["num_statements"],
                "missed": counts["missing_lines"],
                "all": counts["num_statements"] + counts["num_branches"],
                "reached": counts["covered_lines"] + counts["covered_branches"],
            }
        )
    return rooms


def main():
    written = subprocess.run(
        [sys.executable, "-m", "coverage", "json", "--quiet", "-o", "-"],
        capture_output=True,
        text=True,
        check=True,
    )
    rooms = by_room(json.loads(written.stdout)["files"])
    rooms["all"] = sum(rooms.values(), Counter())
    print("| room | lines | not reached | lines and branches reached |")
    print("|---|---:|---:|---:|")
    for room, counts in rooms.items():
        share = 100.0 * counts["reached"] / counts["all"] if counts["all"] else 100.0
        print(f"| `{room}` | {counts['lines']:,} | {counts['missed']:,} | {share:.0f} % |")


if __name__ == "__main__":
    main()
