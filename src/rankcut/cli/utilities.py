"""``rankcut utilities``: what each person wants, from best–worst tasks, choices or rankings."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from rankcut.cli.command import option, with_options
from rankcut.cli.options import GraphOptions, LeftOut, People, Seed
from rankcut.cli.output import SUFFIXES, Results, note, working
from rankcut.cli.reading import RankingFile, Reading, known_values
from rankcut.errors import InputError, Setting

if TYPE_CHECKING:
    from rankcut.rankings.ranking_set import RankingSet

UtilityScale: TypeAlias = Literal["raw", "zero-centred", "probability"]


@dataclass(frozen=True)
class UtilityOptions(GraphOptions):
    """Whose utilities, and on which scale."""

    design: Annotated[
        str | None,
        option(
            "What each task showed (version, task, item columns), if FILE has a row a person.",
            metavar="FILE",
        ),
    ] = None
    scale: Annotated[
        UtilityScale,
        option(
            "raw: log-odds about each person's mean; zero-centred: best and worst 100 apart; "
            "probability: 0 to 100."
        ),
    ] = "raw"
    anchor: Annotated[
        str | None, option("The item whose utility is 0, such as none.", metavar="ITEM")
    ] = None
    people: People = None
    unranked: LeftOut = "error"
    number: Annotated[int, option("Number of items to list.", "-n", min=1)] = 20
    seed: Seed = 0


@with_options(options=UtilityOptions, results=Results, reading=Reading)
def utilities(
    file: RankingFile, options: UtilityOptions, results: Results, reading: Reading
) -> None:
    """Estimate what each person wants, by MaxDiff or choices.

    Utilities of each person, with those of others as a guide where the person said little. To a
    table with a row for each person and a column for each item (.csv, .parquet; with .json and
    .xlsx also items and errors), a picture of each item's distribution (.png, .svg, .pdf), or a
    page (.html).

    Example: rankcut utilities maxdiff.csv --design design.csv -o utilities.csv
    """
    outputs = results.open(SUFFIXES, ".csv")

    from rankcut.utilities.estimator import Utilities

    # Here, a scale is that of utilities, not of ratings in words.
    reading = replace(reading, scale=None)
    if options.design is not None:
        rankings = _designed(file, options, reading)
    else:
        rankings = reading.read_filled(file, no_items=[options.people], unranked=options.unranked)
    model = Utilities(
        options.item_graph(near=True),
        scale=options.scale,
        anchor=options.anchor,
        unranked=options.unranked,
        random_state=options.seed,
    )
    people = None
    if options.people is not None and options.design is None:
        people = known_values(rankings, options.people, file)
    with working("utilities") as say:
        model.fit(rankings, people=people, progress=say)
    outputs.answer(model, rankings.title or "Utilities", most=options.number)


def _designed(file: str, options: UtilityOptions, reading: Reading) -> "RankingSet":
    """Answers with a row for each person, by the design of what was shown."""
    from rankcut.utilities.designs import read_designed

    assert options.design is not None
    answers, design = reading.read_table(file), reading.read_table(options.design)
    if answers is None or design is None:
        raise InputError(
            "answers and their design are tables, as CSV or Excel has them",
            remedy=["leave ", Setting("design"), " out for other files"],
        )
    rankings = read_designed(answers, design, people=options.people)
    for each in rankings.notes:
        note(f"{file}: {each}")
    return rankings
