"""``rankcut compare``: whether groups rank differently, and where."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rankcut.cli.options import By, Json, Unranked, with_options
from rankcut.cli.output import (
    PICTURES,
    TABLES,
    OutputFiles,
    Outputs,
    picture_writers,
    print_json,
    styled,
    table_writers,
)
from rankcut.cli.reading import Rankings, Reading
from rankcut.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankcut.comparison.results import GroupComparison
    from rankcut.ranking_set import RankingSet

_BAR = 24


@with_options(reading=Reading)
def compare(
    file: Rankings,
    reading: Reading,
    by: By = None,
    over: Annotated[
        str | None,
        typer.Option(
            "--over",
            metavar="COLUMN",
            help="Compare each period, such as a year, with the one before.",
        ),
    ] = None,
    strata: Annotated[
        str | None,
        typer.Option(
            "--strata", metavar="COLUMN", help="Compare only rankings with the same value."
        ),
    ] = None,
    people: Annotated[
        str | None,
        typer.Option(
            "--people", metavar="COLUMN", help="Whose ranking it is, if people rank several times."
        ),
    ] = None,
    unranked: Annotated[
        Unranked,
        typer.Option(
            "--unranked",
            help="Items that a ranking leaves out: an error, last (a top-k list), or anywhere.",
        ),
    ] = "error",
    features: Annotated[
        Literal["mallows", "gaussian"] | None,
        typer.Option(
            "--features",
            help="See any difference, such as more spread (default: differences of means).",
            show_default=False,
        ),
    ] = None,
    permutations: Annotated[int, typer.Option(min=1, help="Number of random permutations.")] = 9999,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the permutations.")] = 0,
    output: OutputFiles = None,
    as_json: Json = False,
) -> None:
    """Test whether groups rank differently, and where.

    Group labels are exchanged among the rankings at random; p is the share of exchanges after which
    groups differ at least as much. P-values of items hold for all items at once.

    -o PAGE.html writes a page, -o with .png, .svg or .pdf a picture, -o with .csv, .parquet or
    .json the table of items. Rankings without a group are left out.

    Example: rankcut compare votes.csv --by town -o page.html
    """
    if (by is None) == (over is None):
        raise InputError("name the groups with --by COLUMN, or periods with --over COLUMN")
    outputs = Outputs(output, {".html": None, **PICTURES, **TABLES}, ".json")
    if as_json and outputs.to_stdout:
        raise InputError("standard output holds either the output or JSON; write one to a file")
    named = [column for column in (by or over, strata, people) if column is not None]
    rankings = reading.read(file, no_items=named)
    options = {
        "unranked": unranked,
        "features": features,
        "n_permutations": permutations,
        "random_state": seed,
    }
    found = [
        (title, _compared(rankings, rows, groups, strata, people, options, file))
        for title, rows, groups in _tasks(rankings, by, over, file)
    ]
    results = [result for _, result in found]
    if len(results) > 1 and outputs.named(*PICTURES, ".csv", ".parquet"):
        raise InputError("several periods go to a .html or .json file, not to a picture or a table")
    data: Any = [{"title": title, **result.to_dict()} for title, result in found]
    data = data if over is not None else data[0]
    if as_json:
        print_json(data)
    else:
        _print(found, sys.stderr if outputs.to_stdout else sys.stdout)
    outputs.write(table_writers(results[0].items.columns, data))
    outputs.write(picture_writers(lambda place: results[0].plot().savefig(place, dpi=150)))

    def page(place: str) -> None:
        from rankcut.files.drafts import atomic_file
        from rankcut.pictures.comparison_page import comparison_page

        with atomic_file(place) as draft:
            draft.write(comparison_page(data if isinstance(data, list) else [data]).encode())

    outputs.write({".html": page})


def _tasks(
    rankings: "RankingSet", by: str | None, over: str | None, file: str
) -> "list[tuple[str, NDArray[Any], NDArray[Any]]]":
    """A title, the rows and their groups, for each comparison."""
    import numpy as np

    from rankcut.comparison.columns import read_codes

    if by is not None:
        return [(by, np.arange(len(rankings)), _column(rankings, by, file))]
    periods = _column(rankings, str(over), file)
    codes, values = read_codes(periods, len(periods), "over")
    if len(values) < 2:
        raise InputError(f"column {over!r} has fewer than two periods", file=file)
    tasks = []
    for later in range(1, len(values)):
        rows = np.flatnonzero((codes == later) | (codes == later - 1))
        title = f"{_name(values[later - 1])} to {_name(values[later])}"
        tasks.append((title, rows, np.array([_name(value) for value in periods[rows]], object)))
    return tasks


def _compared(
    rankings: "RankingSet",
    rows: "NDArray[Any]",
    groups: "NDArray[Any]",
    strata: str | None,
    people: str | None,
    options: dict[str, Any],
    file: str,
) -> "GroupComparison":
    from dataclasses import replace

    from rankcut.cli.progress import working
    from rankcut.comparison.group_differences import compare_groups

    with working("permutations"):
        found = compare_groups(
            rankings.ranks[rows],
            groups,
            strata=None if strata is None else _column(rankings, strata, file)[rows],
            people=None if people is None else _column(rankings, people, file)[rows],
            sample_weight=rankings.counts[rows],
            **options,
        )
    items = rankings.items
    return replace(
        found,
        items=found.items.renamed(items),
        pairs=found.pairs.renamed(items),
        listing=found.listing and replace(found.listing, items=found.listing.items.renamed(items)),
        groups={_name(group): size for group, size in found.groups.items()},
    )


def _column(rankings: "RankingSet", name: str, file: str) -> "NDArray[Any]":
    if name not in rankings.columns:
        known = ", ".join(rankings.columns) or "none"
        raise InputError(f"there is no column {name!r}; columns are: {known}", file=file)
    return rankings.columns[name]


def _name(value: Any) -> str:
    """A label; a whole number without its decimal point."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _print(found: "list[tuple[str, GroupComparison]]", file: Any) -> None:
    for title, result in found:
        if len(found) > 1:
            print(styled(title, file, bold=True), file=file)
        head, *rest = result.summary().splitlines()
        print(styled(head, file, bold=True), file=file)
        for line in _bars(result, file):
            print(line, file=file)
        for line in rest:
            if not line.startswith(("Items that differ", "  ")):
                print(line, file=file)


def _bars(result: "GroupComparison", file: Any) -> list[str]:
    """The items that differ, with a bar for the difference of their places."""
    rows = [row for row in result.items if row["p_value"] <= 0.05]
    if not rows:
        return []
    width = min(max(len(str(row["item"])) for row in rows), 24)
    most = max(row["difference"] for row in rows)
    lines = []
    for row in rows:
        bar = "█" * max(1, round(_BAR * row["difference"] / most))
        name = str(row["item"])[:width]
        lines.append(
            f"  {name:<{width}}  {styled(f'{bar:<{_BAR}}', file, fg='cyan')}  "
            f"{row['difference']:.2f} places higher in {row['higher_in']} than in "
            f"{row['lower_in']} (p = {row['p_value']:.2g})"
        )
    return lines
