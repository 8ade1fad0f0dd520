"""``rankcut regress-ranking``: which covariates move which items, with errors and tests."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rankcut.cli.command import option, with_options
from rankcut.cli.options import By, Explain, GraphOptions, LeftOut, People, Ties
from rankcut.cli.output import SUFFIXES, Results, note, say_reading, styled, working
from rankcut.cli.reading import (
    RankingFile,
    Reading,
    column_of,
    item_table,
    known_values,
)
from rankcut.errors import InputError, RankingFileError, amount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankcut.ranking_regression.model import StrengthModel
    from rankcut.rankings.ranking_set import RankingSet


@dataclass(frozen=True)
class RegressionOptions(GraphOptions):
    """The formula, and how to fit it."""

    on: Annotated[
        str | None,
        option(
            "Terms: covariates, features of --items, products with a colon, and C(column) for "
            "numbers that are categories.",
            metavar="age,gender",
        ),
    ] = None
    units: Annotated[
        str | None,
        option("Units of numbers; 'deviation': the standard deviation of each.", metavar="age=10"),
    ] = None
    reference: Annotated[
        str | None,
        option("Category to compare others with (default: the most frequent).", metavar="a=b"),
    ] = None
    adjust: Annotated[
        list[str] | None,
        option(
            "A feature of what was shown: length for columns length_a and length_b, or length_X "
            "for each item X; slot or home; may be repeated.",
            metavar="FEATURE",
        ),
    ] = None
    by: By = None
    over: Annotated[
        str | None, option("Column of dates or numbers: strengths over time.", metavar="COLUMN")
    ] = None
    people: People = None
    unranked: LeftOut = "error"
    ties: Annotated[
        Ties,
        option("Tied items are equal (davidson), or have an order that nobody asked for (exact)."),
    ] = "auto"
    prior: Annotated[
        Literal["none", "evidence"] | None,
        option(
            "evidence: pull coefficients to 0, or to those of similar items (default: none, if the "
            "likelihood has a maximum)."
        ),
    ] = None
    explain: Explain = False

    def terms(self) -> list[str]:
        """The terms that the user names."""
        if not self.on:
            if self.adjust or self.by or self.over:
                return []
            raise InputError(
                "name the covariates with --on, as in --on age,gender; or use --adjust, --by or "
                "--over"
            )
        return [term.strip() for term in self.on.split(",")]

    def coding(self) -> dict[str, Any]:
        """Units and references as parameters of the estimator."""
        return {name: _pairs(getattr(self, name), name) for name in ("units", "reference")}


@with_options(options=RegressionOptions, results=Results, reading=Reading)
def regress_ranking(
    file: RankingFile, options: RegressionOptions, results: Results, reading: Reading
) -> None:
    """Estimate what moves which items, and by how much.

    By covariates, features of what was shown, contexts and dates: strengths of items by the
    Plackett-Luce model, with a coefficient for each covariate and item, and one for each feature of
    what was shown. Standard errors are by how much people vary
    (sandwich), each with all of their rankings (--people). Votes and games work, too.
    Rankings that lack something asked for are left out.

    -o PAGE.html writes a page, -o with .png, .svg or .pdf a picture, -o with .csv, .parquet or
    .json the coefficients; -o MODEL.skops saves a model of covariates for 'rankcut predict'.

    Example: rankcut regress-ranking votes.csv --on age,town --units age=10 --explain -o page.html
    """
    outputs = results.open((*SUFFIXES, ".skops"), ".csv")
    terms = options.terms()
    coding = options.coding()
    features = _item_features(options)
    saved = outputs.named(".skops")
    if saved and (options.adjust or options.by or options.over):
        raise InputError("with --adjust, --by or --over there is no model to save")
    names = _covariates(terms, features)
    if saved and not names:
        raise InputError("without a covariate there is nothing to predict from; name one with --on")
    settings = {
        "on": terms,
        "prior": options.prior or "auto",
        "graph": options.item_graph(near=True)
        if options.prior == "evidence" or options.graph
        else None,
        "ties": options.ties,
        "unranked": options.unranked,
        **coding,
    }
    if saved:
        model, rankings = _predicting(file, names, features, options, reading, settings)
        outputs.save(model, rankings.items, "ranking", names)
        title = rankings.title
    else:
        asked = [*names, options.by, options.over, options.people]
        model, title = _describing(file, asked, features, options, reading, settings)
    outputs.save_result(model, title)
    outputs.show(model.to_dict, lambda: _lines(model, options, outputs.text))


def _describing(
    file: str,
    asked: "Sequence[str | None]",
    features: "dict[str, Any]",
    options: RegressionOptions,
    reading: Reading,
    settings: "dict[str, Any]",
) -> "tuple[StrengthModel, str]":
    """The model of votes, games or rankings, and the title of the file."""
    from rankcut.files.columns import read_columns
    from rankcut.leaderboard.games import Games, looks_like_games
    from rankcut.ranking_regression import PlackettLuce

    model = PlackettLuce(adjust=options.adjust, by=options.by, over=options.over, **settings)
    table = reading.read_table(file)
    columns = None if table is None else read_columns(table)
    if columns is not None and looks_like_games(columns):
        games = Games.of_columns(columns, people=options.people)
        say_reading(file, games.read_as)
        about = _of_items(features, games.items)
        with working("fitting"):
            return model.set_params(item_features=about).fit(games), reading.title or ""
    rankings = reading.read_filled(file, no_items=asked, table=table)
    people = None if options.people is None else known_values(rankings, options.people, file)
    about = _of_items(features, rankings.items)
    with working("fitting"):
        model.set_params(item_features=about).fit(rankings, people=people)
    return model, rankings.title


def _predicting(
    file: str,
    names: "list[str]",
    features: "dict[str, Any]",
    options: RegressionOptions,
    reading: Reading,
    settings: "dict[str, Any]",
) -> "tuple[StrengthModel, RankingSet]":
    """The model that is saved: of rankings all of whose covariates are known."""
    from rankcut.files.feature_tables import PersonTable
    from rankcut.ranking_regression import StrengthRegression

    rankings = _complete(reading.read_filled(file, no_items=[*names, options.people]), names, file)
    people = None if options.people is None else known_values(rankings, options.people, file)
    table = PersonTable({name: column_of(rankings, name, file) for name in names})
    model = StrengthRegression(item_features=_of_items(features, rankings.items), **settings)
    with working("fitting"):
        model.fit(table.covariates(names, framed=True), rankings, people=people)
    return model, rankings


def _of_items(features: "dict[str, Any]", items: "Sequence[Any]") -> "dict[str, Any] | None":
    """Features of the items, in their order."""
    about = {}
    for name, values in features.items():
        missing = [item for item in items if str(item) not in values]
        if missing:
            raise InputError("is not in the table of items", item=missing[0])
        about[name] = [values[str(item)] for item in items]
    return about or None


def _item_features(options: RegressionOptions) -> "dict[str, Any]":
    """Features of items by name, each with its items."""
    if options.items is None:
        return {}
    found = item_table(options.items)
    return {
        name: dict(zip(found.items, values, strict=True)) for name, values in found.features.items()
    }


def _covariates(terms: list[str], features: "dict[str, Any]") -> list[str]:
    """The columns of the file that terms name."""
    from rankcut.ranking_regression.formula import names_in

    return [
        name
        for name in dict.fromkeys(n for t in terms for n in names_in(t))
        if name not in features
    ]


def _complete(rankings: "RankingSet", names: list[str], file: str) -> "RankingSet":
    """The rankings all of whose covariates are known."""
    import numpy as np

    known = np.ones(len(rankings), dtype=bool)
    for name in names:
        known &= np.array([v is not None and v == v for v in column_of(rankings, name, file)])
    if not known.any():
        raise RankingFileError(f"no ranking has {', '.join(map(repr, names))}", file)
    if not known.all():
        note(f"{file}: left out {amount(int((~known).sum()), 'row')} without a covariate")
    return rankings.rows(known)


def _pairs(text: str | None, parameter: str) -> Any:
    """``age=10,gender=male`` as a mapping; units may be one word."""
    if text is None or (text, parameter) == ("deviation", "units"):
        return text
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(value for _, _, value in pairs):
        raise InputError(f"must be like column=value; got {text!r}", parameter=parameter)
    return {name.strip(): _number(value.strip()) for name, _, value in pairs}


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _lines(model: "StrengthModel", options: RegressionOptions, file: Any) -> list[str]:
    from rankcut.ranking_regression.words import odds_in_words

    headline, *lines = model.lines()
    explained = ["", *odds_in_words(model)] if options.explain else []
    return [styled(headline, file, bold=True), *lines, *explained]
