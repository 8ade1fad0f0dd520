"""``rankcut utilities``: what each person wants, by best–worst tasks, choices or conjoint."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from rankcut.cli.command import option, with_options
from rankcut.cli.options import GraphOptions, LeftOut, People, Seed
from rankcut.cli.output import SUFFIXES, Results, note, say_reading, working
from rankcut.cli.reading import RankingFile, Reading, known_values
from rankcut.errors import InputError, Setting

if TYPE_CHECKING:
    from rankcut.files.tables import TableBlock
    from rankcut.rankings.ranking_set import RankingSet
    from rankcut.results import Result

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
    attributes: Annotated[
        str | None,
        option(
            "Conjoint, a row for each alternative shown: the columns of attributes (default: all "
            "that differ within tasks).",
            metavar="COLUMNS",
        ),
    ] = None
    levels: Annotated[
        str | None,
        option("Attributes whose numbers are levels, not amounts.", metavar="COLUMNS"),
    ] = None
    profiles: Annotated[
        str | None,
        option("Table of profiles, whose shares of preference are the answer.", metavar="FILE"),
    ] = None
    price: Annotated[
        str | None,
        option("Attribute in whose units the answer says what levels are worth.", metavar="COLUMN"),
    ] = None
    unranked: LeftOut = "error"
    number: Annotated[int, option("Number of items to list.", "-n", min=1)] = 20
    seed: Seed = 0

    @property
    def of_profiles(self) -> bool:
        """Whether an option speaks of a conjoint survey."""
        conjoint = (self.attributes, self.levels, self.profiles, self.price)
        return any(each is not None for each in conjoint)


@with_options(options=UtilityOptions, results=Results, reading=Reading)
def utilities(
    file: RankingFile, options: UtilityOptions, results: Results, reading: Reading
) -> None:
    """Estimate what each person wants, by MaxDiff or conjoint.

    Utilities of each person, with those of others as a guide where the person said little. To a
    table with a row for each person and a column for each item (.csv, .parquet; with .json and
    .xlsx also items and errors), a picture of each item's distribution (.png, .svg, .pdf), or a
    page (.html). In conjoint analysis, the table has a row for each alternative shown, with its
    attributes and whether it was chosen, and the answer is part-worths.

    Example: rankcut utilities maxdiff.csv --design design.csv -o utilities.csv

    Example: rankcut utilities conjoint.csv --profiles offers.csv -o shares.csv
    """
    outputs = results.open(SUFFIXES, ".csv")

    from rankcut.utilities.estimator import Utilities
    from rankcut.utilities.profiles import looks_like_profiles

    # Here, a scale is that of utilities, not of ratings in words.
    reading = replace(reading, scale=None)
    if options.design is not None:
        rankings = _designed(file, options, reading)
    else:
        table = reading.read_table(file)
        if table is not None and (options.of_profiles or looks_like_profiles(table)):
            say_reading(file, "read as a conjoint survey: a row for each alternative shown")
            outputs.answer(_conjoint(table, options, reading), "Part-worths", most=options.number)
            return
        rankings = reading.read_filled(
            file, no_items=[options.people], unranked=options.unranked, table=table
        )
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


def _conjoint(table: "TableBlock", options: UtilityOptions, reading: Reading) -> "Result":
    """Part-worths; or shares of profiles, or what levels are worth."""
    from rankcut.utilities.conjoint import Conjoint

    model = Conjoint(
        person=options.people,
        task=reading.ranking,
        chosen=reading.winner,
        attributes=None if options.attributes is None else _names(options.attributes),
        levels=_names(options.levels or ""),
        weight=reading.weight,
        random_state=options.seed,
    )
    with working("part-worths") as say:
        model.fit(table, progress=say)
    if options.price is not None:
        return model.worth(options.price)
    if options.profiles is None:
        return model
    profiles = reading.read_table(options.profiles)
    if profiles is None:
        raise InputError("profiles are a table, as CSV or Excel has them")
    return model.shares(profiles)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


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
