"""``python -m reproduction``: run the paper's experiments and report what holds."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rankcut.datasets.downloads import ADDRESS, TERMS, sushi_files
from reproduction.report import PARTS, record, reproduce
from reproduction.store import part_named


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; a mistake is one line on standard error and a non-zero exit code."""
    parser = argparse.ArgumentParser("python -m reproduction", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"parts to run (default: all): {', '.join(PARTS)}")
    parser.add_argument("-o", "--output", type=Path, required=True, help="directory for the report")
    parser.add_argument("--data", type=Path, help="directory of the sushi files ($RANKCUT_DATA)")
    parser.add_argument("--quick", action="store_true", help="fewer seeds: about a minute")
    parser.add_argument("--processes", type=int, default=2, help="at a time (default: 2)")
    parser.add_argument("--record", action="store_true", help="keep the verdicts of a full run")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.parts if name not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    if chosen.record and (chosen.quick or chosen.parts):
        parser.error("only a full run of all parts is recorded")
    try:
        _run(chosen)
    except KeyboardInterrupt:
        sys.exit(f"reproduction: interrupted; the same command goes on from {chosen.output}")
    except (ValueError, OSError) as problem:
        sys.exit(f"reproduction: {' '.join(str(problem).split())}")


def _run(chosen: argparse.Namespace) -> None:
    home = chosen.data or os.environ.get("RANKCUT_DATA")
    data = Path(home) if home else None
    try:
        sushi_files(data)
    except FileNotFoundError:
        print(f"No sushi data: get it from {ADDRESS} ({TERMS}) and name its directory with --data.")
        if chosen.data:
            raise
        data = None
    chosen.output.mkdir(parents=True, exist_ok=True)

    def done() -> None:
        if sys.stderr.isatty():
            print(".", end="", file=sys.stderr, flush=True)

    names = [name for name in PARTS if not chosen.parts or name in chosen.parts]
    options = {"quick": chosen.quick, "processes": chosen.processes, "done": done}
    verdicts = reproduce(names, chosen.output, data=data, **options)
    if data is None:
        print(_what_needs_none(names))
    for way in dict.fromkeys(way for ways in verdicts.values() for way in ways):
        counts = Counter(str(ways[way].outcome) for ways in verdicts.values() if way in ways)
        print(f"{way}: " + ", ".join(f"{number} {what}" for what, number in counts.most_common()))
    if chosen.record:
        record(verdicts)
    print(f"report: {chosen.output / 'report.md'}")


def _what_needs_none(names: Sequence[str]) -> str:
    """Which parts were checked without data, and which can be."""
    free = [name for name in PARTS if not part_named(name).NEEDS_DATA]
    checked = [name for name in names if name in free]
    others = [name for name in names if name not in free]
    sentences = [f"Checked: {', '.join(checked)}."] * bool(checked)
    sentences += [f"Not checked without the data: {', '.join(others)}."] * bool(others)
    if not checked:
        sentences.append(f"These parts need none: {', '.join(free)}.")
    return " ".join(sentences)


if __name__ == "__main__":
    main()
