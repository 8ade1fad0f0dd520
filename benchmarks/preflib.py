"""Time to read PrefLib files, compared with preflibtools in one run; the rankings must agree.

RANKCUT_DATA=… python benchmarks/preflib.py
python benchmarks/preflib.py votes.soi other.toc
"""

import os
import sys
import time
from pathlib import Path

from preflibtools.instances import OrdinalInstance

from rankcut import to_orders
from rankcut.files.preflib import read_preflib

TIMES = 7


def best_time(read):
    times = []
    for _ in range(TIMES):
        start = time.perf_counter()
        read()
        times.append(time.perf_counter() - start)
    return min(times)


def same_rankings(path):
    """Whether both say the same orders, as often, with the same names."""
    theirs = OrdinalInstance(str(path))
    ours = read_preflib(path)
    names = [theirs.alternatives_name[i] for i in range(1, theirs.num_alternatives + 1)]
    orders = to_orders(ours.ranks, range(1, len(ours.items) + 1))
    grouped = (
        tuple(tuple(group) if isinstance(group, tuple) else (group,) for group in order)
        for order in orders
    )
    return names == list(ours.items) and dict(zip(grouped, ours.counts.tolist(), strict=True)) == {
        tuple(tuple(sorted(group)) for group in order): count
        for order, count in theirs.multiplicity.items()
    }


def files():
    if len(sys.argv) > 1:
        return [Path(name) for name in sys.argv[1:]]
    home = os.environ.get("RANKCUT_DATA")
    if home is None:
        sys.exit("name PrefLib files, or a directory with them by RANKCUT_DATA")
    return sorted((Path(home) / "preflib" / "00001-irish").glob("*.[st]o[ci]"))


def main():
    print(f"best of {TIMES} runs, without rankcut's first, which compiles or loads the loop")
    print(
        f"{'file':<22}{'orders':>8}{'preflibtools':>14}{'rankcut':>10}{'ratio':>8}{'MB/s':>7}  same"
    )
    for path in files():
        read_preflib(path)
        theirs = best_time(lambda path=path: OrdinalInstance(str(path)))
        ours = best_time(lambda path=path: read_preflib(path))
        print(
            f"{path.name:<22}{len(read_preflib(path)):>8,}{theirs * 1e3:>11.1f} ms"
            f"{ours * 1e3:>7.1f} ms{theirs / ours:>7.1f}x{path.stat().st_size / ours / 1e6:>7.0f}"
            f"  {'yes' if same_rankings(path) else 'NO'}"
        )


if __name__ == "__main__":
    main()
