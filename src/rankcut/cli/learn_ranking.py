"""``rankcut learn-ranking``: how well rankings can be predicted from facts about people."""

import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcut.cli.command import option, with_options
from rankcut.cli.options import Folds, LeftOut, Seed
from rankcut.cli.output import TABLES, Results, needs_skops, working
from rankcut.cli.reading import Reading
from rankcut.cli.writing import columns_of, score_lines
from rankcut.errors import InputError, RankingFileError, amount

if TYPE_CHECKING:
    from rankcut.files.feature_tables import PersonTable
    from rankcut.rankings.ranking_set import RankingSet

_SHOWN = {"kendall": ("Kendall", 7, ".3f"), "spearman": ("Spearman", 8, ".3f")}


@dataclass(frozen=True)
class LearnOptions:
    """Whose rankings to learn, and how to test it."""

    rankings: Annotated[
        str | None,
        option(
            "Their rankings, in the same order, or matched by --person (default: in TABLE).",
            metavar="FILE",
        ),
    ] = None
    person: Annotated[
        str | None,
        option("Column of TABLE with the names of the rankings.", metavar="COLUMN"),
    ] = None
    unranked: LeftOut = "anywhere"
    folds: Folds = 5
    seed: Seed = 0


@with_options(options=LearnOptions, results=Results, reading=Reading)
def learn_ranking(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="Table of people, with a column for each covariate; or rankings with columns "
            "that describe them.",
            show_default=False,
        ),
    ],
    options: LearnOptions,
    results: Results,
    reading: Reading,
) -> None:
    """Test how well rankings can be predicted from covariates.

    Cross-validated Kendall's tau, Spearman's rho and overlap of the three best (of half the
    items, if there are fewer than six), beside one ranking for all. Covariates may be numbers or
    text, and may be missing.

    -o MODEL.skops saves the model, fitted to all people, for 'rankcut predict'; -o with .csv,
    .json or .parquet saves the scores.

    Example: rankcut learn-ranking people.csv --rankings votes.soi -o model.skops
    """
    outputs = results.open({".skops": needs_skops, **TABLES}, ".skops")

    from rankcut.label_ranking.estimator import RankingRegressor
    from rankcut.label_ranking.scores import cross_validate_rankings, n_best

    people, ranked = _read(table, options.rankings, options.person, reading)
    if ranked.counted:  # a row for each person
        people = people.rows([i for i, n in enumerate(ranked.counts.tolist()) for _ in range(n)])
        ranked = ranked.expanded()
    folds = options.folds
    if len(ranked) < folds:
        raise InputError(
            f"is {folds}, more than the number of rankings, {len(ranked)}", parameter="folds"
        )
    names = list(people.columns)
    covariates = people.covariates(names)
    model = RankingRegressor(unranked=options.unranked, random_state=options.seed)
    with working("cross-validation"):
        scores = cross_validate_rankings(
            model, covariates, ranked.dense(), name="rankcut", folds=folds, seed=options.seed
        )
    title = f"{amount(len(ranked), 'ranking')} from {', '.join(names)}, {folds}-fold"
    data: dict[str, Any] = {"title": title, "scores": [asdict(score) for score in scores]}
    outputs.write(columns_of(data["scores"]), data)
    top = (f"top {n_best(len(ranked.items))}", 6, ".3f")
    lines = score_lines(title, scores, {**_SHOWN, "top_overlap": top}, outputs.text)
    outputs.show_aside(data, lines)

    if outputs.named(".skops"):
        with working("fitting the model to all rankings"):
            model.fit(covariates, ranked.dense())
        outputs.save(model, ranked.items, "ranking", names)


def _read(
    table: str, rankings: str | None, person: str | None, reading: Reading
) -> "tuple[PersonTable, RankingSet]":
    """People and their rankings, in the same order."""
    from rankcut.files.feature_tables import PersonTable, read_people

    if rankings is None:
        both = reading.read(table)
        if not both.columns:
            raise RankingFileError(
                "has no column beside the items to predict rankings from",
                table,
                remedy="name such columns with --columns, or give the rankings with --rankings",
            )
        return PersonTable(dict(both.columns)), both
    if table == rankings == "-":
        raise InputError("TABLE and --rankings cannot both be standard input")
    people = read_people(sys.stdin.buffer if table == "-" else table, person=person)
    ranked = reading.read(rankings)
    if person is None:
        if len(people) != len(ranked):
            raise RankingFileError(
                f"has {amount(len(people), 'row')}, and {rankings} has "
                f"{amount(len(ranked), 'ranking')}",
                table,
                remedy="match them by name with --person",
            )
        return people, ranked
    if ranked.ids is None:
        raise RankingFileError(
            "its rankings have no names to match with --person", rankings, remedy="use --ranking"
        )
    assert people.ids is not None
    place = {name: row for row, name in enumerate(people.ids)}
    names = [str(own) for own in ranked.ids]
    unknown = [name for name in names if name not in place]
    if unknown:
        raise RankingFileError(f"there is no row for ranking {unknown[0]!r} of {rankings}", table)
    return people.rows([place[name] for name in names]), ranked
