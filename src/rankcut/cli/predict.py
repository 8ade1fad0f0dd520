"""``rankcut predict``: classes, numbers or rankings by a saved model."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcut.cli.blocs import member_columns
from rankcut.cli.command import with_options
from rankcut.cli.complete import Top, write_completed
from rankcut.cli.options import Explain
from rankcut.cli.output import TABLES, Results, say
from rankcut.cli.reading import RankingFile, Reading, parsed_delimiter, parsed_header
from rankcut.cli.writing import named_rows
from rankcut.errors import InputError, RankingFileError

if TYPE_CHECKING:
    from rankcut.rankings.ranking_set import RankingSet
    from rankcut.saved_models import SavedModel


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
    of people. Loading a model runs no code of its file; types that no command saves are refused.

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

            found = explain_model(saved.model, rankings.expanded().dense())
            for line in found.summary().split("\n"):
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
