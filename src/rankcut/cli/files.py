"""``rankcut info`` and ``rankcut convert``: what is in a file, and the same in other formats."""

import sys
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from rankcut.cli.command import option, with_options
from rankcut.cli.options import LeftOut
from rankcut.cli.output import (
    Results,
    Spreadsheet,
    check_target,
    fact_lines,
    styled,
)
from rankcut.cli.reading import RankingFile, Reading
from rankcut.errors import InputError, RankingFileError, amount
from rankcut.vocabulary import Written

if TYPE_CHECKING:
    from rankcut.consensus.description import Description, Preference

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
    facts: Annotated[int, option("Number of favourites to list.", "-n", min=1)] = 5,
) -> None:
    """Describe a file of rankings.

    The number of rankings and items, kinds, ties and lengths, the most and least preferred items,
    repeated rankings, and problems.

    Example: rankcut info votes.soi
    """
    from rankcut.consensus.description import describe

    outputs = results.open((".json",), ".json")
    rankings = reading.read(file)
    description = describe(rankings, unranked=unranked)
    data: dict[str, Any] = {"title": rankings.title, **asdict(description)}
    outputs.write_json(data)

    def lines() -> list[str]:
        title = [styled(rankings.title, sys.stdout, bold=True)] if rankings.title else []
        return title + fact_lines(_facts(description, facts), sys.stdout)

    outputs.show(data, lines)


def _facts(description: "Description", facts: int) -> list[tuple[str, str]]:
    from rankcut.pictures.theme import MOST_IN_FIGURE, shorten

    rows = (
        f" in {amount(description.n_rows, 'row')}"
        if description.n_rows != description.n_rankings
        else ""
    )
    least, median, most = description.lengths
    spread = (
        amount(least, "item") if least == most else f"{least} to {most} items, median {median:g}"
    )
    repeated = f"; the most frequent occurs {description.most_repeated:,} times"
    half = min(facts, max(1, len(description.preferred) // 2))
    lines = [
        ("rankings", f"{description.n_rankings:,}{rows}"),
        ("items", f"{description.n_items:,}"),
        *_listed("kinds", [f"{kind}: {n:,}" for kind, n in description.kinds.items()]),
        ("lengths", spread),
        *([] if least == description.n_items else [("unranked", _MEANINGS[description.unranked])]),
        ("with ties", f"{description.n_tied:,}"),
        (
            "distinct",
            f"{description.n_distinct:,}" + (repeated if description.most_repeated > 1 else ""),
        ),
        *_listed("most preferred", _shown(description.preferred[:half])),
        *_listed("least preferred", _shown(description.preferred[-half:][::-1])),
    ]
    if description.agreement is not None:
        words = description.agreement.sentence().removeprefix("Agreement: ")
        lines.append(("agreement", words.rstrip(".")))
    columns = []
    # Questions of an export that begin alike are one line.
    for name, alike in groupby(description.columns.items(), lambda column: shorten(column[0])):
        values = [n for _, n in alike]
        n_columns = amount(len(values), "column")
        columns.append(f"{name} ({n_columns if len(values) > 1 else amount(values[0], 'value')})")
    if len(columns) > MOST_IN_FIGURE:
        columns[MOST_IN_FIGURE:] = [f"and {len(columns) - MOST_IN_FIGURE} more"]
    lines.extend(_listed("columns", columns))
    return lines + _listed("problems", description.problems or ["none"])


def _shown(preferences: "list[Preference]") -> list[str]:
    from rankcut.pictures.theme import shorten

    return [
        f"{shorten(p.item)} (beats {100 * p.beats:.0f} % of the others, "
        f"in {amount(p.n_rankings, 'ranking')})"
        for p in preferences
    ]


def _listed(name: str, values: list[str]) -> list[tuple[str, str]]:
    return [(name if i == 0 else "", value) for i, value in enumerate(values)]


@with_options(reading=Reading)
def convert(
    file: RankingFile,
    out: Annotated[str, typer.Argument(metavar="OUT", help="Output file (- for standard output).")],
    reading: Reading,
    to: Annotated[
        Written | None, option("Format of OUT (default: by its suffix).", "--to", "-t")
    ] = None,
    to_layout: Annotated[Literal["wide", "long"], option("Layout of the table to write.")] = "wide",
    expand: Annotated[
        bool, option("Write a row for each ranking instead of counts.", "--expand")
    ] = False,
    drop_empty: Annotated[bool, option("Drop rankings that rank nothing.", "--drop-empty")] = False,
    spreadsheet: Spreadsheet = False,
) -> None:
    """Convert rankings between formats.

    PrefLib (soc, soi, toc, toi), CSV, TSV and Parquet, wide or long, and BLT. A file whose name
    ends in .gz is compressed.

    Example: rankcut convert votes.soi votes.csv --expand
    """
    from rankcut.files.formats import chosen_format, write_file

    if out == "-" and to is None:
        raise InputError("standard output has no suffix; name the format with --to")
    check_target(out)
    form = chosen_format(out, to, get_args(Written), "to")
    rankings = reading.read(file)
    if expand:
        rankings = rankings.expanded()
    if drop_empty:
        rankings = rankings.rows(rankings.n_ranked() > 0)
        if len(rankings) == 0:
            raise RankingFileError("no ranking ranks any item", file)
    place = sys.stdout.buffer if out == "-" else out
    write_file(rankings, place, form, layout=to_layout, spreadsheet=spreadsheet)
    sys.stdout.flush()
