"""``rankcut regress``: how well a number can be predicted from the rankings."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from rankcut.cli.options import Explain, FoldGroup, Folds, option, with_options
from rankcut.cli.output import TABLES, Results, columns_of, needs_skops, table_writers
from rankcut.cli.reading import RankingFile, Reading, known_values, numbered
from rankcut.cli.terminal import score_lines, working
from rankcut.cli.vector_options import VectorOptions
from rankcut.errors import amount

_SHOWN = {
    "r2": ("R²", 6, ".3f"),
    "error": ("error", 8, ".4g"),
    "coverage": ("95 % intervals hold", 19, ".1%"),
}


@dataclass(frozen=True)
class RegressOptions:
    """What to predict, and how to test it."""

    target: Annotated[str, option("Column of numbers to predict.", metavar="COLUMN")]
    model: Annotated[
        Literal["views", "gp"],
        option(
            "A Gaussian process on several views of a ranking, weighted by what they say "
            "about the number, or on the graph cut features."
        ),
    ] = "views"
    explain: Explain = False
    folds: Folds = 5
    group: FoldGroup = None


@with_options(options=RegressOptions, vectors=VectorOptions, results=Results, reading=Reading)
def regress(
    file: RankingFile,
    options: RegressOptions,
    vectors: VectorOptions,
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
    graph = vectors.graph_of_model(options.model, ("gp",))

    from rankcut.regression.cross_validation import cross_validate_numbers, make_regressor
    from rankcut.regression.effects import explain
    from rankcut.saved_models import SavedModel, write_model

    target, group = options.target, options.group
    rankings = reading.read(file, expand=True, no_items=[target, group])
    rankings, numbers = numbered(rankings, target, file)
    regressor = make_regressor(options.model, graph, vectors.arguments(rankings))
    with working("cross-validation"):
        scores = cross_validate_numbers(
            regressor,
            rankings.ranks,
            numbers,
            name=f"rankcut, {options.model}",
            folds=options.folds,
            groups=None if group is None else known_values(rankings, group, file),
            seed=vectors.seed,
        )
    if options.explain or outputs.named(".skops"):
        with working("fitting the model to all rankings"):
            regressor.fit(rankings.ranks, numbers)
    title = f"{target}, {amount(len(rankings), 'ranking')}, {options.folds}-fold cross-validation"
    data: dict[str, Any] = {"title": title, "scores": [asdict(score) for score in scores]}
    outputs.write(table_writers(columns_of(data["scores"]), data))
    lines = score_lines(title, scores, _SHOWN, outputs.text)
    if options.explain:
        explained = explain(regressor, rankings.ranks)
        data["effects"] = explained.to_dict()
        lines.append(explained.summary())
    outputs.show_aside(data, lines)
    outputs.write(
        {".skops": lambda place: write_model(SavedModel(regressor, rankings.items, target), place)}
    )
