"""``rankcut blocs``: which groups people fall into."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from rankcut.cli.command import option, with_options
from rankcut.cli.options import By, Confidence, LeftOut, People
from rankcut.cli.output import (
    SUFFIXES,
    Results,
    named_rows,
    note,
    working,
)
from rankcut.cli.reading import RankingFile, Reading, known_values
from rankcut.errors import InputError, amount

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rankcut.rankings.ranking_set import RankingSet


@dataclass(frozen=True)
class BlocOptions:
    """How many blocs, and of whom."""

    number: Annotated[
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
    most: Annotated[int, option("Number of items to list.", "-n", min=1)] = 8
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
    number = _parsed_number(options.number)
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
    outputs.answer(report, rankings.title, options.most)


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
