"""``rankcut predict``: what a saved model says of rankings."""

import sys
from typing import Annotated

import typer

from rankcut.cli.clusters import member_columns
from rankcut.cli.complete import Top, write_completed
from rankcut.cli.options import Json, with_options
from rankcut.cli.output import TABLES, OutputFiles, Outputs, print_json, records, table_writers
from rankcut.cli.reading import Rankings, Reading
from rankcut.errors import InputError


@with_options(reading=Reading)
def predict(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="Model from 'rankcut classify', 'complete' or 'clusters' (- for standard input).",
        ),
    ],
    file: Rankings,
    reading: Reading,
    output: OutputFiles = None,
    as_json: Json = False,
    top: Top = None,
) -> None:
    """Predict classes, complete rankings or find their blocs, with a saved model.

    A table with probabilities, with completed rankings or with blocs, to CSV, Parquet or JSON; CSV
    on standard output by default. The model file is safe to load: types other than scikit-learn's
    and rankcut's are refused.

    Example: rankcut predict model.skops votes.csv -o predicted.csv
    """
    if model == file == "-":
        raise InputError("standard input holds one of MODEL and FILE; give the other as a file")
    outputs = Outputs(output or ([] if as_json else ["-"]), TABLES, ".csv")

    from rankcut.files.models import SavedBlocs, SavedCompleter, read_model

    saved = read_model(sys.stdin.buffer if model == "-" else model)
    if isinstance(saved, SavedCompleter):
        rankings = reading.read_for_model(file, saved.items, "")
        write_completed(saved.completer, rankings, outputs, top=top, as_json=as_json)
        return
    if top is not None:
        raise InputError("--top is for models from 'rankcut complete'")
    if isinstance(saved, SavedBlocs):
        rankings = reading.read_for_model(file, saved.items, "")
        columns = member_columns(rankings, saved.blocs.predict_membership(rankings.ranks))
        outputs.write(table_writers(columns))
        if as_json:
            print_json(records(columns))
        return
    rankings = reading.read_for_model(file, saved.items, saved.target)
    left_out = rankings.n_ranked() < rankings.ranks.shape[1]
    if saved.needs_all_items and left_out.any():
        raise InputError(
            "leaves out items, and the model was trained with --unranked error",
            file=file,
            row=int(left_out.argmax()),
            remedy="train it again with --unranked last or --unranked anywhere",
        )
    probabilities = saved.classifier.predict_proba(rankings.ranks)
    classes = saved.classifier.classes_
    ids = range(len(rankings)) if rankings.ids is None else rankings.ids
    columns = {"ranking": list(ids)}
    if rankings.counted:
        columns["count"] = rankings.counts.tolist()
    columns[saved.target] = classes[probabilities.argmax(axis=1)].tolist()
    for i, name in enumerate(classes.tolist()):
        columns[f"probability of {name}"] = [round(p, 6) for p in probabilities[:, i].tolist()]
    outputs.write(table_writers(columns))
    if as_json:
        print_json(records(columns))
