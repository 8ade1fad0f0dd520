"""``rankcut predict``: classes of rankings by a saved model."""

import sys
from typing import Annotated, Any

import typer

from rankcut.cli.known_items import with_known_items
from rankcut.cli.reading import Rankings, Reading
from rankcut.cli.sharing import with_options


@with_options(reading=Reading)
def predict(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="From 'rankcut classify -o'; - is standard input."),
    ],
    file: Rankings,
    reading: Reading,
    output: Annotated[
        str, typer.Option("--output", "-o", help="CSV file to write; - is standard output.")
    ] = "-",
) -> None:
    """Predict the class of each ranking with a saved model, as CSV with probabilities.

    The model file is safe to load: types other than scikit-learn's and rankcut's are refused.

    Example: rankcut predict model.skops votes.csv -o predicted.csv
    """
    from rankcut.cli.writing import write_table
    from rankcut.files.models import read_model

    if model == file == "-":
        raise ValueError("give one of MODEL and FILE as -: standard input holds one of them")
    saved = read_model(sys.stdin.buffer if model == "-" else model)
    rankings = with_known_items(reading.read(file), saved.items, file, no_items=[saved.target])
    left_out = rankings.n_ranked() < rankings.ranks.shape[1]
    if saved.needs_all_items and left_out.any():
        raise ValueError(
            f"{file}: row {left_out.argmax()} leaves out items, and the model was trained with "
            "--unranked error; train it again with --unranked last or --unranked anywhere"
        )
    probabilities = saved.classifier.predict_proba(rankings.ranks)
    classes = saved.classifier.classes_
    ids = range(len(rankings)) if rankings.ids is None else rankings.ids
    columns: dict[str, Any] = {
        "ranking": list(ids),
        saved.target: classes[probabilities.argmax(axis=1)].tolist(),
    }
    for i, name in enumerate(classes.tolist()):
        columns[f"probability of {name}"] = [f"{p:.6f}" for p in probabilities[:, i]]
    write_table(columns, output)
