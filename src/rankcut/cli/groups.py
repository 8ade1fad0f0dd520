"""``rankcut compare``: whether groups differ; ``rankcut blocs``: which groups people fall into."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from rankcut.cli.command import option, with_options
from rankcut.cli.options import By, Confidence, GraphOptions, LeftOut, Number, People, Seed, Strata
from rankcut.cli.output import SUFFIXES, Results, named_rows, note, working
from rankcut.cli.reading import RankingFile, Reading, column_of, known_values, with_column
from rankcut.errors import InputError, amount

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rankcut.comparison.results import GroupComparison
    from rankcut.rankings.ranking_set import RankingSet


@dataclass(frozen=True)
class CompareOptions(GraphOptions):
    """Which groups to compare, and how."""

    by: By = None
    over: Annotated[
        str | None,
        option(
            "Compare each period, such as a year, with the one before; with --by, in each "
            "group separately.",
            metavar="COLUMN",
        ),
    ] = None
    strata: Strata = None
    people: People = None
    unranked: LeftOut = "error"
    measure: Annotated[
        Literal["places", "strengths", "order", "listing"] | None,
        option(
            "What is compared: mean places; strengths, whatever is shown or listed; strengths "
            "among the items of each list; or which items are listed (default: places of full "
            "rankings, strengths of partial lists)."
        ),
    ] = None
    features: Annotated[
        Literal["mallows", "gaussian"] | None,
        option("Detect any difference, such as more spread (default: differences of means)."),
    ] = None
    n_permutations: Annotated[int, option("Number of random permutations.", min=1)] = 9999
    confidence: Confidence = 0.95
    seed: Seed = 0

    def settings(self) -> dict[str, Any]:
        """As parameters of the library."""
        names = ("unranked", "measure", "features", "n_permutations", "confidence")
        others = {"graph": self.item_graph(near=True), "random_state": self.seed}
        return others | {name: getattr(self, name) for name in names}


@with_options(options=CompareOptions, results=Results, reading=Reading)
def compare(file: RankingFile, options: CompareOptions, results: Results, reading: Reading) -> None:
    """Test whether groups rank differently, and where.

    Full rankings are compared by mean places, each person once (--people), partial lists by
    strengths; groups may differ in spread, in size and in how much people say. P-values and
    intervals of items hold for all items and groups at once. With an item graph (--items or
    --graph) strengths are compared, and so are the differences that similar items share.

    To a page (.html), a picture (.png, .svg, .pdf) or the table of items (.csv, .json, .parquet,
    .xlsx); with --over, these have a row for each comparison. Rankings without a group are left
    out.

    Example: rankcut compare votes.csv --by town -o page.html
    """
    from rankcut.comparison.results import ComparisonSeries
    from rankcut.results.words import LEVEL

    by, over = options.by, options.over
    if by is None and over is None:
        raise InputError("name the groups with --by COLUMN, or periods with --over COLUMN")
    outputs = results.open(SUFFIXES, ".json")
    settings = options.settings()
    rankings = reading.read_filled(
        file, no_items=[by, over, options.strata, options.people], unranked=options.unranked
    )
    tasks = _tasks(rankings, by, over, file)
    named = {"strata": options.strata, "people": options.people}
    columns = {
        key: column_of(rankings, name, file) for key, name in named.items() if name is not None
    }
    compared = _compare_all(rankings, tasks, columns, settings)
    needed = math.ceil(len(compared) / LEVEL)
    if options.n_permutations + 1 < needed:
        note(
            f"{len(compared)} comparisons can only show a change with {needed:,} permutations or "
            "more"
        )
    answer = ComparisonSeries(compared) if over else compared[str(by)]
    outputs.answer(answer, rankings.title)


class _Task(NamedTuple):
    """Rows of the rankings, and the group of each."""

    title: str
    column: str  #: what the groups are values of
    rows: "NDArray[Any]"
    groups: "NDArray[Any]"


def _tasks(rankings: "RankingSet", by: str | None, over: str | None, file: str) -> list[_Task]:
    """The groups; or each period and the one before; or these for each group."""
    import numpy as np

    from rankcut.sample.labels import read_codes

    everything = np.arange(len(rankings))
    if over is None:
        return [_Task(str(by), str(by), everything, column_of(rankings, str(by), file))]
    parts = [("", everything)]
    if by is not None:
        groups = read_codes(column_of(rankings, by, file), len(rankings), "by")
        parts = [
            (f"{value}, ", np.flatnonzero(groups.codes == code))
            for code, value in enumerate(groups.values)
        ]
    column = column_of(rankings, over, file)
    tasks = []
    for name, rows in parts:
        periods = read_codes(column[rows], len(rows), "over")
        for later in range(1, len(periods.values)):
            before, after = (str(periods.values[k]) for k in (later - 1, later))
            both = np.isin(periods.codes, (later - 1, later))
            labels = np.where(periods.codes[both] == later, after, before).astype(object)
            tasks.append(_Task(f"{name}{before} to {after}", over, rows[both], labels))
    if not tasks:
        raise InputError(f"column {over!r} has fewer than two periods", file=file)
    return tasks


def _compare_all(
    rankings: "RankingSet",
    tasks: list[_Task],
    columns: "dict[str, NDArray[Any]]",
    settings: dict[str, Any],
) -> "dict[str, GroupComparison]":
    """Each comparison by its title; of several, those that cannot be made are skipped."""
    from rankcut.comparison.group_differences import compare_groups

    compared, mistakes = {}, []
    for task in tasks:
        labels = {name: column[task.rows] for name, column in columns.items()}
        try:
            with working("permutations"):
                result = compare_groups(rankings.rows(task.rows), task.groups, **labels, **settings)
            compared[task.title] = result
        except InputError as mistake:
            if mistake.row is not None:
                raise mistake.moved(row=int(task.rows[mistake.row])) from None
            mistakes.append((task.title, with_column(mistake, task.column)))
    if not compared:
        raise mistakes[0][1]
    for title, reason in mistakes:
        note(f"{title} is skipped: {reason}")
    return compared


@dataclass(frozen=True)
class BlocOptions:
    """How many blocs, and of whom."""

    n_blocs: Annotated[
        str,
        option(
            "Number of blocs: auto (camps, up to 8), a number, or a range such as 2-8.",
            "--n-blocs",
            "-k",
            metavar="K",
        ),
    ] = "auto"
    by: By = None
    people: People = None
    unranked: LeftOut = "error"
    number: Number = 8
    confidence: Confidence = 0.95


@with_options(options=BlocOptions, results=Results, reading=Reading)
def blocs(file: RankingFile, options: BlocOptions, results: Results, reading: Reading) -> None:
    """Find blocs of people who rank alike.

    Says whether people are one crowd, spread along a line, or in camps, with the size and order of
    each bloc and what sets it apart. To .csv, .json or .parquet, as a map with the blocs in
    colours (.png, .svg, .pdf), or as a page (.html); .skops saves the blocs for 'rankcut predict',
    which writes the bloc of each ranking. With --by, a cross table of blocs and the values of a
    column.

    Example: rankcut blocs votes.soi --unranked anywhere -o blocs.html
    """
    from rankcut.blocs.estimator import RankingBlocs
    from rankcut.blocs.report import BlocReport
    from rankcut.blocs.selection import numbers_of_blocs

    outputs = results.open((*SUFFIXES, ".skops"), ".csv")
    number = _parsed_number(options.n_blocs)
    numbers_of_blocs(number)
    model = RankingBlocs(number, unranked=options.unranked, confidence=options.confidence)
    by, whose = options.by, options.people
    rankings = reading.read_filled(file, no_items=[by, whose], unranked=options.unranked)
    values = None if by is None else known_values(rankings, by, file)
    people = None if whose is None else known_values(rankings, whose, file)
    with working("blocs"):
        model.fit(rankings, people=people)
    report = BlocReport(model, rankings)
    if by is not None and values is not None:
        unknown = int((values == "").sum())
        if unknown:
            note(f"the cross table leaves out {amount(unknown, 'row')} without {by!r}")
        report = report.crossed(by, values, rankings.counts)

    outputs.save(model, rankings.items)
    outputs.answer(report, rankings.title, options.number)


def _parsed_number(text: str) -> Any:
    """``auto``, a number, or the least and the most."""
    if text == "auto":
        return text
    ends = text.split("-")
    if not all(end.strip().isdigit() for end in ends) or len(ends) > 2:
        raise InputError(
            f"must be auto, a number, or a range such as 2-8; got {text!r}", parameter="n_blocs"
        )
    return int(text) if len(ends) == 1 else tuple(map(int, ends))


def member_columns(rankings: "RankingSet", chance: "NDArray[np.float64]") -> dict[str, Any]:
    """A row for each ranking: its bloc, and how probable it is."""
    columns = named_rows(rankings)
    columns["bloc"] = (chance.argmax(axis=1) + 1).tolist()
    columns["probability"] = [round(p, 6) for p in chance.max(axis=1).tolist()]
    return columns
