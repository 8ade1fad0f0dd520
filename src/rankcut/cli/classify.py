"""``rankcut classify``: how well a column can be predicted from the rankings."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

from rankcut.cli.options import ComputingInParts, Explain, FoldGroup, Folds, option, with_options
from rankcut.cli.output import TABLES, Outputs, Results, columns_of, needs_skops, table_writers
from rankcut.cli.reading import RankingFile, Reading, known_values, labelled
from rankcut.cli.terminal import score_lines, working
from rankcut.cli.vector_options import VectorOptions
from rankcut.errors import InputError, amount

if TYPE_CHECKING:
    from rankcut.graphs.item_graph import ItemGraph
    from rankcut.regression.cross_validation import Score

Model: TypeAlias = Literal["views", "logistic", "gp"]

_SHOWN = {
    "f1": ("F1", 6, ".3f"),
    "log_loss": ("log-loss", 8, ".4f"),
    "calibration_error": ("calibration error", 17, ".4f"),
}


@dataclass(frozen=True)
class ClassifyOptions:
    """What to predict, and what to test on."""

    target: Annotated[str, option("Column to predict.", metavar="COLUMN")]
    test: Annotated[
        str | None,
        option("Other rankings to test on.", metavar="TEST"),
    ] = None
    model: Annotated[
        Model | None,
        option(
            "views: the recommended classifier, which combines several views of a ranking; "
            "logistic or gp: logistic regression or a Gaussian process on the graph cut features "
            "(default: views, or gp on a cluster)."
        ),
    ] = None
    explain: Explain = False
    folds: Folds = 5
    group: FoldGroup = None


class Test(NamedTuple):
    """Scores on some rankings, and how many of these there are of each class."""

    title: str
    sizes: Mapping[str, int]
    scores: "list[Score]"

    @classmethod
    def of_folds(cls, options: ClassifyOptions, sizes: Mapping[str, int], scores: Any) -> "Test":
        """Scores of a cross-validation."""
        counts = ", ".join(f"{value}: {n:,}" for value, n in sizes.items())
        title = f"{options.target} ({counts}), {options.folds}-fold cross-validation"
        return cls(title, sizes, scores)

    def data(self) -> dict[str, Any]:
        """The same for JSON."""
        scores = [asdict(score) for score in self.scores]
        return {"title": self.title, "classes": dict(self.sizes), "scores": scores}


@with_options(
    options=ClassifyOptions,
    vectors=VectorOptions,
    results=Results,
    computing=ComputingInParts,
    reading=Reading,
)
def classify(
    file: RankingFile,
    options: ClassifyOptions,
    vectors: VectorOptions,
    results: Results,
    computing: ComputingInParts,
    reading: Reading,
) -> None:
    """Test how well rankings predict a column.

    Cross-validated F1, log-loss and calibration error, compared with baselines: the majority class,
    which items were ranked at all, and Borda points. Rankings without a value are ignored.

    -o MODEL.skops saves the model, fitted to all of FILE, for 'rankcut predict'; -o with .csv,
    .json or .parquet saves the scores. On a cluster, Parquet files are fitted by a Gaussian
    process.

    Example: rankcut classify votes.csv --target town --items items.csv -o model.skops
    """
    outputs = results.open({".skops": needs_skops, **TABLES}, ".skops")
    chosen: Model = options.model or ("gp" if computing.on_cluster else "views")
    item_graph = vectors.graph_of_model(chosen, ("logistic", "gp"))
    fitted = None
    if computing.on_cluster:
        if chosen != "gp" or options.test is not None or options.group is not None:
            raise InputError("on a cluster use --model gp, without --test and --group")
        if options.explain:
            raise InputError(
                "--explain needs rankings in memory; save the model, and explain it there"
            )
        rankings = reading.lazily(file, computing.block, no_items=[options.target])
        known_values(rankings.first, options.target, file)
        tests, save = _on_cluster(rankings, options, vectors, computing, item_graph, outputs)
    else:
        if computing.parts is not None:
            raise InputError("--parts is for a cluster: name one with --scheduler or --workers")
        tests, save, fitted = _in_memory(file, options, vectors, reading, chosen, item_graph)
    data: Any = [test.data() for test in tests]
    lines = [
        line
        for test in tests
        for line in score_lines(test.title, test.scores, _SHOWN, outputs.text)
    ]
    rows = [{"test": test.title, **asdict(score)} for test in tests for score in test.scores]
    outputs.write(table_writers(columns_of(rows), data))
    if options.explain and fitted is not None:
        from rankcut.regression.effects import explain

        explained = explain(*fitted())
        data = {"tests": data, "effects": explained.to_dict()}
        lines.append(explained.summary())
    outputs.show_aside(data, lines)
    outputs.write({".skops": save})


def _in_memory(
    file: str,
    options: ClassifyOptions,
    vectors: VectorOptions,
    reading: Reading,
    model: Model,
    graph: "ItemGraph | None",
) -> tuple[list[Test], Any, Any]:
    """Scores, and functions that fit and save the model, and that fit it."""
    from rankcut.regression.cross_validation import cross_validate, evaluate, make_classifier
    from rankcut.saved_models import SavedModel, write_model

    target, group = options.target, options.group
    rankings = reading.read(file, expand=True, no_items=[target, group])
    rankings, classes = labelled(rankings, target, file)
    classifier = make_classifier(model, graph, len(rankings.items), vectors.arguments(rankings))
    name = f"rankcut, {model}"
    with working("cross-validation"):
        scores = cross_validate(
            classifier,
            rankings.ranks,
            classes,
            name=name,
            folds=options.folds,
            groups=None if group is None else known_values(rankings, group, file),
            seed=vectors.seed,
        )
    tests = [Test.of_folds(options, _sizes(classes), scores)]
    if options.test is not None:
        others = reading.read_for_model(
            options.test, rankings.items, target, expand=True, no_items=[target, group]
        )
        others, truth = labelled(others, target, options.test)
        with working("test"):
            scores = evaluate(
                classifier, (rankings.ranks, classes), (others.ranks, truth), name=name
            )
        title = f"{target}, {amount(len(others), 'ranking')} of {options.test}"
        tests.append(Test(title, _sizes(truth), scores))

    def fitted() -> tuple[Any, Any]:
        with working("fitting the model to all rankings"):
            return classifier.fit(rankings.ranks, classes), rankings.ranks

    def save(place: str) -> None:
        write_model(SavedModel(fitted()[0], rankings.items, target), place)

    return tests, save, fitted


def _sizes(classes: Any) -> dict[str, int]:
    return dict(sorted(Counter(classes.tolist()).items()))


def _on_cluster(
    rankings: Any,
    options: ClassifyOptions,
    vectors: VectorOptions,
    computing: ComputingInParts,
    graph: "ItemGraph | None",
    outputs: Outputs,
) -> tuple[list[Test], Any]:
    """The same for Parquet files, whose vectors stay in blocks."""
    from sklearn.pipeline import make_pipeline

    from rankcut.dask.cross_validation import cross_validate
    from rankcut.gp.classifier import GPClassifier
    from rankcut.saved_models import SavedModel, write_model

    target = options.target
    features = vectors.features(rankings.first, graph).fit(rankings.first.ranks)
    fitted = None
    with computing.cluster():
        X, y = computing.vectors(rankings, features).labelled(target)
        with working("cross-validation"):
            scores, sizes = cross_validate(
                X, y, name="rankcut, gp", folds=options.folds, seed=vectors.seed
            )
        if outputs.named(".skops"):
            with working("fitting the model to all rankings"):
                fitted = GPClassifier().fit(X, y)

    def save(place: str) -> None:
        model = make_pipeline(features, fitted)
        write_model(SavedModel(model, rankings.first.items, target), place)

    return [Test.of_folds(options, sizes, scores)], save
