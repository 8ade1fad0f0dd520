"""``rankcut regress``: how well a number can be predicted from the rankings."""

from dataclasses import asdict
from typing import Annotated, Any, Literal

import typer

from rankcut.cli.options import Explain, FoldGroup, Folds, Json, with_options
from rankcut.cli.output import (
    TABLES,
    OutputFiles,
    Outputs,
    columns_of,
    needs_skops,
    print_json,
    print_scores,
    table_writers,
)
from rankcut.cli.reading import Rankings, Reading, known_values, numbered
from rankcut.cli.vector_options import VectorOptions
from rankcut.errors import amount

_SHOWN = {
    "r2": ("R²", 6, ".3f"),
    "error": ("error", 8, ".4g"),
    "coverage": ("95 % intervals hold", 19, ".1%"),
}


@with_options(vectors=VectorOptions, reading=Reading)
def regress(
    file: Rankings,
    reading: Reading,
    vectors: VectorOptions,
    target: Annotated[
        str, typer.Option("--target", metavar="COLUMN", help="Column of numbers to predict.")
    ],
    model: Annotated[
        Literal["views", "gp"],
        typer.Option(
            help="A Gaussian process on several views of a ranking, weighted by what they say "
            "about the number, or on the graph cut features.",
        ),
    ] = "views",
    output: OutputFiles = None,
    as_json: Json = False,
    explain: Explain = False,
    folds: Folds = 5,
    group: FoldGroup = None,
) -> None:
    """Test how well rankings predict a number.

    Cross-validated R², mean absolute error and coverage of 95 % intervals of a Gaussian process,
    beside baselines: the mean, and ridge regression on Borda points. Rankings without a number are
    ignored.

    -o MODEL.skops saves the model, fitted to all of FILE, for 'rankcut predict'; -o with .csv,
    .json or .parquet saves the scores.

    Example: rankcut regress votes.csv --target age -o model.skops
    """
    outputs = Outputs(output, {".skops": needs_skops, **TABLES}, ".skops", as_json=as_json)
    graph = vectors.graph_of_model(model, ("gp",))

    from rankcut.cli.progress import working
    from rankcut.regression.scores import cross_validate_numbers, make_regressor
    from rankcut.saved_models import SavedModel, write_model

    no_items = [target] if group is None else [target, group]
    rankings, numbers = numbered(reading.read(file, expand=True, no_items=no_items), target, file)
    regressor = make_regressor(model, graph, vectors.arguments(rankings))
    with working("cross-validation"):
        scores = cross_validate_numbers(
            regressor,
            rankings.ranks,
            numbers,
            name=f"rankcut, {model}",
            folds=folds,
            groups=None if group is None else known_values(rankings, group, file),
            seed=vectors.seed,
        )
    if explain or outputs.named(".skops"):
        with working("fitting the model to all rankings"):
            regressor.fit(rankings.ranks, numbers)
    rows = [asdict(score) for score in scores]
    explained = None
    if explain:
        from rankcut.regression.effects import explain as explain_model

        explained = explain_model(regressor, rankings.ranks)
    title = f"{target}, {amount(len(rankings), 'ranking')}, {folds}-fold cross-validation"
    if as_json:
        data: dict[str, Any] = {"title": title, "scores": rows}
        print_json(data if explained is None else data | {"effects": explained.to_dict()})
    else:
        print_scores(title, scores, _SHOWN, outputs.text)
        if explained is not None:
            print(explained.summary(), file=outputs.text)
    outputs.write(table_writers(columns_of(rows), {"title": title, "scores": rows}))
    outputs.write(
        {".skops": lambda place: write_model(SavedModel(regressor, rankings.items, target), place)}
    )
