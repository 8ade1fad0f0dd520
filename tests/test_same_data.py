"""The same data has the same answer, or an error: in any form, order of items, and place.

Each answer of the package is a line of ``ANSWERS``: from rankings ``X`` that are fitted, and later
ones ``Z``, to named arrays. Axes that have a place for each item are listed, so that answers about
items in another order can be compared.
"""

import inspect
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from ranking_sets import stored
from scipy import sparse
from test_house import PUBLIC, parameters

from rankcut import (
    AgreementGraph,
    CoListingGraph,
    Consensus,
    GraphCutFeatures,
    ItemGraph,
    Leaderboard,
    PlackettLuce,
    RankingBlocs,
    RankingClassifier,
    RankingCompleter,
    RankingRegressor,
    RankingSet,
    RatingFeatures,
    SimilarRankings,
    StrengthRegression,
    SubmodularFeatures,
    Utilities,
    ViewFeatures,
    compare_groups,
    explain,
    from_orders,
    graph_cut_features,
    read_file,
    to_orders,
    write_file,
)
from rankcut import kernels as kernels_room
from rankcut.cuts import all_completions
from rankcut.kernels import lovasz_bregman_divergence, median_lambda
from rankcut.kernels.ranking_kernel import RankingKernel
from rankcut.label_ranking import kendall_score, spearman_score, top_k_overlap
from rankcut.maps import map_rankings
from rankcut.rankings import read_rankings
from rankcut.report.study import read_study
from rankcut.similar import LikenessFeatures, find_similar
from rankcut.strengths import fit_over_time, fit_strengths

ITEMS = ("toro", "uni", "ika", "ebi", "tako")
N_ITEMS = len(ITEMS)
OTHER_ORDER = np.array([3, 0, 4, 1, 2])


def some_rankings(n_rows, seed, *, full=False):
    """Full rankings, or lists of two to four items; the first items are liked more often."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n_rows, N_ITEMS)) - 0.4 * np.arange(N_ITEMS)
    ranks = (-scores).argsort(axis=1).argsort(axis=1) + 1.0
    if not full:
        ranks[ranks > rng.integers(2, N_ITEMS, n_rows)[:, None]] = np.nan
    return ranks


# Weights of an item graph, all different.
WEB = np.add.outer(np.arange(N_ITEMS) ** 2, np.arange(N_ITEMS) ** 2) * (1.0 - np.eye(N_ITEMS))

LISTS, LATER = some_rankings(24, 0), some_rankings(6, 1)
FULL, LATER_FULL = some_rankings(24, 2, full=True), some_rankings(6, 3, full=True)
LABELS = np.arange(24) // 3 % 2
AGES = np.column_stack([np.linspace(-1, 1, 24), LABELS])
LATER_AGES = AGES[:6]
PEOPLE = np.repeat(np.arange(12), 2)
COUNTS = np.arange(24) % 3 + 1
WEIGHTS = 0.5 + np.arange(24) % 4
GUESSES = RankingSet(some_rankings(24, 4, full=True), ITEMS)
SCORES = RankingSet(-some_rankings(3, 5, full=True), ITEMS)


class Answer(NamedTuple):
    """What an answer says of some rankings, and which parameters it has."""

    of: Any  #: from X, Z and parameters to named arrays
    axes: dict[str, tuple[int, ...]]  #: those with a place for each item
    meanings: tuple[str, ...] = ("last", "anywhere")  #: those it knows besides "error"
    parameters: tuple[str, ...] = ()  #: of sample_weight, counts and people
    full: bool = False  #: whether it is for full rankings alone
    by_row: bool = False  #: whether it says something of each row of X, however often it counts


def split(how):
    """Parameters of the constructor, and of fit."""
    ours = {name: value for name, value in how.items() if name == "unranked"}
    return ours, {name: value for name, value in how.items() if name not in ours}


def dense(values):
    return np.asarray(values.todense() if hasattr(values, "todense") else values)


def vectors(model, **options):
    def answer(X, Z, **how):
        ours, theirs = split(how)
        return {"vectors": dense(model(**options, **ours).fit(X, **theirs).transform(Z))}

    return answer


def products(model, **options):
    """Inner products of vectors, whose coordinates are not those of items."""
    inner = vectors(model, **options)

    def answer(X, Z, **how):
        found = inner(X, Z, **how)["vectors"]
        return {"products": found @ found.T}

    return answer


def gram(name, **options):
    def answer(X, Z, **how):
        kernel = getattr(kernels_room, name)(**options, **how)
        return {"gram": kernel(X, Z), "own": kernel(Z), "diagonal": kernel.diag(Z)}

    return answer


def score(function):
    return lambda X, Z, **how: {"score": function(X, for_rows(GUESSES, X), **how)}


def classes(X, Z, **how):
    model = RankingClassifier().fit(X, for_rows(LABELS, X), **how)
    return {"chances": model.predict_proba(Z), "score": model.score(Z, LABELS[:6])}


def views(X, Z, **how):
    found = ViewFeatures().fit(X, for_rows(LABELS, X), **how).transform(Z)
    return {"products": found @ found.T}


def explained(X, Z, **how):
    rows = explain(RankingClassifier().fit(X, for_rows(LABELS, X)), X, for_rows(LABELS, X)).items
    place = {item: i for i, item in enumerate(ITEMS)}
    return {
        "effects": [
            r["effect"] for r in sorted(rows, key=lambda r: place.get(r["item"], r["item"]))
        ]
    }


def regressed(model, **options):
    def answer(X, Z, **how):
        ours, theirs = split(how)
        fitted = model(**options, **ours).fit(for_rows(AGES, X), X, **theirs)
        return {
            "scores": fitted.predict_scores(LATER_AGES),
            "pairs": fitted.predict_pairs(LATER_AGES),
            "score": fitted.score(LATER_AGES, Z),
        }

    return answer


def completed(X, Z, **how):
    ours, theirs = split(how)
    model = RankingCompleter(listing="random", **ours).fit(X, **theirs)
    return {
        "consensus": model.consensus_,
        "utilities": model.transform(Z),
        "pairs": model.predict_pairs(Z),
        "score": model.score(Z),
    }


def blocs(X, Z, **how):
    ours, theirs = split(how)
    model = RankingBlocs(2, **ours).fit(X, **theirs)
    return {
        "strengths": model.strengths_,
        "sizes": model.sizes_,
        "chances": model.predict_membership(Z),
    }


def nearest(X, Z, **how):
    ours, theirs = split(how)
    return {"values": SimilarRankings(n_neighbors=1, **ours).fit(X, **theirs).kneighbors(Z)[0]}


def paired(X, Z, **how):
    return {"values": np.unique(find_similar(X, n=1, **how).to_frame()["similarity"])}


def valued(X, Z, **how):
    ours, theirs = split(how)
    model = Utilities(**ours).fit(X, **theirs)
    return {
        "mean": model.mean_,
        "utilities": model.transform(Z),
        "shares": model.shares().means,
        "camps": [model.camps_.gain],
    }


def combined(method):
    def answer(X, Z, **how):
        ours, theirs = split(how)
        model = Consensus(method, n_bootstraps=20, **ours).fit(X, **theirs)
        return {"scores": model.scores_, "ranking": model.ranking_}

    return answer


def strengths(X, Z, **how):
    fitted = fit_strengths(read_rankings(X, **how))
    return {"theta": fitted.theta, "errors": fitted.standard_errors}


def modelled(X, Z, **how):
    ours, theirs = split(how)
    about = {"age": for_rows(AGES[:, 0], X)}
    model = PlackettLuce(on=["age"], prior="evidence", **ours).fit(X, about=about, **theirs)
    strengths = model.strengths_
    return {"theta": strengths.theta, "errors": strengths.standard_errors}


def over_time(X, Z, **how):
    fitted = fit_over_time(read_rankings(X, **how), for_rows(2020 + np.arange(24) // 8, X))
    return {"theta": fitted.theta, "errors": fitted.standard_errors}


def graph(recipe):
    return lambda X, Z, **how: {"weights": recipe().build_from(X, **how).to_dense()}


def compared(X, Z, **how):
    return {"p": compare_groups(X, for_rows(LABELS, X), n_permutations=99, **how).p_value}


def mapped(X, Z, **how):
    places = map_rankings(X, **how).places
    return {"products": places @ places.T}


def rated(X, Z, **how):
    ours, theirs = split(how)
    board = Leaderboard(scale="log-odds", **ours).fit(X, **theirs)
    return {"ratings": board.ratings_, "errors": board.standard_errors_}


def reported(X, Z, **how):
    """What the report says of items, best first."""
    study = read_study(X, method="borda", **how)
    return {"scores": study.consensus.scores_, "people": study.n_people}


def pictured(X, Z, **how):
    """Where the marks of a picture of the rankings are; its axes may point either way."""
    figure = map_rankings(X, **how).plot()
    paths = [path for c in figure.axes[0].collections for path in c.get_paths()]
    return {"sizes": np.sort([np.ptp(path.vertices, axis=0).max() for path in paths])}


def orders(X, Z, **how):
    return {"lengths": [len(order) for order in to_orders(X)]}


def n_rows(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def for_rows(values, X):
    """One value for each row, or for each of those that are repeated."""
    return values if n_rows(X) == 24 else values[np.repeat(np.arange(24), COUNTS)]


def only(name, function):
    """Of one set of rankings."""
    return lambda X, Z, **how: {name: dense(function(X, **how))}


ITEM_COLUMNS = {"vectors": (1,)}
NONE: dict[str, tuple[int, ...]] = {}
WEIGHTED = ("sample_weight",)
ALL = ("sample_weight", "counts", "people")
PREDICTED = {"scores": (1,), "pairs": (1, 2)}
COMPLETED = {"consensus": (0,), "utilities": (1,), "pairs": (1, 2)}

ANSWERS = {
    "AgreementGraph": Answer(graph(AgreementGraph), {"weights": (0, 1)}, (), WEIGHTED),
    "CoListingGraph": Answer(graph(CoListingGraph), {"weights": (0, 1)}, (), WEIGHTED),
    "Consensus": Answer(combined("strengths"), {"scores": (0,), "ranking": (0,)}, parameters=ALL),
    "Consensus of places": Answer(
        combined("borda"), {"scores": (0,), "ranking": (0,)}, parameters=ALL
    ),
    "GraphCutFeatures": Answer(vectors(GraphCutFeatures), ITEM_COLUMNS),
    "GraphCutFeatures of a learned graph": Answer(
        vectors(GraphCutFeatures, graph=AgreementGraph()), ITEM_COLUMNS, parameters=WEIGHTED
    ),
    "GraphCutFeatures of a named graph": Answer(
        vectors(GraphCutFeatures, graph=ItemGraph(WEB, 5, ITEMS)),
        ITEM_COLUMNS,
    ),
    "SubmodularFeatures": Answer(vectors(SubmodularFeatures), ITEM_COLUMNS),
    "LikenessFeatures": Answer(products(LikenessFeatures), NONE, parameters=WEIGHTED),
    "RankingClassifier": Answer(classes, NONE, (), WEIGHTED),
    "ViewFeatures": Answer(views, NONE, (), WEIGHTED),
    "explain": Answer(explained, NONE, ()),
    "RankingRegressor": Answer(regressed(RankingRegressor), PREDICTED, parameters=WEIGHTED),
    "StrengthRegression": Answer(
        regressed(StrengthRegression, prior="evidence"), PREDICTED, parameters=ALL
    ),
    "RankingCompleter": Answer(completed, COMPLETED, parameters=WEIGHTED),
    "Utilities": Answer(valued, {"mean": (0,), "utilities": (1,), "shares": (0,)}, parameters=ALL),
    "RankingBlocs": Answer(blocs, {"strengths": (1,)}, parameters=ALL),
    "SimilarRankings": Answer(nearest, NONE, parameters=WEIGHTED),
    "find_similar": Answer(paired, NONE),
    "RatingFeatures": Answer(vectors(RatingFeatures, unrated="ignore"), ITEM_COLUMNS, ()),
    "graph_cut_features": Answer(only("vectors", graph_cut_features), ITEM_COLUMNS, by_row=True),
    "KendallFeatures": Answer(products(kernels_room.KendallFeatures), NONE),
    "KendallKernel": Answer(gram("KendallKernel"), NONE, by_row=True),
    "GaussianKernel": Answer(gram("GaussianKernel"), NONE, by_row=True),
    "WeightedKendallKernel": Answer(gram("WeightedKendallKernel"), NONE, by_row=True),
    "MallowsKernel": Answer(gram("MallowsKernel", n_draws=512), NONE, by_row=True),
    "SpearmanKernel": Answer(gram("SpearmanKernel"), NONE, by_row=True),
    "GraphCutKernel": Answer(gram("GraphCutKernel", normalize=True), NONE, by_row=True),
    "RBOKernel": Answer(gram("RBOKernel"), NONE, (), by_row=True),
    "DiffusionKernel": Answer(gram("DiffusionKernel"), NONE, (), full=True),
    "median_lambda": Answer(only("rate", median_lambda), NONE),
    "lovasz_bregman_divergence": Answer(
        lambda X, Z, **how: {"apart": lovasz_bregman_divergence(SCORES, X, **how)},
        NONE,
        ("last",),
        by_row=True,
    ),
    "kendall_score": Answer(score(kendall_score), NONE, parameters=WEIGHTED),
    "spearman_score": Answer(score(spearman_score), NONE, parameters=WEIGHTED),
    "top_k_overlap": Answer(score(top_k_overlap), NONE, parameters=WEIGHTED),
    "fit_strengths": Answer(strengths, {"theta": (0,), "errors": (0,)}, parameters=ALL),
    "fit_over_time": Answer(over_time, {"theta": (0,), "errors": (0,)}, parameters=ALL),
    "PlackettLuce": Answer(modelled, {"theta": (0,), "errors": (0,)}, parameters=ALL),
    "compare_groups": Answer(compared, NONE, parameters=ALL),
    "map_rankings": Answer(mapped, NONE),
    "Leaderboard": Answer(
        rated, {"ratings": (0,), "errors": (0,)}, parameters=("counts", "people")
    ),
    "a picture of the map": Answer(pictured, NONE),
    "report": Answer(reported, NONE, parameters=("sample_weight", "people")),
    "to_orders": Answer(orders, NONE, (), by_row=True),
    "all_completions": Answer(
        only("counts", lambda X: list(map(len, all_completions(X)))), NONE, (), by_row=True
    ),
}

FILES: dict[Any, RankingSet] = {}
FORMS = {
    "list": lambda ranks, items, home: ranks.tolist(),
    "masked array": lambda ranks, items, home: np.ma.masked_invalid(ranks),
    "CSR": lambda ranks, items, home: stored(ranks),
    "pandas": lambda ranks, items, home: frame("pandas", ranks, items),
    "polars": lambda ranks, items, home: frame("polars", ranks, items),
    "RankingSet": lambda ranks, items, home: RankingSet(ranks, items),
    "sparse RankingSet": lambda ranks, items, home: RankingSet(stored(ranks), items),
    "Rankings": lambda ranks, items, home: read_rankings(ranks, items, unranked="anywhere"),
    "CSV": lambda ranks, items, home: from_file(ranks, items, home, "csv"),
    "Parquet": lambda ranks, items, home: from_file(ranks, items, home, "parquet"),
}


MORE_FORMS = {
    "tuple": lambda ranks: tuple(map(tuple, ranks.tolist())),
    "integers": lambda ranks: ranks.astype(np.uint8),
    "objects": lambda ranks: ranks.astype(object),
    "text": lambda ranks: ranks.astype(str),
    "Fortran": np.asfortranarray,
    "COO": sparse.coo_array,
    "CSC": sparse.csc_array,
    "matrix": sparse.csr_matrix,
    "orders": lambda ranks: from_orders(to_orders(ranks, ITEMS), ITEMS).ranks,
    "nullable pandas": lambda ranks: frame("pandas", ranks, ITEMS).astype("Int64"),
    "pyarrow": lambda ranks: frame("polars", ranks, ITEMS).to_arrow(),
}


def frame(library, ranks, items):
    frames = pytest.importorskip(library)
    return frames.DataFrame(dict(zip(items, ranks.T, strict=True)))


def from_file(ranks, items, home, suffix):
    """A set that was written and read again, once for all answers."""
    path = home.parent / f"{np.isnan(ranks).any()} {len(ranks)}.{suffix}"
    if path not in FILES:
        write_file(RankingSet(ranks, items), path)
        FILES[path] = read_file(path)
    return FILES[path]


SLOW = ("RankingRegressor", "RankingBlocs", "RankingCompleter", "explain", "a picture of the map")


def answers(*, parameter="", full=False):
    """The answers that have a parameter, and those for full rankings alone."""
    return [
        pytest.param(answer, id=name, marks=[pytest.mark.slow] * (name in SLOW))
        for name, answer in ANSWERS.items()
        if (not parameter or parameter in answer.parameters) and full >= answer.full
    ]


# They read vectors, ratings or orders, or give back what they are given.
OTHERS = {"GPClassifier", "GPRegressor", "from_ratings"}
# This reads votes, and is PlackettLuce in all else.
OTHERS |= {"BradleyTerry"}
# These read tables of scores or profiles, or several sets at once.
OTHERS |= {"critical_difference", "Conjoint", "reciprocal_rank_fusion"}
# These write rankings, or say what they hold.
OTHERS |= {"to_frame", "write_file", "write_features", "write_gram"}


# These take rankings in blocks of a cluster.
OTHERS |= {"add_up", "merged", "map_rows", "gram"}


def test_every_public_answer_has_a_line():
    """Kernels, estimators and functions of rankings."""
    names = {
        thing.__name__
        for thing in PUBLIC.values()
        if hasattr(thing, "fit")
        or (isinstance(thing, type) and issubclass(thing, RankingKernel))
        or (inspect.isfunction(thing) and {"X", "observed", "rankings"} & {*parameters(thing)})
    }
    assert names - {*ANSWERS} - OTHERS == set()


def same(answer, got, expected, order=None):
    """Compare what an answer says, about items in an order."""
    assert got.keys() == expected.keys()
    for name, values in expected.items():
        values = np.asarray(values)
        for axis in answer.axes.get(name, ()) if order is not None else ():
            values = np.take(values, order, axis=axis)
        assert_allclose(np.asarray(got[name]), values, rtol=1e-4, atol=1e-5, err_msg=name)


def same_or_refused(answer, X, Z, how, expected):
    """The same answer, or an error that says what is wrong."""
    with suppress(ValueError):
        same(answer, answer.of(X, Z, **how), expected)


def known(answer):
    """The rankings of an answer, and what it has to be told of unranked items."""
    if answer.full:
        return FULL, LATER_FULL, {}
    how = {"unranked": answer.meanings[-1]} if answer.meanings else {}
    return LISTS, LATER, how


@pytest.mark.filterwarnings("ignore:X (has|does not have) .*feature names")
@pytest.mark.parametrize("answer", answers(full=True))
def test_in_any_form(answer, tmp_path):
    X, Z, how = known(answer)
    expected = answer.of(X, Z, **how)
    for name, form in FORMS.items():
        one, other = (form(ranks, ITEMS, tmp_path) for ranks in (X, Z))
        same(answer, answer.of(one, other, **how), expected)
        if name in ("CSR", "pandas"):
            same_or_refused(answer, RankingSet(X, ITEMS), other, how, expected)


@pytest.mark.filterwarnings("ignore:X (has|does not have) .*feature names")
@pytest.mark.parametrize(
    "answer",
    # Who lists what with what says nothing where everybody lists everything.
    [each for each in answers(full=True) if each.id != "CoListingGraph"],
)
def test_of_full_rankings_in_rarer_forms(answer):
    expected = answer.of(FULL, LATER_FULL)
    for form in MORE_FORMS.values():
        same(answer, answer.of(form(FULL), form(LATER_FULL)), expected)


@pytest.mark.filterwarnings("ignore:X (has|does not have) .*feature names")
@pytest.mark.parametrize("answer", answers(full=True))
def test_of_items_in_another_order(answer, tmp_path):
    X, Z, how = known(answer)
    items = tuple(ITEMS[i] for i in OTHER_ORDER)
    expected = answer.of(RankingSet(X, ITEMS), RankingSet(Z, ITEMS), **how)
    moved = [RankingSet(ranks[:, OTHER_ORDER], items) for ranks in (X, Z)]
    same(answer, answer.of(*moved, **how), expected, OTHER_ORDER)
    for form in ("RankingSet", "pandas", "polars", "Rankings"):
        later = FORMS[form](Z[:, OTHER_ORDER], items, tmp_path)
        same_or_refused(answer, RankingSet(X, ITEMS), later, how, expected)


@pytest.mark.parametrize("meaning", ["last", "anywhere"])
@pytest.mark.parametrize("answer", answers())
def test_a_set_says_what_unranked_items_mean(answer, meaning):
    says, other = (
        [RankingSet(ranks, ITEMS, unranked=word) for ranks in (LISTS, LATER)]
        for word in (meaning, {"last": "anywhere", "anywhere": "last"}[meaning])
    )
    if meaning not in answer.meanings:
        expected = answer.of(LISTS, LATER, **known(answer)[2])
        same_or_refused(answer, *says, {}, expected)
        return
    expected = answer.of(LISTS, LATER, unranked=meaning)
    same(answer, answer.of(*says), expected)
    same(answer, answer.of(*other, unranked=meaning), expected)
    # What was fitted says it for later rankings; two meanings are refused.
    same_or_refused(answer, says[0], LATER, {}, expected)
    same_or_refused(answer, says[0], other[1], {}, expected)
    expected = answer.of(FULL, LATER, unranked=meaning)
    same_or_refused(answer, FULL, says[1], {}, expected)
    same_or_refused(answer, RankingSet(FULL, ITEMS), says[1], {}, expected)


@pytest.mark.parametrize("answer", answers(parameter="sample_weight"))
def test_weights_of_a_set(answer):
    how = known(answer)[2]
    expected = answer.of(LISTS, LATER, sample_weight=WEIGHTS, **how)
    says = RankingSet(LISTS, ITEMS, weights=WEIGHTS)
    same(answer, answer.of(says, LATER, **how), expected)


@pytest.mark.parametrize("answer", answers(parameter="sample_weight"))
def test_counts_of_a_set_hold_beside_weights(answer):
    how = known(answer)[2]
    expected = answer.of(RankingSet(LISTS, ITEMS, COUNTS, weights=WEIGHTS), LATER, **how)
    says = RankingSet(LISTS, ITEMS, COUNTS)
    same(answer, answer.of(says, LATER, sample_weight=WEIGHTS, **how), expected)
    if "counts" in answer.parameters:
        both = {"counts": COUNTS, "sample_weight": WEIGHTS}
        same(answer, answer.of(LISTS, LATER, **both, **how), expected)
        says = RankingSet(LISTS, ITEMS, weights=WEIGHTS)
        same(answer, answer.of(says, LATER, counts=COUNTS, **how), expected)
    else:
        each = answer.of(LISTS, LATER, sample_weight=COUNTS * WEIGHTS, **how)
        same(answer, each, expected)


@pytest.mark.parametrize("answer", answers())
def test_counts_are_repeated_rows(answer):
    how = known(answer)[2]
    repeated = LISTS if answer.by_row else LISTS[np.repeat(np.arange(24), COUNTS)]
    expected = answer.of(repeated, LATER, **how)
    same_or_refused(answer, RankingSet(LISTS, ITEMS, COUNTS), LATER, how, expected)
    if "counts" in answer.parameters:
        same(answer, answer.of(LISTS, LATER, counts=COUNTS, **how), expected)


SCORED = {
    "RankingClassifier": (
        lambda: RankingClassifier().fit(LISTS, LABELS),
        lambda model, Z, rows, **how: model.score(Z, rows % 2, **how),
    ),
    "RankingRegressor": (
        lambda: RankingRegressor(unranked="anywhere").fit(AGES, LISTS),
        lambda model, Z, rows, **how: model.score(AGES[rows], Z, **how),
    ),
    "StrengthRegression": (
        lambda: StrengthRegression(unranked="anywhere", prior="evidence").fit(AGES, LISTS),
        lambda model, Z, rows, **how: model.score(AGES[rows], Z, **how),
    ),
    "RankingCompleter": (
        lambda: RankingCompleter(unranked="anywhere", listing="random").fit(LISTS),
        lambda model, Z, rows: model.score(Z),
    ),
}


@pytest.mark.parametrize(("fit", "score"), SCORED.values(), ids=SCORED)
def test_scores_count_rows_as_a_set_says(fit, score):
    model, once = fit(), np.arange(24)
    each = np.repeat(once, COUNTS)
    found = score(model, RankingSet(FULL, ITEMS, COUNTS), once)
    assert_allclose(found, score(model, FULL[each], each))
    if model.__class__ is not RankingCompleter:
        weighted = RankingSet(FULL, ITEMS, weights=WEIGHTS)
        expected = score(model, FULL, once, sample_weight=WEIGHTS)
        assert_allclose(score(model, weighted, once), expected)


def test_scores_of_models_are_all_here():
    names = {name.rpartition(".")[2] for name, thing in PUBLIC.items() if hasattr(thing, "score")}
    assert names - {*SCORED} - OTHERS == set()


@pytest.mark.parametrize("answer", answers(parameter="people"))
def test_people_of_a_set(answer):
    how = known(answer)[2]
    expected = answer.of(LISTS, LATER, people=PEOPLE, **how)
    same(answer, answer.of(RankingSet(LISTS, ITEMS, people=PEOPLE), LATER, **how), expected)
