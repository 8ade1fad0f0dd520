"""``rankcut classify``: how well a column can be told from the rankings."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, TextIO

import typer

from rankcut.cli.cluster import Computing
from rankcut.cli.cutting import Cutting
from rankcut.cli.known_items import with_known_items
from rankcut.cli.known_values import known_values, labelled
from rankcut.cli.reading import Rankings, Reading
from rankcut.cli.sharing import with_options
from rankcut.cli.writing import check_target, destination, report_to
from rankcut.reports.classification import Model, Score


@with_options(cutting=Cutting, computing=Computing, reading=Reading)
def classify(
    file: Rankings,
    reading: Reading,
    cutting: Cutting,
    computing: Computing,
    target: Annotated[str, typer.Option("--target", metavar="COLUMN", help="What to tell.")],
    test: Annotated[
        str | None,
        typer.Option(
            "--test", metavar="TEST", help="Other rankings to test on.", show_default=False
        ),
    ] = None,
    model: Annotated[
        Model,
        typer.Option(
            "--model",
            help="What learns from the vectors: logistic regression or a Gaussian process; or, "
            "without any choice, a classifier that weighs several views of each ranking.",
        ),
    ] = "logistic",
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="MODEL.skops",
            help="Save the model, learned from all of FILE, for 'rankcut predict'; - is standard "
            "output.",
            show_default=False,
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    group: Annotated[
        str | None,
        typer.Option("--group", metavar="COLUMN", help="Rankings to keep in one fold."),
    ] = None,
    parts: Annotated[
        str | None,
        typer.Option(
            "--parts",
            metavar="DIRECTORY",
            help="On a cluster, where vectors are kept: run again, those there are not made anew.",
            show_default=False,
        ),
    ] = None,
    block: Annotated[int, typer.Option(min=1, help="Rankings of a block, on a cluster.")] = 65536,
) -> None:
    """Tell a column from the rankings, and report how well that works.

    Cross-validated F1, log-loss and calibration error, beside baselines: the majority, which
    items were ranked at all, and Borda points. Rankings without a value are left out.

    On a cluster, of Parquet files: a Gaussian process beside the majority.

    Example: rankcut classify votes.csv --target town --items items.csv -o model.skops
    """
    from rankcut.cli.progress import working
    from rankcut.files.models import SavedModel, write_model
    from rankcut.reports.classification import cross_validate, evaluate, make_classifier

    check_target(output)
    if model == "views":
        cutting.check_nothing_chosen("--model views")
    item_graph = cutting.item_graph(near=model == "views")
    no_items = [target] if group is None else [target, group]
    if computing.on_cluster:
        if model != "gp" or test is not None or group is not None:
            raise ValueError(
                "on a cluster, classify has --model gp, and neither --test nor --group"
            )
        from rankcut.cli.classify_pieces import Task, classify_pieces

        task = Task(target, folds, output, parts, block, computing.restart)
        with computing.connected() as client:
            title, scores = classify_pieces(file, reading, cutting, item_graph, task, client)
        _report(title, scores, report_to(output))
        return
    if parts is not None:
        raise ValueError("--parts is for work on a cluster: name one with --scheduler or --workers")
    rankings, classes = labelled(reading.read(file, expand=True, no_items=no_items), target, file)
    classifier = make_classifier(model, item_graph, len(rankings.items), cutting.options(rankings))
    name = f"rankcut, {model}"
    groups = None if group is None else known_values(rankings, group, file)
    with working("cross-validation"):
        scores = cross_validate(
            classifier,
            rankings.ranks,
            classes,
            name=name,
            folds=folds,
            groups=groups,
            seed=cutting.seed,
        )
    report = report_to(output)
    _report(title_of(target, Counter(classes.tolist()), folds), scores, report)
    if test is not None:
        others = reading.read(test, expand=True, no_items=[target])
        others, truth = labelled(others, target, test)
        others = with_known_items(others, rankings.items, test, no_items=no_items)
        scores = evaluate(classifier, (rankings.ranks, classes), (others.ranks, truth), name=name)
        _report(f"{target}, {len(others):,} rankings of {test}", scores, report)
    if output is not None:
        classifier.fit(rankings.ranks, classes)
        with destination(output, ".skops") as place:
            write_model(SavedModel(classifier, rankings.items, target), place)


def title_of(target: str, counts: Mapping[str, int], folds: int) -> str:
    """What the report is about: the classes and how often each occurs."""
    sizes = ", ".join(f"{value}: {n:,}" for value, n in sorted(counts.items()))
    return f"{target} ({sizes}), {folds}-fold cross-validation"


def _report(title: str, scores: list[Score], file: TextIO) -> None:
    width = max(len(score.method) for score in scores)
    lines = [title, f"{'method':<{width}}  {'F1':>6}  {'log-loss':>8}  {'calibration error':>17}"]
    lines += [
        f"{s.method:<{width}}  {s.f1:>6.3f}  {s.log_loss:>8.4f}  {s.calibration_error:>17.4f}"
        for s in scores
    ]
    print("\n".join(lines), file=file)
