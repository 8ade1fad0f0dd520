"""``rankcut classify`` and ``rankcut regress``: how well rankings predict a class or a number."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from rankcut.cli.command import option, with_options
from rankcut.cli.options import Explain, FoldGroup, Folds, GraphOptions, LeftOut, Seed
from rankcut.cli.output import TABLES, Outputs, Results, needs_skops, note, working
from rankcut.cli.reading import RankingFile, Reading, known_values, labelled, numbered
from rankcut.cli.writing import columns_of, score_lines
from rankcut.errors import amount

if TYPE_CHECKING:
    from rankcut.graphs.item_graph import ItemGraph
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


@dataclass(frozen=True)
class LearningOptions(GraphOptions):
    """What to learn from, and how to test it."""

    unranked: LeftOut = "error"
    explain: Explain = False
    folds: Folds = 5
    group: FoldGroup = None
    seed: Seed = 0

    def graph_for(self, model: str) -> "ItemGraph | None":
        """The item graph; of near items for views, which find out what unranked items mean."""
        if model == "views" and self.unranked != "error":
            note("--unranked is not needed: --model views finds out from the rankings")
        return self.item_graph(near=model == "views")

    def features(self, rankings: "RankingSet") -> dict[str, Any]:
        """Parameters of the graph cut features."""
        from rankcut.cuts.options import Completions

        completions = Completions(random_state=self.seed)
        return {"unranked": self.unranked, "items": rankings.labels(), "completions": completions}

    def tested(self, rankings: "RankingSet", file: str) -> dict[str, Any]:
        """Parameters of the cross-validation."""
        groups = None if self.group is None else known_values(rankings, self.group, file)
        return {"folds": self.folds, "groups": groups, "seed": self.seed}


@dataclass(frozen=True)
class ClassifyOptions:
    """What to predict, how, and what to test on."""

    target: Annotated[str, option("Column to predict.", metavar="COLUMN")]
    test: Annotated[str | None, option("Other rankings to test on.", metavar="TEST")] = None
    model: Annotated[
        Literal["views", "logistic", "gp"],
        option(
            "views: the recommended classifier, which combines several views of a ranking; "
            "logistic or gp: logistic regression or a Gaussian process on the graph cut features."
        ),
    ] = "views"


@dataclass(frozen=True)
class RegressOptions:
    """What to predict, and how."""

    target: Annotated[str, option("Column of numbers to predict.", metavar="COLUMN")]
    model: Annotated[
        Literal["views", "gp"],
        option(
            "A Gaussian process on several views of a ranking, weighted by what they say "
            "about the number, or on the graph cut features."
        ),
    ] = "views"


class Test(NamedTuple):
    """Scores on some rankings, and how many of these there are of each class."""

    title: str
    sizes: Mapping[str, int]
    scores: list[Any]

    def data(self) -> dict[str, Any]:
        """The same for JSON."""
        scores = [asdict(score) for score in self.scores]
        return {"title": self.title, "classes": dict(self.sizes), "scores": scores}


@with_options(options=ClassifyOptions, learning=LearningOptions, results=Results, reading=Reading)
def classify(
    file: RankingFile,
    options: ClassifyOptions,
    learning: LearningOptions,
    results: Results,
    reading: Reading,
) -> None:
    """Test how well rankings predict a column.

    Cross-validated F1, log-loss and calibration error, compared with baselines: the majority class,
    which items were ranked at all, and Borda points. Rankings without a value are ignored.

    -o MODEL.skops saves the model, fitted to all of FILE, for 'rankcut predict'; -o with .csv,
    .json or .parquet saves the scores.

    Example: rankcut classify votes.csv --target town --items items.csv -o model.skops
    """
    outputs = results.open({".skops": needs_skops, **TABLES}, ".skops")
    graph = learning.graph_for(options.model)

    from rankcut.regression.cross_validation import cross_validate, evaluate, make_classifier

    target, name = options.target, f"rankcut, {options.model}"
    about = [target, learning.group]
    rankings = reading.read(file, expand=True, no_items=about)
    rankings, classes = labelled(rankings, target, file)
    n_items = len(rankings.items)
    classifier = make_classifier(options.model, graph, n_items, learning.features(rankings))
    with working("cross-validation"):
        tested = learning.tested(rankings, file)
        scores = cross_validate(classifier, rankings.ranks, classes, name=name, **tested)
    sizes = _sizes(classes)
    counts = ", ".join(f"{value}: {n:,}" for value, n in sizes.items())
    title = f"{target} ({counts}), {learning.folds}-fold cross-validation"
    tests = [Test(title, sizes, scores)]
    if options.test is not None:
        others = reading.read_for_model(
            options.test, rankings.items, target, expand=True, no_items=about
        )
        others, truth = labelled(others, target, options.test)
        with working("test"):
            scores = evaluate(
                classifier, (rankings.ranks, classes), (others.ranks, truth), name=name
            )
        title = f"{target}, {amount(len(others), 'ranking')} of {options.test}"
        tests.append(Test(title, _sizes(truth), scores))
    data: Any = [test.data() for test in tests]
    lines = [
        line
        for test in tests
        for line in score_lines(test.title, test.scores, _OF_CLASSES, outputs.text)
    ]
    rows = [{"test": test.title, **asdict(score)} for test in tests for score in test.scores]
    outputs.write(columns_of(rows), data)
    effects = _fit(classifier, rankings, classes, outputs, explain=learning.explain)
    if effects is not None:
        data = {"tests": data, "effects": effects.to_dict()}
        lines += effects.summary().split("\n")
    outputs.show_aside(data, lines)
    _save(classifier, rankings, target, outputs)


def _sizes(classes: Any) -> dict[str, int]:
    return dict(sorted(Counter(classes.tolist()).items()))


@with_options(options=RegressOptions, learning=LearningOptions, results=Results, reading=Reading)
def regress(
    file: RankingFile,
    options: RegressOptions,
    learning: LearningOptions,
    results: Results,
    reading: Reading,
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
    graph = learning.graph_for(options.model)

    from rankcut.regression.cross_validation import cross_validate_numbers, make_regressor

    target, name = options.target, f"rankcut, {options.model}"
    rankings = reading.read(file, expand=True, no_items=[target, learning.group])
    rankings, numbers = numbered(rankings, target, file)
    regressor = make_regressor(options.model, graph, learning.features(rankings))
    with working("cross-validation"):
        tested = learning.tested(rankings, file)
        scores = cross_validate_numbers(regressor, rankings.ranks, numbers, name=name, **tested)
    title = f"{target}, {amount(len(rankings), 'ranking')}, {learning.folds}-fold cross-validation"
    data: dict[str, Any] = {"title": title, "scores": [asdict(score) for score in scores]}
    outputs.write(columns_of(data["scores"]), data)
    lines = score_lines(title, scores, _OF_NUMBERS, outputs.text)
    effects = _fit(regressor, rankings, numbers, outputs, explain=learning.explain)
    if effects is not None:
        data["effects"] = effects.to_dict()
        lines += effects.summary().split("\n")
    outputs.show_aside(data, lines)
    _save(regressor, rankings, target, outputs)


def _fit(
    model: Any, rankings: "RankingSet", target: Any, outputs: Outputs, *, explain: bool
) -> Any:
    """Fit the model to all rankings, if it is saved or explained; its effects or None."""
    if explain or outputs.named(".skops"):
        with working("fitting the model to all rankings"):
            model.fit(rankings.ranks, target)
    if not explain:
        return None
    from rankcut.regression.effects import explain as explain_model

    return explain_model(model, rankings.ranks, target)


def _save(model: Any, rankings: "RankingSet", target: str, outputs: Outputs) -> None:
    from rankcut.saved_models import SavedModel, write_model

    outputs.write(skops=lambda place: write_model(SavedModel(model, rankings.items, target), place))
