"""Strengths against other programs, published values and their own laws."""

import csv
import os
from pathlib import Path

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg
from scipy.sparse import csr_array
from statsmodels.duration.hazard_regression import PHReg

from rankcut.errors import InputError
from rankcut.files import read_file
from rankcut.graphs import as_item_graph
from rankcut.rankings import read_rankings
from rankcut.strengths import ChoiceLikelihood, Choices, Hyperparameters, fit_strengths
from rankcut.strengths import terms as terms_module
from rankcut.strengths.errors import people_who_count

DATA = os.environ.get("RANKCUT_DATA")


def plackett_luce(rng, theta, n_rows, length=None):
    """Rankings by the model: all items, or a random set of some length."""
    n_items = len(theta)
    noisy = theta + rng.gumbel(size=(n_rows, n_items))
    ranks = (-noisy).argsort(axis=1).argsort(axis=1) + 1.0
    if length is not None:
        hidden = rng.random((n_rows, n_items)).argsort(axis=1) >= length
        ranks[hidden] = np.nan
    return ranks


def orders(ranks):
    return [
        [i for i in np.argsort(row) if not np.isnan(row[i])] for row in np.asarray(ranks).tolist()
    ]


def centred(theta):
    return theta - np.mean(theta)


def ring(n_items):
    """A graph in which each item has two neighbours."""
    weights = np.zeros((n_items, n_items))
    for i in range(n_items):
        weights[i, (i + 1) % n_items] = weights[(i + 1) % n_items, i] = 1.0
    return as_item_graph(csr_array(weights))


@pytest.mark.skipif(DATA is None, reason="RANKCUT_DATA names no data")
def test_davidsons_puddings_have_their_published_strengths():
    rows, counts = [], []
    with (Path(DATA) / "plackett-luce" / "pudding.csv").open() as file:
        for pair in csv.DictReader(file):
            for one, other, count in ((1, 2, "w_ij"), (2, 1, "w_ji"), (1, 1, "t_ij")):
                row = np.full(6, np.nan)
                row[[int(pair["i"]) - 1, int(pair["j"]) - 1]] = one, other
                rows.append(row)
                counts.append(float(pair[count]))
    rankings = read_rankings(np.array(rows), unranked="anywhere", counts=counts)
    fit = fit_strengths(rankings, prior="none", errors="information")
    expected = [0.138803, 0.173002, 0.161747, 0.165373, 0.158685, 0.202389]
    np.testing.assert_allclose(fit.worths, expected, atol=1e-6)
    assert np.exp(fit.log_ties[2]) == pytest.approx(0.746823, abs=1e-6)
    own = np.diag(fit.covariance)
    errors = np.sqrt(own[1:] + own[0] - 2 * fit.covariance[0, 1:])
    np.testing.assert_allclose(errors, [0.18722, 0.19352, 0.18821, 0.19270, 0.19241], atol=1e-5)


@pytest.mark.parametrize(("length", "unranked"), [(None, "error"), (4, "anywhere"), (3, "last")])
def test_strengths_are_those_of_choix(length, unranked):
    rng = np.random.default_rng(0)
    ranks = plackett_luce(rng, rng.normal(size=7), 150, length)
    fit = fit_strengths(read_rankings(ranks, unranked=unranked), prior="none")
    if unranked == "last":
        # Each choice of a top-k list is one from all that are left.
        data = []
        for listed in orders(ranks):
            for t, item in enumerate(listed):
                data.append((item, [j for j in range(7) if j not in listed[: t + 1]]))
        expected = choix.opt_top1(7, data, tol=1e-10)
    else:
        expected = choix.opt_rankings(7, orders(ranks), tol=1e-10)
    np.testing.assert_allclose(fit.theta, centred(expected), atol=1e-6)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("tied", [False, True])
def test_strengths_and_errors_are_those_of_a_stratified_cox_model(ties, tied):
    rng = np.random.default_rng(1)
    n_rows, n_items = 60, 5
    ranks = plackett_luce(rng, rng.normal(size=n_items), n_rows)
    if tied:
        ranks = np.ceil(ranks / 2)
    fit = fit_strengths(read_rankings(ranks), prior="none", ties=ties, errors="information")
    design = np.tile(np.eye(n_items)[:, 1:], (n_rows, 1))
    strata = np.repeat(np.arange(n_rows), n_items)
    cox = PHReg(ranks.ravel(), design, strata=strata, ties=ties).fit(disp=0)
    np.testing.assert_allclose(fit.theta[1:] - fit.theta[0], cox.params, atol=1e-6)
    own = np.diag(fit.covariance)
    errors = np.sqrt(own[1:] + own[0] - 2 * fit.covariance[0, 1:])
    np.testing.assert_allclose(errors, cox.bse, atol=1e-6)


def test_the_sandwich_is_that_of_the_scores():
    """By brute force: the inverse curvature around the squares of people's scores.

    Scores are corrected as in CR2: (I − H_g·H⁻¹)^{-1/2}·s_g. With few rankings, 3/40 of what the
    model says is added: three strengths from forty rankings.
    """
    rng = np.random.default_rng(2)
    ranks = plackett_luce(rng, rng.normal(size=4), 40)
    people = np.repeat(np.arange(20), 2)
    rankings = read_rankings(ranks, people=people)
    fit = fit_strengths(rankings, prior=Hyperparameters(2.0))
    likelihood = ChoiceLikelihood(Choices.of(rankings))
    _, _, curvature = likelihood.derivatives(fit.parameters)
    rows = likelihood.scores(fit.parameters).added(np.eye(40))
    sums = rows[::2] + rows[1::2]
    inverse = np.linalg.inv(curvature + np.eye(4) / 2)
    meat = -20 * np.outer(sums.mean(axis=0), sums.mean(axis=0))
    for person, score in enumerate(sums):
        own = ChoiceLikelihood(Choices.of(read_rankings(ranks[people == person])))
        each = np.eye(4) - own.derivatives(fit.parameters)[2] @ inverse
        corrected = np.real(linalg.fractional_matrix_power(each, -0.5)) @ score
        meat += np.outer(corrected, corrected)
    meat += curvature * 3 / 40 + np.eye(4) / 2
    level = np.eye(4) - 1 / 4
    expected = level @ inverse @ meat @ inverse @ level
    np.testing.assert_allclose(fit.covariance, expected, atol=1e-10)
    assert fit.n_people == 20


def test_what_one_person_says_of_an_item_is_as_uncertain_as_people_differ():
    """Twelve people differ in a, b and c; d is compared by one of them alone, 24 times."""
    rng = np.random.default_rng(3)
    pairs = np.array([[0, 1], [0, 2], [1, 2]] * 8)
    rows, people = [], []
    for person in range(12):
        mine = 1.5 * rng.standard_normal(4)
        for one, other in pairs if person else [*pairs, *[(0, 3), (1, 3), (2, 3)] * 8]:
            ahead = rng.random() < 1 / (1 + np.exp(mine[other] - mine[one]))
            ranks = np.full(4, np.nan)
            ranks[[one, other]] = [1, 2] if ahead else [2, 1]
            rows.append(ranks)
            people.append(person)
    fit = fit_strengths(read_rankings(rows, unranked="anywhere", people=people))
    assert fit.freedom <= 11
    squares = np.diag(fit.covariance)[:, None] + np.diag(fit.covariance) - 2 * fit.covariance
    least = fit.pulls.of_differences()
    np.testing.assert_allclose(least, least.T, atol=1e-9)
    # Among the others the sandwich and the model agree; of d the sandwich knows one person.
    assert 0.3 < least[0, 1] / squares[0, 1] < 3
    assert least[0, 3] > 2 * squares[0, 3]
    assert least[0, 3] > 1.0
    alone = fit_strengths(read_rankings(rows, unranked="anywhere"))
    assert alone.pulls is None


def test_counts_are_repeated_rows_and_weights_are_not():
    rng = np.random.default_rng(3)
    ranks = plackett_luce(rng, rng.normal(size=5), 30, 3)
    counts = rng.integers(1, 4, size=30)
    counted = fit_strengths(read_rankings(ranks, unranked="anywhere", counts=counts))
    repeated = np.repeat(ranks, counts, axis=0)
    plain = fit_strengths(read_rankings(repeated, unranked="anywhere"))
    np.testing.assert_allclose(counted.theta, plain.theta, atol=1e-9)
    np.testing.assert_allclose(counted.covariance, plain.covariance, atol=1e-9)
    weights = counts * 0.37
    small, large = (
        fit_strengths(read_rankings(ranks, unranked="anywhere", sample_weight=weights * scale))
        for scale in (1e-160, 1e12)
    )
    np.testing.assert_allclose(small.theta, large.theta, atol=1e-9)
    assert small.n_people == 30
    assert small.n_effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_the_order_of_items_and_rows_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    ranks = plackett_luce(rng, rng.normal(size=6), 12, 4)
    columns, rows = rng.permutation(6), rng.permutation(12)
    graph = ring(6)
    moved_graph = as_item_graph(csr_array(graph.to_dense()[np.ix_(columns, columns)]))
    one = fit_strengths(read_rankings(ranks, unranked="anywhere"), graph=graph)
    moved = read_rankings(ranks[rows][:, columns], unranked="anywhere")
    other = fit_strengths(moved, graph=moved_graph)
    np.testing.assert_allclose(other.theta, one.theta[columns], atol=1e-7)
    np.testing.assert_allclose(other.standard_errors, one.standard_errors[columns], atol=1e-7)


def test_items_that_wins_do_not_connect_are_named():
    ranks = np.array([[1, 2, 3, 4.0, 5], [3, 1, 2, 4, 5], [1, 2, 3, 5, 4]])
    rankings = read_rankings(ranks, items=["uni", "ika", "tako", "ebi", "toro"])
    with pytest.raises(InputError, match="'ebi', 'toro' with the other items"):
        fit_strengths(rankings, prior="none")
    fit = fit_strengths(rankings)
    assert fit.connected.tolist() == [True, True, True, False, False]
    assert np.isfinite(fit.theta).all()


def test_enormous_counts_have_strengths():
    ranks = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [1.0, 3.0, 2.0]])
    small, large = (
        fit_strengths(read_rankings(ranks, counts=np.full(3, count))).theta for count in (1e6, 1e15)
    )
    np.testing.assert_allclose(small, large, atol=1e-4)


@pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning")
def test_certainty_beyond_rounding_is_an_answer_or_an_error_in_words():
    """Which of the two depends on how a processor rounds."""
    same = read_rankings(np.tile(np.arange(1.0, 7.0), (7, 1)), counts=np.full(7, 1e15))
    said, theta = "", np.zeros(6)
    try:
        theta = fit_strengths(same).theta
    except InputError as problem:
        said = str(problem)
    assert "strengths are lost to rounding" in said or (np.diff(theta) < 0).all()


def test_people_who_all_agree_are_not_taken_for_sure():
    same = read_rankings(np.tile([1.0, 2.0, 3.0, 4.0], (7, 1)))
    sandwich, information = (
        fit_strengths(same, errors=errors) for errors in ("sandwich", "information")
    )
    assert (sandwich.standard_errors > 0.5 * information.standard_errors).all()


def test_intervals_of_who_beats_whom():
    rng = np.random.default_rng(0)
    rankings = read_rankings(plackett_luce(rng, np.array([1.0, 0.3, 0.0, -1.3]), 300))
    fit = fit_strengths(rankings, prior="none")
    each, every = (fit.beats_intervals(simultaneous=both) for both in (False, True))
    beats = fit.beats()
    assert (each[..., 0] <= beats).all()
    assert (beats <= each[..., 1]).all()
    off = ~np.eye(4, dtype=bool)
    assert (np.diff(every, axis=2)[off] > np.diff(each, axis=2)[off]).all()
    # By the covariance: the log-odds of a pair, and 1.968 errors by Student's t.
    i, j = 0, 2
    gap = fit.theta[i] - fit.theta[j]
    error = np.sqrt(fit.covariance[i, i] + fit.covariance[j, j] - 2 * fit.covariance[i, j])
    limits = 1 / (1 + np.exp(-(gap + np.array([-1.968, 1.968]) * error)))
    np.testing.assert_allclose(each[i, j], limits, atol=1e-4)
    np.testing.assert_allclose(each[j, i], 1 - each[i, j][::-1], atol=1e-12)


def test_people_who_say_much_count_for_fewer():
    rng = np.random.default_rng(0)
    for sizes in (np.ones(60), np.append(20.0, np.ones(59))):
        moves = sizes[:, None] * rng.standard_normal((60, 5))
        number = people_who_count(moves, np.ones(60))
        exact = (sizes**2).sum() ** 2 / (sizes**4).sum()
        assert 0.6 * exact <= number <= 1.6 * exact
        assert people_who_count(np.repeat(moves, 2, axis=0), np.ones(120)) == pytest.approx(
            people_who_count(moves, np.full(60, 2.0))
        )


def test_the_middle_of_a_best_worst_task_has_an_order_that_nobody_asked_for(tmp_path):
    rng = np.random.default_rng(7)
    theta = np.array([1.5, 0.5, 0.0, -0.5, -1.5])
    lines = ["item1,item2,item3,item4,best,worst"]
    for _ in range(400):
        shown = rng.choice(5, 4, replace=False)
        order = shown[np.argsort(-(theta[shown] + rng.gumbel(size=4)))]
        lines.append(",".join(f"i{i}" for i in [*shown, order[0], order[-1]]))
    path = tmp_path / "tasks.csv"
    path.write_text("\n".join(lines))
    tasks = read_file(path)
    fit = fit_strengths(read_rankings(tasks))
    assert fit.likelihood.ties == "exact"
    expected = theta[[int(str(item)[1:]) for item in tasks.items]]
    np.testing.assert_allclose(fit.theta, expected, atol=0.4)
    assert np.corrcoef(fit.theta, expected)[0, 1] > 0.98


def test_rankings_of_ties_alone_have_equal_strengths():
    fit = fit_strengths(read_rankings(np.ones((5, 3))))
    np.testing.assert_allclose(fit.theta, 0, atol=1e-9)


def test_the_evidence_uses_a_graph_that_fits_and_ignores_one_that_does_not():
    rng = np.random.default_rng(4)
    n_items = 40
    theta = 2 * np.sin(2 * np.pi * np.arange(n_items) / n_items)
    ranks = plackett_luce(rng, theta, 30, 4)
    rankings = read_rankings(ranks, unranked="anywhere")
    plain, fitting = fit_strengths(rankings), fit_strengths(rankings, graph=ring(n_items))
    shuffle = rng.permutation(n_items)
    wrong = as_item_graph(csr_array(ring(n_items).to_dense()[np.ix_(shuffle, shuffle)]))
    shuffled = fit_strengths(rankings, graph=wrong)

    def error(fit):
        return np.mean((fit.theta - theta) ** 2)

    assert error(fitting) < error(plain) / 2
    assert error(shuffled) < 1.1 * error(plain)


def test_the_evidence_is_largest_where_laplace_says_so():
    """The chosen prior against Laplace's evidence at the mode of each prior."""
    rng = np.random.default_rng(5)
    ranks = plackett_luce(rng, rng.normal(size=10), 40, 5)
    rankings = read_rankings(ranks, unranked="anywhere")

    def evidence(scale):
        fit = fit_strengths(rankings, prior=Hyperparameters(scale))
        _, _, curvature = fit.likelihood.derivatives(fit.parameters)
        posterior = np.linalg.slogdet(np.eye(10) + scale * curvature)[1]
        return fit.log_likelihood - fit.parameters @ fit.parameters / scale / 2 - posterior / 2

    scales = 2.0 ** np.arange(-6, 7)
    best = scales[np.argmax([evidence(scale) for scale in scales])]
    assert fit_strengths(rankings).prior.scale in (best / 2, best, 2 * best)


@pytest.mark.parametrize("errors", ["sandwich", "information"])
@pytest.mark.parametrize("unranked", ["anywhere", "last"])
def test_many_items_have_the_strengths_of_few(monkeypatch, unranked, errors):
    """The same data with and without matrices of second derivatives, the same prior."""
    rng = np.random.default_rng(6)
    ranks = plackett_luce(rng, rng.normal(size=60), 200, 8)
    rankings = read_rankings(ranks, unranked=unranked)
    prior = Hyperparameters(1.0, 0.5, 0.3)
    few = fit_strengths(rankings, graph=ring(60), prior=prior, errors=errors)
    monkeypatch.setattr(terms_module, "MOST_DENSE", 10)
    many = fit_strengths(rankings, graph=ring(60), prior=prior, errors=errors)
    np.testing.assert_allclose(many.theta, few.theta, atol=0.02)
    assert many.covariance is None
    np.testing.assert_allclose(many.standard_errors, few.standard_errors, rtol=0.3)
    np.testing.assert_array_equal(many.connected | few.connected, many.connected)
    assert many.draws(50, seed=1).shape == (50, 60)


def test_mistakes_are_named():
    rankings = read_rankings([[1, 2, 3], [2, 1, 3.0]])
    with pytest.raises(InputError, match="the graph has 4 items, but the rankings have 3"):
        fit_strengths(rankings, graph=ring(4))
    with pytest.raises(InputError, match="no ranking compares two items"):
        fit_strengths(read_rankings([[1, np.nan], [np.nan, 1]], unranked="anywhere"))


@pytest.mark.parametrize("n_wins", [5, 12, 40])
def test_the_limit_of_an_unbeaten_item_is_that_of_a_share(n_wins):
    """Clopper and Pearson: with fewer wins in each 100 than p, n in a row are too improbable."""
    ring = np.full((9 * 8 * 20, 10), np.nan)
    pairs = [(a, b) for a in range(9) for b in range(9) if a != b] * 20
    ring[np.arange(len(pairs)), [a for a, _ in pairs]] = 1
    ring[np.arange(len(pairs)), [b for _, b in pairs]] = 2
    star = np.full((n_wins, 10), np.nan)
    star[:, 9], star[np.arange(n_wins), np.arange(n_wins) % 9] = 1, 2
    fit = fit_strengths(read_rankings(np.vstack([ring, star]), unranked="anywhere"))
    low, high = fit.intervals()[9] - fit.broad[0][:9].mean()
    share = 0.05 ** (1 / n_wins)
    assert low == pytest.approx(np.log(share / (1 - share)), abs=0.1)
    assert high == np.inf
    assert fit.intervals(0.5)[9, 0] > fit.intervals(0.95)[9, 0]
    assert "Nobody beat 9 (at least" in fit.summary()
    assert np.isfinite(fit.intervals()[:9]).all()
    fit.plot()


def test_a_judge_who_always_votes_alike_counts_once_for_a_limit():
    ranks = np.array([[1, 2, np.nan]] * 12 + [[np.nan, 1, 2], [np.nan, 2, 1]] * 30)
    alone = fit_strengths(read_rankings(ranks, unranked="anywhere"))
    people = np.append(np.zeros(12), np.arange(1, 61))
    judged = fit_strengths(read_rankings(ranks, unranked="anywhere", people=people))
    assert judged.intervals()[0, 0] < alone.intervals()[0, 0] - 1
    assert judged.intervals()[0, 1] == np.inf


def test_a_graph_that_is_wrong_about_an_item_makes_its_interval_wider():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(4), 6)
    theta = np.array([2.0, 1.0, -1.0, -2.0])[group]
    theta[0] = -2.5
    first = rng.integers(0, 24, 700)
    second = (first + rng.integers(1, 24, 700)) % 24
    won = rng.random(700) < 1 / (1 + np.exp(theta[second] - theta[first]))
    ranks = np.full((700, 24), np.nan)
    ranks[np.arange(700), first] = np.where(won, 1, 2)
    ranks[np.arange(700), second] = np.where(won, 2, 1)
    graph = (group[:, None] == group) - np.eye(24)
    fit = fit_strengths(read_rankings(ranks, unranked="anywhere"), graph=graph)
    assert fit.prior.share > 0
    widths = np.diff(fit.intervals(), axis=1).ravel()
    assert widths[0] > 1.3 * np.median(widths)
    low, high = (fit.intervals() + theta.mean()).T
    assert low[0] <= theta[0] <= high[0]
