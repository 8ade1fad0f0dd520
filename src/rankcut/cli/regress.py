"""``rankcut regress``: how well a number can be predicted from the rankings."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcut.cli.options import Explain, Json, with_options
from rankcut.cli.output import (
    TABLES,
    OutputFiles,
    Outputs,
    needs_skops,
    print_json,
    styled,
    table_writers,
)
from rankcut.cli.reading import Rankings, Reading, known_values, numbered
from rankcut.cli.vectors import VectorOptions
from rankcut.errors import InputError, amount

if TYPE_CHECKING:
    from rankcut.reports.regression import NumberScore


@with_options(vectors=VectorOptions, reading=Reading)
def regress(
    file: Rankings,
    reading: Reading,
    vectors: VectorOptions,
    target: Annotated[
        str, typer.Option("--target", metavar="COLUMN", help="Column of numbers to predict.")
    ],
    output: OutputFiles = None,
    as_json: Json = False,
    explain: Explain = False,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    group: Annotated[
        str | None,
        typer.Option(
            "--group", metavar="COLUMN", help="Rankings with the same value stay in one fold."
        ),
    ] = None,
) -> None:
    """Test how well rankings predict a number.

    Cross-validated R², mean absolute error and coverage of 95 % intervals of a Gaussian process
    on graph cut features, beside baselines: the mean, and ridge regression on Borda points.
    Rankings without a number are ignored.

    -o MODEL.skops saves the model, fitted to all of FILE, for 'rankcut predict'; -o with .csv,
    .json or .parquet saves the scores.

    Example: rankcut regress votes.csv --target age -o model.skops
    """
    outputs = Outputs(output, {".skops": needs_skops, **TABLES}, ".skops")
    if as_json and outputs.to_stdout:
        raise InputError("standard output holds either the model or JSON; write one to a file")
    graph = vectors.item_graph()

    from rankcut.cli.progress import working
    from rankcut.files.models import SavedModel, write_model
    from rankcut.reports.regression import cross_validate_numbers, make_regressor

    no_items = [target] if group is None else [target, group]
    rankings, numbers = numbered(reading.read(file, expand=True, no_items=no_items), target, file)
    model = make_regressor(graph, vectors.arguments(rankings))
    with working("cross-validation"):
        scores = cross_validate_numbers(
            model,
            rankings.ranks,
            numbers,
            name="rankcut, gp",
            folds=folds,
            groups=None if group is None else known_values(rankings, group, file),
            seed=vectors.seed,
        )
    if explain or outputs.named(".skops"):
        with working("fitting the model to all rankings"):
            model.fit(rankings.ranks, numbers)
    rows = [asdict(score) for score in scores]
    explained = None
    if explain:
        from rankcut.explanation.effects import explain as explain_model

        explained = explain_model(model, rankings.ranks)
    title = f"{target}, {amount(len(rankings), 'ranking')}, {folds}-fold cross-validation"
    if as_json:
        data: dict[str, Any] = {"title": title, "scores": rows}
        print_json(data if explained is None else data | {"effects": explained.to_dict()})
    else:
        _print(title, scores, outputs)
        if explained is not None:
            print(explained.summary(), file=sys.stderr if outputs.to_stdout else sys.stdout)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    outputs.write(table_writers(columns, {"title": title, "scores": rows}))
    outputs.write(
        {".skops": lambda place: write_model(SavedModel(model, rankings.items, target), place)}
    )


def _print(title: str, scores: "list[NumberScore]", outputs: Outputs) -> None:
    file = sys.stderr if outputs.to_stdout else sys.stdout
    width = max(len(score.method) for score in scores)
    print(styled(title, file, bold=True), file=file)
    head = f"{'method':<{width}}  {'R²':>6}  {'error':>8}  {'95 % intervals hold':>19}"
    print(styled(head, file, fg="cyan"), file=file)
    for s in scores:
        held = "" if s.coverage is None else f"{s.coverage:.1%}"
        line = f"{s.method:<{width}}  {s.r2:>6.3f}  {s.error:>8.4g}  {held:>19}"
        print(line.rstrip(), file=file)
