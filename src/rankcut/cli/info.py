"""``rankcut info``: what is in a file."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from rankcut.cli.command import option, with_options
from rankcut.cli.options import LeftOut
from rankcut.cli.output import Results, fact_lines, styled
from rankcut.cli.reading import RankingFile, Reading
from rankcut.errors import amount

if TYPE_CHECKING:
    from rankcut.report.description import Description, Preference

_MEANINGS = {
    "anywhere": "items left out may be anywhere (after all others: --unranked last)",
    "last": "items left out come after all others",
}


@with_options(results=Results, reading=Reading)
def info(
    file: RankingFile,
    results: Results,
    reading: Reading,
    unranked: LeftOut = "error",
    shown: Annotated[int, option("Number of favourites to list.", "-n", min=1)] = 5,
) -> None:
    """Describe a file of rankings.

    The number of rankings and items, kinds, ties and lengths, the most and least preferred items,
    repeated rankings, and problems.

    Example: rankcut info votes.soi
    """
    import sys

    from rankcut.report.description import describe

    outputs = results.open({".json": None}, ".json")
    rankings = reading.read(file)
    found = describe(rankings, unranked=unranked)
    data: dict[str, Any] = {"title": rankings.title, **asdict(found)}
    outputs.write({}, data)

    def lines() -> list[str]:
        title = [styled(rankings.title, sys.stdout, bold=True)] if rankings.title else []
        return title + fact_lines(_facts(found, shown), sys.stdout)

    outputs.show(data, lines)


def _facts(found: "Description", shown: int) -> list[tuple[str, str]]:
    from rankcut.pictures.theme import MOST_ITEMS, shorten

    rows = f" in {amount(found.n_rows, 'row')}" if found.n_rows != found.n_rankings else ""
    least, median, most = found.lengths
    spread = (
        amount(least, "item") if least == most else f"{least} to {most} items, median {median:g}"
    )
    repeated = f"; the most frequent occurs {found.most_repeated:,} times"
    half = min(shown, max(1, len(found.preferred) // 2))
    lines = [
        ("rankings", f"{found.n_rankings:,}{rows}"),
        ("items", f"{found.n_items:,}"),
        *_listed("kinds", [f"{kind}: {n:,}" for kind, n in found.kinds.items()]),
        ("lengths", spread),
        *([] if least == found.n_items else [("unranked", _MEANINGS[found.unranked])]),
        ("with ties", f"{found.n_tied:,}"),
        ("distinct", f"{found.n_distinct:,}" + (repeated if found.most_repeated > 1 else "")),
        *_listed("most preferred", _shown(found.preferred[:half])),
        *_listed("least preferred", _shown(found.preferred[-half:][::-1])),
    ]
    if found.agreement is not None:
        from rankcut.consensus.words import agreement_sentence

        said = agreement_sentence(found.agreement, 0.95).removeprefix("Agreement: ")
        lines.append(("agreement", said.rstrip(".")))
    known = [f"{shorten(name)} ({amount(n, 'value')})" for name, n in found.columns.items()]
    if len(known) > MOST_ITEMS:
        known[MOST_ITEMS:] = [f"and {len(known) - MOST_ITEMS} more"]
    lines.extend(_listed("columns", known))
    return lines + _listed("problems", found.problems or ["none"])


def _shown(preferences: "list[Preference]") -> list[str]:
    from rankcut.pictures.theme import shorten

    return [
        f"{shorten(p.item)} (beats {p.beats:.0%} of the others, "
        f"in {amount(p.n_rankings, 'ranking')})"
        for p in preferences
    ]


def _listed(name: str, values: list[str]) -> list[tuple[str, str]]:
    return [(name if i == 0 else "", value) for i, value in enumerate(values)]
