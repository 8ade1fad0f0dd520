"""``rankcut classify``, ``regress`` and ``learn-ranking``: models, and how well they predict.

The first two predict a class or a number from rankings, the last rankings from facts about people.
"""

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcut.cli.command import option, with_options
from rankcut.cli.options import Explain, Folds, GraphOptions, LeftOut, Seed
from rankcut.cli.output import TABLES, Outputs, Results, needs_skops, working
from rankcut.cli.reading import RankingFile, Reading, known_values, labelled, numbered
from rankcut.cli.writing import columns_of, score_lines
from rankcut.errors import InputError, RankingFileError, amount

if TYPE_CHECKING:
    from rankcut.files.feature_tables import PersonTable
    from rankcut.rankings.ranking_set import RankingSet

# For each score its heading, its width and its format.
_OF_CLASSES = {
    "f1": ("F1", 6, ".3f"),
    "log_loss": ("log-loss", 8, ".4f"),
    "calibration_error": ("calibration error", 17, ".4f"),
}
_OF_NUMBERS = {
    "r2": ("R²", 6, ".3f"),
    "error": ("error", 8, ".4g"),
    "coverage": ("95 % intervals hold", 19, ".1%"),
}
_OF_RANKINGS = {"kendall": ("Kendall", 7, ".3f"), "spearman": ("Spearman", 8, ".3f")}

Target = Annotated[str, option("Column to predict.", metavar="COLUMN")]


@dataclass(frozen=True)
class LearningOptions(GraphOptions):
    """What to learn from, and how to test it."""

    explain: Explain = False
    folds: Folds = 5
    group: Annotated[
        str | None, option("Rankings with the same value stay in one fold.", metavar="COLUMN")
    ] = None
    seed: Seed = 0

    def tested(self, rankings: "RankingSet", file: str) -> dict[str, Any]:
        """Parameters of the cross-validation."""
        groups = None if self.group is None else known_values(rankings, self.group, file)
        return {"name": "rankcut", "folds": self.folds, "groups": groups, "seed": self.seed}


@with_options(learning=LearningOptions, results=Results, reading=Reading)
def classify(
    file: RankingFile,
    learning: LearningOptions,
    results: Results,
    reading: Reading,
    target: Target,
    test: Annotated[str | None, option("Other rankings to test on.", metavar="TEST")] = None,
) -> None:
    """Test how well rankings predict a column.

    Cross-validated F1, log-loss and calibration error, compared with baselines: the majority class,
    which items were ranked at all, and Borda points. Rankings without a value are ignored.

    -o MODEL.skops saves the model, fitted to all of FILE, for 'rankcut predict'; -o with .csv,
    .json or .parquet saves the scores.

    Example: rankcut classify votes.csv --target town --items items.csv -o model.skops
    """
    outputs = results.open({".skops": needs_skops, **TABLES}, ".skops")
    graph = learning.item_graph(near=True)

    from sklearn.pipeline import make_pipeline

    from rankcut.regression.cross_validation import cross_validate, evaluate
    from rankcut.regression.estimators import RankingClassifier

    about = [target, learning.group]
    rankings = reading.read(file, no_items=about).expanded()
    rankings, classes = labelled(rankings, target, file)
    model = make_pipeline(RankingClassifier(graph, items=rankings.labels()))
    with working("cross-validation"):
        tested = learning.tested(rankings, file)
        scores = cross_validate(model, rankings.ranks, classes, **tested)
    sizes = dict(sorted(Counter(classes.tolist()).items()))
    counts = ", ".join(f"{value}: {n:,}" for value, n in sizes.items())
    tests = {f"{target} ({counts}), {learning.folds}-fold cross-validation": scores}
    if test is not None:
        others = reading.read_for_model(test, rankings.items, target, no_items=about)
        others, truth = labelled(others.expanded(), target, test)
        with working("test"):
            scores = evaluate(
                model, (rankings.ranks, classes), (others.ranks, truth), name="rankcut"
            )
        tests[f"{target}, {amount(len(others), 'ranking')} of {test}"] = scores
    _show(tests, _OF_CLASSES, outputs, model, rankings, classes, target, explain=learning.explain)


@with_options(learning=LearningOptions, results=Results, reading=Reading)
def regress(
    file: RankingFile, learning: LearningOptions, results: Results, reading: Reading, target: Target
) -> None:
    """Test how well rankings predict a number.

    Cross-validated R², mean absolute error and coverage of 95 % intervals of a Gaussian process,
    beside baselines: the mean, and ridge regression on Borda points. Rankings without a number are
    ignored.

    -o MODEL.skops saves the model, fitted to all of FILE, for 'rankcut predict'; -o with .csv,
    .json or .parquet saves the scores.

    Example: rankcut regress votes.csv --target age -o model.skops
    """
    outputs = results.open({".skops": needs_skops, **TABLES}, ".skops")
    graph = learning.item_graph(near=True)

    from sklearn.pipeline import make_pipeline

    from rankcut.gp.regressor import GPRegressor
    from rankcut.regression.cross_validation import cross_validate_numbers
    from rankcut.regression.estimators import ViewFeatures

    rankings = reading.read(file, no_items=[target, learning.group]).expanded()
    rankings, numbers = numbered(rankings, target, file)
    model = make_pipeline(ViewFeatures(graph, items=rankings.labels()), GPRegressor())
    with working("cross-validation"):
        tested = learning.tested(rankings, file)
        scores = cross_validate_numbers(model, rankings.ranks, numbers, **tested)
    title = f"{target}, {amount(len(rankings), 'ranking')}, {learning.folds}-fold cross-validation"
    tests = {title: scores}
    _show(tests, _OF_NUMBERS, outputs, model, rankings, numbers, target, explain=learning.explain)


def _show(
    tests: Mapping[str, list[Any]],
    shown: Mapping[str, tuple[str, int, str]],
    outputs: Outputs,
    model: Any,
    rankings: "RankingSet",
    values: Any,
    target: str,
    *,
    explain: bool,
) -> None:
    """Write and print scores by their titles; explain and save the model, if the user wants it."""
    rows = [{"test": title, **asdict(own)} for title, scores in tests.items() for own in scores]
    data: dict[str, Any] = {"scores": rows}
    lines = [
        line
        for title, scores in tests.items()
        for line in score_lines(title, scores, shown, outputs.text)
    ]
    outputs.write(columns_of(rows), data)
    if explain or outputs.named(".skops"):
        with working("fitting the model to all rankings"):
            model.fit(rankings.ranks, values)
    if explain:
        from rankcut.regression.effects import explain as explain_model

        effects = explain_model(model, rankings.ranks, values)
        data["effects"] = effects.to_dict()
        lines += effects.summary().split("\n")
    outputs.show_aside(data, lines)
    outputs.save(model, rankings.items, target)


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
    lines = score_lines(title, scores, {**_OF_RANKINGS, "top_overlap": top}, outputs.text)
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
