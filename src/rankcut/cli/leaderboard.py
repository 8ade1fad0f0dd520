"""``rankcut leaderboard``: ratings of models, players or items, and which places are real."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from rankcut.cli.command import option, topic_option, with_options
from rankcut.cli.options import By, GraphOptions, People, Ties, Unranked
from rankcut.cli.output import SUFFIXES, Results, say_reading, working
from rankcut.cli.reading import RankingFile, Reading, known_values

if TYPE_CHECKING:
    from rankcut.leaderboard.estimator import Leaderboard

Method: TypeAlias = Literal["auto", "strengths", "mean"]
ScaleName: TypeAlias = Literal["elo", "log-odds"]
Prior: TypeAlias = Literal["evidence", "none"]
Aim: TypeAlias = Literal["order", "strengths", "best"]


@dataclass(frozen=True)
class BoardOptions(GraphOptions):
    """How to rate, and what to show."""

    method: Annotated[
        Method,
        option(
            "strengths: Bradley–Terry, or Plackett–Luce for longer lists; mean: mean scores over "
            "data sets; auto: means of a table of scores, or else strengths.",
            "--method",
            "-m",
        ),
    ] = "auto"
    scale: Annotated[
        ScaleName, option("Of ratings: elo, 400 points are odds of 10 to 1; or log-odds.")
    ] = "elo"
    anchor: Annotated[
        str | None,
        option("An item's rating (default: the mean is 1000).", metavar="ITEM=RATING"),
    ] = None
    ties: Annotated[
        Ties,
        option(
            "What a tie means: half, half a win for each, as on public boards; davidson (auto for "
            "votes), that people find items equal; others as in regress-ranking."
        ),
    ] = "auto"
    prior: Annotated[
        Prior,
        option("evidence: ratings with few votes go to the middle; none: maximum likelihood."),
    ] = "evidence"
    adjust: Annotated[
        list[str] | None,
        option(
            "A feature of what was shown to adjust for (style control): length for columns "
            "length_a and length_b; slot or home; may be repeated.",
            metavar="FEATURE",
        ),
    ] = None
    by: By = None
    over: Annotated[
        str | None,
        option(
            "Column of dates: ratings change over time, and the board shows the last.",
            metavar="COLUMN",
        ),
    ] = None
    people: People = None
    simultaneous: Annotated[
        bool,
        option("Show the places of the whole table at once, not of each item.", "--simultaneous"),
    ] = False
    number: Annotated[int, option("Number of items to list.", "-n", min=1)] = 20
    next_votes: Annotated[
        int | None,
        option(
            "Print this many comparisons to ask for next instead of the board.", "--next", min=1
        ),
    ] = None
    aim: Annotated[
        Aim,
        topic_option(
            "board",
            "--aim",
            help="What --next is to find: the order, strengths, or the best (as many as --best).",
        ),
    ] = "order"
    best: Annotated[
        int | None,
        topic_option(
            "board",
            "--best",
            help="Say which items are among the best N, and how probably.",
            min=1,
        ),
    ] = None
    n_bootstrap: Annotated[
        int,
        topic_option(
            "board",
            "--n-bootstrap",
            help="Intervals of ratings from this many bootstrap samples of judges, or of votes.",
            min=0,
        ),
    ] = 0
    unranked: Annotated[
        Unranked,
        topic_option(
            "board",
            "--unranked",
            help="Items that a ranking leaves out: an error, last (a top-k list), or anywhere.",
        ),
    ] = "error"
    items: Annotated[
        str | None,
        topic_option(
            "board",
            "--items",
            help="Table of items, or a data set: similar items get similar ratings.",
            metavar="ITEMS.csv",
        ),
    ] = None
    graph: Annotated[
        str | None,
        topic_option(
            "board", "--graph", help="Item graph from 'rankcut graph'.", metavar="GRAPH.npz"
        ),
    ] = None
    seed: Annotated[
        int, topic_option("board", "--seed", help="Seed of the random numbers.", min=0)
    ] = 0


@with_options(options=BoardOptions, results=Results, reading=Reading)
def leaderboard(
    file: RankingFile, options: BoardOptions, results: Results, reading: Reading
) -> None:
    """Rate models, players or items by votes, games or scores.

    Each gets a rating, its interval, and the places that are possible: for this item alone or, with
    --simultaneous, for the whole table at once. -o writes a table (.csv, .json, .parquet,
    .xlsx), a picture (.png, .svg, .pdf), or a page (.html).

    Example: rankcut leaderboard votes.csv --anchor "GPT 4=1000" -o board.html
    """
    outputs = results.open(SUFFIXES, ".csv")
    board, title = _fitted(file, options, reading)
    if options.next_votes is None:
        outputs.answer(board, title, most=options.number)
        return
    pairs = board.next_comparisons(options.next_votes, aim=options.aim, k=options.best or 1)
    outputs.answer(pairs, title, most=options.next_votes)


def _fitted(file: str, options: BoardOptions, reading: Reading) -> "tuple[Leaderboard, str]":
    """The board of a file, and its title."""
    from rankcut.files.columns import read_columns
    from rankcut.leaderboard.estimator import Leaderboard, games_or_scores

    board = Leaderboard(
        options.method,
        scale=options.scale,
        anchor=options.anchor,
        ties=options.ties,
        prior=options.prior,
        adjust=options.adjust,
        by=options.by,
        over=options.over,
        graph=options.item_graph(near=True),
        best=options.best,
        n_bootstrap=options.n_bootstrap,
        simultaneous=options.simultaneous,
        unranked=options.unranked,
        random_state=options.seed,
    )
    # There, a scale is that of ratings in words.
    reading = replace(reading, scale=None)
    table = reading.read_table(file)
    with working("leaderboard"):
        if table is not None:
            data = games_or_scores(
                read_columns(table),
                options.method,
                options.people,
                item=reading.item,
                data_set=reading.ranking,
                score=reading.score,
                higher_is_better=reading.higher_is_better,
            )
            if data is not None:
                say_reading(file, data.read_as)
                return board.fit(data), reading.title or ""
        rankings = reading.read_filled(
            file, no_items=[options.people], unranked=options.unranked, table=table
        )
        people = None if options.people is None else known_values(rankings, options.people, file)
        return board.fit(rankings, people=people), rankings.title
