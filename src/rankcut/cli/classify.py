"""``rankcut classify``: how well a column can be predicted from the rankings."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

import typer

from rankcut.cli.options import Computing, Explain, FoldGroup, Folds, Json, with_options
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
from rankcut.cli.reading import Rankings, Reading, known_values, labelled
from rankcut.cli.vector_options import VectorOptions
from rankcut.errors import InputError, amount

if TYPE_CHECKING:
    from rankcut.graphs.item_graph import ItemGraph
    from rankcut.regression.classification import Score
    from rankcut.regression.effects import Explanation

Model: TypeAlias = Literal["views", "logistic", "gp"]

_SHOWN = {
    "f1": ("F1", 6, ".3f"),
    "log_loss": ("log-loss", 8, ".4f"),
    "calibration_error": ("calibration error", 17, ".4f"),
}


class Report(NamedTuple):
    """Scores of one test."""

    title: str
    sizes: Mapping[str, int]
    scores: "list[Score]"


@with_options(vectors=VectorOptions, computing=Computing, reading=Reading)
def classify(
    file: Rankings,
    reading: Reading,
    vectors: VectorOptions,
    computing: Computing,
    target: Annotated[str, typer.Option("--target", metavar="COLUMN", help="Column to predict.")],
    test: Annotated[
        str | None,
        typer.Option(
            "--test", metavar="TEST", help="Other rankings to test on.", show_default=False
        ),
    ] = None,
    model: Annotated[
        Model | None,
        typer.Option(
            "--model",
            help="views: the recommended classifier, which combines several views of a ranking; "
            "logistic or gp: logistic regression or a Gaussian process on the graph cut features "
            "(default: views, or gp on a cluster).",
            show_default=False,
        ),
    ] = None,
    output: OutputFiles = None,
    as_json: Json = False,
    explain: Explain = False,
    folds: Folds = 5,
    group: FoldGroup = None,
    parts: Annotated[
        str | None,
        typer.Option(
            "--parts",
            metavar="DIR",
            help="Directory to keep the vectors in, on a cluster.",
            show_default=False,
        ),
    ] = None,
    block: Annotated[int, typer.Option(min=1, help="Rows per block, on a cluster.")] = 65536,
) -> None:
    """Test how well rankings predict a column.

    Cross-validated F1, log-loss and calibration error, compared with baselines: the majority class,
    which items were ranked at all, and Borda points. Rankings without a value are ignored.

    -o MODEL.skops saves the model, fitted to all of FILE, for 'rankcut predict'; -o with .csv,
    .json or .parquet saves the scores. On a cluster, Parquet files are fitted by a Gaussian
    process.

    Example: rankcut classify votes.csv --target town --items items.csv -o model.skops
    """
    outputs = Outputs(output, {".skops": needs_skops, **TABLES}, ".skops", as_json=as_json)
    chosen = model or ("gp" if computing.on_cluster else "views")
    item_graph = vectors.graph_of_model(chosen, ("logistic", "gp"))
    if computing.on_cluster:
        if chosen != "gp" or test is not None or group is not None:
            raise InputError("on a cluster use --model gp, without --test and --group")
        task = _OnCluster(file, target, folds, parts, block)
        if explain:
            raise InputError(
                "--explain needs rankings in memory; save the model, and explain it there"
            )
        reports, save = _on_cluster(task, reading, vectors, computing, item_graph, outputs)
        fitted = None
    else:
        if parts is not None:
            raise InputError("--parts is for a cluster: name one with --scheduler or --workers")
        split = _Split(target, test, folds, group)
        reports, save, fitted = _in_memory(file, split, reading, vectors, chosen, item_graph)
    explained = None if fitted is None or not explain else _explained(*fitted())
    if as_json:
        scores = [_data(report) for report in reports]
        both = {"tests": scores, "effects": None if explained is None else explained.to_dict()}
        print_json(scores if explained is None else both)
    else:
        for report in reports:
            print_scores(report.title, report.scores, _SHOWN, outputs.text)
        if explained is not None:
            print(explained.summary(), file=outputs.text)
    outputs.write(table_writers(_table(reports), [_data(report) for report in reports]))
    outputs.write({".skops": save})


def _explained(model: Any, ranks: Any) -> "Explanation":
    from rankcut.regression.effects import explain

    return explain(model, ranks)


class _Split(NamedTuple):
    """What to predict, and what to test on."""

    target: str
    test: str | None
    folds: int
    group: str | None


def _in_memory(
    file: str,
    split: _Split,
    reading: Reading,
    vectors: VectorOptions,
    model: Model,
    graph: "ItemGraph | None",
) -> tuple[list[Report], Any, Any]:
    """Reports, and functions that fit and save the model, and that fit it."""
    from rankcut.cli.progress import working
    from rankcut.regression.classification import cross_validate, evaluate, make_classifier
    from rankcut.saved_models import SavedModel, write_model

    target, test, folds, group = split
    no_items = [target] if group is None else [target, group]
    rankings, classes = labelled(reading.read(file, expand=True, no_items=no_items), target, file)
    classifier = make_classifier(model, graph, len(rankings.items), vectors.arguments(rankings))
    name = f"rankcut, {model}"
    with working("cross-validation"):
        scores = cross_validate(
            classifier,
            rankings.ranks,
            classes,
            name=name,
            folds=folds,
            groups=None if group is None else known_values(rankings, group, file),
            seed=vectors.seed,
        )
    sizes = dict(sorted(Counter(classes.tolist()).items()))
    reports = [Report(_title(target, sizes, folds), sizes, scores)]
    if test is not None:
        others = reading.read_for_model(
            test, rankings.items, target, expand=True, no_items=no_items
        )
        others, truth = labelled(others, target, test)
        with working("test"):
            scores = evaluate(
                classifier, (rankings.ranks, classes), (others.ranks, truth), name=name
            )
        sizes = dict(sorted(Counter(truth.tolist()).items()))
        title = f"{target}, {amount(len(others), 'ranking')} of {test}"
        reports.append(Report(title, sizes, scores))

    def fitted() -> tuple[Any, Any]:
        with working("fitting the model to all rankings"):
            return classifier.fit(rankings.ranks, classes), rankings.ranks

    def save(place: str) -> None:
        write_model(SavedModel(fitted()[0], rankings.items, target), place)

    return reports, save, fitted


class _OnCluster(NamedTuple):
    """What to predict, and how to share the work."""

    file: str
    target: str
    folds: int
    parts: str | None
    block: int


def _on_cluster(
    task: _OnCluster,
    reading: Reading,
    vectors: VectorOptions,
    computing: Computing,
    graph: "ItemGraph | None",
    outputs: Outputs,
) -> tuple[list[Report], Any]:
    """The same for Parquet files, whose vectors stay in blocks."""
    from sklearn.pipeline import make_pipeline

    from rankcut.cli.progress import steps, working
    from rankcut.dask.cross_validation import cross_validate
    from rankcut.dask.vector_blocks import computed_vectors, write_features
    from rankcut.gp.classifier import GPClassifier
    from rankcut.saved_models import SavedModel, write_model

    file, target, folds, parts, block = task
    rankings = reading.lazily(file, block, no_items=[target])
    known_values(rankings.first, target, file)
    features = vectors.features(rankings.first, graph).fit(rankings.first.ranks)
    fitted = None
    with computing.cluster():
        if parts is None:
            found = computed_vectors(rankings, features)
        else:
            with steps("features") as step:
                found = write_features(
                    rankings, features, parts, restart=computing.restart, progress=step
                )
        X, y = found.labelled(target)
        with working("cross-validation"):
            scores, sizes = cross_validate(X, y, name="rankcut, gp", folds=folds, seed=vectors.seed)
        if outputs.named(".skops"):
            with working("fitting the model to all rankings"):
                fitted = GPClassifier().fit(X, y)

    def save(place: str) -> None:
        model = make_pipeline(features, fitted)
        write_model(SavedModel(model, rankings.first.items, target), place)

    return [Report(_title(target, sizes, folds), sizes, scores)], save


def _title(target: str, sizes: Mapping[str, int], folds: int) -> str:
    counts = ", ".join(f"{value}: {n:,}" for value, n in sizes.items())
    return f"{target} ({counts}), {folds}-fold cross-validation"


def _data(report: Report) -> dict[str, Any]:
    scores = [asdict(score) for score in report.scores]
    return {"title": report.title, "classes": dict(report.sizes), "scores": scores}


def _table(reports: list[Report]) -> dict[str, list[Any]]:
    rows = [{"test": each.title, **asdict(score)} for each in reports for score in each.scores]
    return columns_of(rows)
