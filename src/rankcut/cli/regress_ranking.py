"""``rankcut regress-ranking``: which covariates move which items, with errors and tests."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rankcut.cli.command import option, with_options
from rankcut.cli.options import Explain, GraphOptions, LeftOut, People, Ties
from rankcut.cli.output import PICTURES, TABLES, Results, note, styled, working
from rankcut.cli.reading import (
    RankingFile,
    Reading,
    column_of,
    item_table,
    known_values,
)
from rankcut.errors import InputError, RankingFileError, amount

if TYPE_CHECKING:
    from rankcut.ranking_regression.estimator import StrengthRegression
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
            raise InputError("name the covariates with --on, as in --on age,gender")
        return [term.strip() for term in self.on.split(",")]

    def coding(self) -> dict[str, Any]:
        """Units and references as parameters of the estimator."""
        return {name: _pairs(getattr(self, name), name) for name in ("units", "reference")}


@with_options(options=RegressionOptions, results=Results, reading=Reading)
def regress_ranking(
    file: RankingFile, options: RegressionOptions, results: Results, reading: Reading
) -> None:
    """Estimate which covariates move which items.

    Strengths of items by the Plackett-Luce model, each with a coefficient for each covariate.
    Standard errors hold even if the model does not (sandwich), and for several rankings of a person
    (--people).

    -o PAGE.html writes a page, -o with .png, .svg or .pdf a forest plot, -o with .csv, .parquet or
    .json the coefficients; -o MODEL.skops saves the model for 'rankcut predict'. Rankings with
    a missing covariate are left out.

    Example: rankcut regress-ranking votes.csv --on age,town --units age=10 --explain -o page.html
    """
    suffixes = (".html", ".skops", *PICTURES, *TABLES)
    outputs = results.open(suffixes, ".csv")
    terms = options.terms()
    options.coding()  # refused before anything is read
    features = _item_features(options)
    names = _covariates(terms, features)
    if not names and outputs.named(".skops"):
        raise InputError("without a covariate there is nothing to predict from; name one with --on")
    rankings = _complete(reading.read_filled(file, no_items=[*names, options.people]), names, file)
    model = _fitted(rankings, terms, names, features, options, file)
    data = {
        "terms": list(model.tests_),
        "coefficients": list(model.coefficients_),
        "sentences": model.explain(),
    }
    title = rankings.title

    def page() -> str:
        from rankcut.ranking_regression.figure import regression_page

        return regression_page(model, title)

    def draw() -> Any:
        return model.plot(**({"title": title} if title else {}))

    outputs.write(model.coefficients_.columns, data, draw=draw, page=page)
    outputs.save(model, rankings.items, "ranking", names)
    outputs.show(data, lambda: _lines(model, options, outputs.text))


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


def _fitted(
    rankings: "RankingSet",
    terms: list[str],
    names: list[str],
    features: "dict[str, Any]",
    options: RegressionOptions,
    file: str,
) -> "StrengthRegression":
    """The model; with a prior, if the likelihood has no maximum and the user leaves it open."""
    from rankcut.files.feature_tables import PersonTable
    from rankcut.ranking_regression.estimator import StrengthRegression
    from rankcut.strengths.regression import NoMaximumError

    people = None if options.people is None else known_values(rankings, options.people, file)
    table = PersonTable({name: column_of(rankings, name, file) for name in names})
    about = {}
    for name in features:
        missing = [item for item in rankings.items if str(item) not in features[name]]
        if missing:
            raise InputError("is not in the table of items", item=missing[0])
        about[name] = [features[name][str(item)] for item in rankings.items]
    model = StrengthRegression(
        on=terms,
        item_features=about or None,
        **options.coding(),
        unranked=options.unranked,
        ties=options.ties,
        prior=options.prior or "none",
        graph=options.item_graph(near=True)
        if options.prior == "evidence" or options.graph
        else None,
    )
    # Terms of features alone need no covariate; the estimator takes at least one.
    covariates = table.covariates(names, framed=True) if names else [[0.0]] * len(rankings)
    with working("fitting"):
        try:
            model.fit(covariates, rankings, people=people)
        except NoMaximumError as mistake:
            if options.prior is not None:
                raise
            note(f"{mistake.problem}, so a prior pulls coefficients to 0 (--prior evidence)")
            model.set_params(prior="evidence").fit(covariates, rankings, people=people)
    # They count rankings, each of a person: no repeats, no survey weights.
    if model.prior == "none" and people is None and rankings.weights is None:
        _add_ratio_tests(model, covariates, rankings)
    return model


def _add_ratio_tests(model: "StrengthRegression", covariates: Any, rankings: "RankingSet") -> None:
    """Add likelihood-ratio tests, for which the model is fitted without each covariate's terms."""
    from sklearn.base import clone

    from rankcut.comparison.results import Table

    terms = {column.term.name: column.term for column in model.formula_.columns}
    found = []
    with working("likelihood-ratio tests"):
        for name in model.tests_["term"]:
            others = [own for own in model.on or () if own != name]
            smaller = clone(model).set_params(on=others, units=None, reference=None)
            known = bool(terms[name].covariates)
            found.append(
                model.likelihood_ratio_test(smaller.fit(covariates, rankings)) if known else None
            )
    columns = {
        "likelihood_ratio": [test and test.statistic for test in found],
        "p_of_ratio": [test and test.p_value for test in found],
    }
    model.tests_ = Table(model.tests_.columns | columns)


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


def _lines(model: "StrengthRegression", options: RegressionOptions, file: Any) -> list[str]:
    from rankcut.ranking_regression.tables import verdict

    lines = [styled(verdict(model), file, bold=True), *model.summary().splitlines()]
    return lines + (["", *model.explain()] if options.explain else [])
