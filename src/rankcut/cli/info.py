"""``rankcut info``: what is in a file."""

from typing import Annotated

import typer

from rankcut.cli.lines import print_facts
from rankcut.cli.reading import Rankings, Reading
from rankcut.cli.sharing import with_options
from rankcut.reports.description import Description, Preference

_MOST_COLUMNS = 12
_LONGEST_NAME = 60


@with_options(reading=Reading)
def info(
    file: Rankings,
    reading: Reading,
    top: Annotated[int, typer.Option(min=1, help="How many favourites to list.")] = 5,
) -> None:
    """Say what is in a file of rankings.

    How many rankings and items, which kinds, ties and lengths, the most and least preferred,
    repeats, and problems.

    Example: rankcut info votes.soi
    """
    from rankcut.reports.description import describe

    rankings = reading.read(file)
    if rankings.title:
        print(rankings.title)
    print_facts(_lines(describe(rankings), top))


def _lines(found: Description, top: int) -> list[tuple[str, str]]:
    rows = f" in {found.n_rows:,} rows" if found.n_rows != found.n_rankings else ""
    least, median, most = found.lengths
    spread = f"{least}" if least == most else f"{least} to {most} items, median {median:g}"
    repeated = f"; the most frequent occurs {found.most_repeated:,} times"
    half = min(top, max(1, len(found.preferred) // 2))
    lines = [
        ("rankings", f"{found.n_rankings:,}{rows}"),
        ("items", f"{found.n_items:,}"),
        *_listed("kinds", [f"{kind}: {n:,}" for kind, n in found.kinds.items()]),
        ("lengths", spread),
        ("with ties", f"{found.n_tied:,}"),
        ("different", f"{found.n_distinct:,}" + (repeated if found.most_repeated > 1 else "")),
        *_listed("most preferred", _shown(found.preferred[:half])),
        *_listed("least preferred", _shown(found.preferred[-half:][::-1])),
    ]
    known = [f"{_cut(name)} ({n} different)" for name, n in found.columns.items()]
    if len(known) > _MOST_COLUMNS:
        known[_MOST_COLUMNS:] = [f"and {len(known) - _MOST_COLUMNS} more"]
    if known:
        lines.extend(_listed("columns", known))
    return lines + _listed("problems", found.problems or ["none"])


def _shown(preferences: list[Preference]) -> list[str]:
    return [
        f"{_cut(p.item)} (beats {p.beats:.0%} of the others, in {p.n_rankings:,} rankings)"
        for p in preferences
    ]


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _listed(name: str, values: list[str]) -> list[tuple[str, str]]:
    return [(name if i == 0 else "", value) for i, value in enumerate(values)]
