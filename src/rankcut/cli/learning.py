"""``rankcut classify``, ``regress`` and ``learn-ranking``: models, and how well they predict.

The first two predict a class or a number from rankings, the last rankings from facts about people;
``rankcut predict`` uses what they save.
"""

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcut.cli.command import option, with_options
from rankcut.cli.complete import Top, write_completed
from rankcut.cli.groups import member_columns
from rankcut.cli.options import Explain, Folds, GraphOptions, LeftOut, Seed
from rankcut.cli.output import (
    SUFFIXES,
    TABLES,
    Outputs,
    Results,
    named_rows,
    note,
    say,
    working,
)
from rankcut.cli.reading import (
    RankingFile,
    Reading,
    known_values,
    labelled,
    numbered,
    parsed_delimiter,
    parsed_header,
)
from rankcut.errors import InputError, RankingFileError, amount
from rankcut.results import Measure, PredictionScores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankcut.files.feature_tables import PersonTable
    from rankcut.rankings.ranking_set import RankingSet
    from rankcut.saved_models import SavedModel


_OF_CLASSES = {
    "f1": Measure("F1", 6, ".3f"),
    "log_loss": Measure("log-loss", 8, ".4f"),
    "calibration_error": Measure("calibration error", 17, ".4f"),
}
_OF_NUMBERS = {
    "r2": Measure("R²", 6, ".3f"),
    "error": Measure("error", 8, ".4g"),
    "coverage": Measure("95 % intervals hold", 19, ".1%"),
}
_OF_RANKINGS = {
    "kendall": Measure("Kendall", 7, ".3f"),
    "spearman": Measure("Spearman", 8, ".3f"),
}

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

    -o MODEL.skops saves the model, fitted to all of FILE, for 'rankcut predict'; -o
    with another suffix saves the scores.

    Example: rankcut classify votes.csv --target town --items items.csv -o model.skops
    """
    outputs = results.open((".skops", *SUFFIXES), ".skops")
    graph = learning.item_graph(near=True)

    from sklearn.pipeline import make_pipeline

    from rankcut.regression.cross_validation import cross_validate, evaluate
    from rankcut.regression.estimators import RankingClassifier

    about = [target, learning.group]
    rankings = reading.read(file, no_items=about).expanded()
    rankings, classes = _enough_of_each(*labelled(rankings, target, file), learning.folds)
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
    learned = (rankings.ranks, classes), (rankings.items, target)
    _show(tests, _OF_CLASSES, outputs, model, *learned, explain=learning.explain)


def _enough_of_each(
    rankings: "RankingSet", classes: "NDArray[Any]", folds: int
) -> "tuple[RankingSet, NDArray[Any]]":
    """Classes, one where spellings differ by blanks or case, that have a ranking for each fold."""
    import numpy as np

    from rankcut.sample.labels import name_groups, read_groups

    groups = read_groups(classes, len(classes), "target")
    for said in groups.notes:
        note(said.removesuffix(".").replace("Joined with group", "joined with class"))
    sizes = np.bincount(groups.codes, minlength=len(groups.names))
    small = np.flatnonzero(sizes < folds)
    classes = np.array(groups.texts)[groups.codes]
    if not small.size or len(sizes) - len(small) < 2:
        return rankings, classes
    note(f"left out, with fewer rankings than folds: {name_groups(groups.names, small.tolist())}")
    large = np.flatnonzero(~np.isin(groups.codes, small))
    return rankings.rows(large), classes[large]


@with_options(learning=LearningOptions, results=Results, reading=Reading)
def regress(
    file: RankingFile, learning: LearningOptions, results: Results, reading: Reading, target: Target
) -> None:
    """Test how well rankings predict a number.

    Cross-validated R², mean absolute error and coverage of 95 % intervals of a Gaussian process,
    beside baselines: the mean, and ridge regression on Borda points. Rankings without a number are
    ignored.

    -o MODEL.skops saves the model, fitted to all of FILE, for 'rankcut predict'; -o
    with another suffix saves the scores.

    Example: rankcut regress votes.csv --target age -o model.skops
    """
    outputs = results.open((".skops", *SUFFIXES), ".skops")
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
    learned = (rankings.ranks, numbers), (rankings.items, target)
    _show({title: scores}, _OF_NUMBERS, outputs, model, *learned, explain=learning.explain)


def _show(
    tests: Mapping[str, list[Any]],
    measures: Mapping[str, Measure],
    outputs: Outputs,
    model: Any,
    training: tuple[Any, Any],
    about: tuple[Any, ...],
    *,
    explain: bool = False,
) -> None:
    """Write and print scores by their titles; explain and save the model, if the user wants it."""
    scores = PredictionScores(tests, measures)
    data, lines = scores.to_dict(), scores.lines()
    outputs.save_result(scores)
    if explain or outputs.named(".skops"):
        with working("fitting the model to all rankings"):
            model.fit(*training)
    if explain:
        from rankcut.regression.effects import explain as explain_model

        effects = explain_model(model, *training)
        data["effects"] = effects.to_dict()
        lines += effects.sentences()
    outputs.show_aside(data, lines)
    outputs.save(model, *about)


@dataclass(frozen=True)
class LearnOptions:
    """Whose rankings to learn, and how to test it."""

    rankings: Annotated[
        str | None,
        option(
            "Their rankings, in the same order (default: in TABLE).",
            metavar="FILE",
        ),
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
    items, if there are fewer than six), beside one ranking for everyone. Covariates may be numbers
    or text, and may be missing.

    -o MODEL.skops saves the model, fitted to all people, for 'rankcut predict'; -o
    with another suffix saves the scores.

    Example: rankcut learn-ranking people.csv --rankings votes.soi -o model.skops
    """
    outputs = results.open((".skops", *SUFFIXES), ".skops")

    from rankcut.label_ranking.estimator import RankingRegressor
    from rankcut.label_ranking.scores import cross_validate_rankings, n_best

    people, ranked = _read(table, options.rankings, reading)
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
    measures = {
        **_OF_RANKINGS,
        "top_overlap": Measure(f"top {n_best(len(ranked.items))}", 6, ".3f"),
    }
    learned = (covariates, ranked.dense()), (ranked.items, "ranking", names)
    _show({title: scores}, measures, outputs, model, *learned)


def _read(table: str, rankings: str | None, reading: Reading) -> "tuple[PersonTable, RankingSet]":
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
    people = read_people(sys.stdin.buffer if table == "-" else table)
    ranked = reading.read(rankings)
    if len(people) != len(ranked):
        raise RankingFileError(
            f"has {amount(len(people), 'row')}, and {rankings} has "
            f"{amount(len(ranked), 'ranking')}",
            table,
            remedy="give both the same rows, or write them in one table",
        )
    return people, ranked


@with_options(results=Results, reading=Reading)
def predict(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="Model from 'rankcut classify', 'regress', 'learn-ranking', 'regress-ranking', "
            "'complete' or 'blocs' (- for standard input).",
        ),
    ],
    file: RankingFile,
    results: Results,
    reading: Reading,
    explain: Explain = False,
    top: Top = None,
) -> None:
    """Predict classes, numbers or rankings with a saved model.

    A table with probabilities, intervals, rankings or blocs, to CSV, Parquet or JSON; CSV on
    standard output by default. For a model of 'learn-ranking' or 'regress-ranking' FILE is a table
    of people. Loading a model runs no code from the file; types that no command saves are refused.

    --explain prints the effects of places, of pairs and of being listed in these rankings, on
    standard error.

    Example: rankcut predict model.skops votes.csv -o predicted.csv
    """
    if model == file == "-":
        raise InputError("MODEL and FILE cannot both be standard input")
    outputs = results.open(TABLES, ".csv", default=["-"])

    from rankcut.saved_models import read_model

    saved = read_model(sys.stdin.buffer if model == "-" else model)
    if explain and saved.kind not in ("classes", "numbers"):
        raise InputError("--explain is for models that predict classes or numbers")
    if saved.kind == "completions":
        rankings = reading.read_for_model(file, saved.items, "")
        write_completed(saved.model, rankings, outputs, top=top)
        return
    if top is not None:
        raise InputError("--top is for models from 'rankcut complete'")
    if saved.kind == "blocs":
        rankings = reading.read_for_model(file, saved.items, "")
        columns = member_columns(rankings, saved.model.predict_membership(rankings.ranks))
    elif saved.kind == "rankings":
        columns = _rankings(saved, file, reading)
    else:
        rankings = reading.read_for_model(file, saved.items, saved.target)
        columns = (_classes if saved.kind == "classes" else _numbers)(saved, rankings)
        if explain:
            from rankcut.regression.effects import explain as explain_model

            effects = explain_model(saved.model, rankings.expanded().dense())
            for line in effects.sentences():
                say(line, sys.stderr)
    outputs.write_table(columns)


def _classes(saved: "SavedModel", rankings: "RankingSet") -> dict[str, Any]:
    """The most probable class of each ranking, and all probabilities."""
    probabilities = saved.model.predict_proba(rankings.ranks)
    classes = saved.model.classes_
    columns = named_rows(rankings)
    columns[saved.target] = classes[probabilities.argmax(axis=1)].tolist()
    for i, name in enumerate(classes.tolist()):
        columns[f"probability of {name}"] = [round(p, 6) for p in probabilities[:, i].tolist()]
    return columns


def _numbers(saved: "SavedModel", rankings: "RankingSet") -> dict[str, Any]:
    """The number of each ranking, and its 95 % interval."""
    mean, deviation = saved.model.predict(rankings.ranks, return_std=True)
    columns = named_rows(rankings)
    for name, values in (
        (saved.target, mean),
        ("low", mean - 1.96 * deviation),
        ("high", mean + 1.96 * deviation),
    ):
        columns[name] = [float(f"{value:.6g}") for value in values.tolist()]
    return columns


def _rankings(saved: "SavedModel", file: str, reading: Reading) -> dict[str, Any]:
    """The ranking of each person: the rank of each item."""
    from rankcut.files.feature_tables import read_people

    people = read_people(
        sys.stdin.buffer if file == "-" else file,
        delimiter=parsed_delimiter(reading.delimiter),
        header=parsed_header(reading.header),
    )
    missing = [name for name in saved.columns if name not in people.columns]
    if missing:
        raise RankingFileError(f"has no column {missing[0]!r}, which the model needs", file)
    framed = hasattr(saved.model, "feature_names_in_")
    ranks = saved.model.predict(people.covariates(saved.columns, framed=framed))
    columns: dict[str, Any] = {"person": list(range(len(people)))}
    for i, item in enumerate(saved.items):
        columns[str(item)] = ranks[:, i].astype(int).tolist()
    return columns
