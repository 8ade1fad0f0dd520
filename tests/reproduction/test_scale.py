"""How costs grow: powers with their intervals, and the verdicts that follow from them."""

import numpy as np
import pytest
from scipy import stats

from reproduction import gram_time, scale
from reproduction.findings import Outcome
from reproduction.parts import Settings
from reproduction.scale import Scale, fitted_power


def test_powers_are_least_squares_with_students_interval():
    rng = np.random.default_rng(0)
    sizes = np.array([10, 30, 100, 300, 1000, 3000, 10_000])
    values = sizes**1.5 * np.exp(rng.normal(0, 0.1, 7))
    design = np.stack([np.ones(7), np.log(sizes)], axis=1)
    found, (squares,), *_ = np.linalg.lstsq(design, np.log(values), rcond=None)
    error = np.sqrt(squares / 5 * np.linalg.inv(design.T @ design)[1, 1])
    half = stats.t(5).interval(0.95)[1] * error
    power = fitted_power(sizes, values)
    assert power == pytest.approx((found[1], found[1] - half, found[1] + half))


def test_a_full_run_measures_growth_over_three_decades():
    (growth,) = (task for task in Scale().tasks(Settings()) if task["what"] == "growth")
    for step in ("features", "Gram matrix"):
        assert growth[step][-1] == 1000 * growth[step][0]
        assert len(growth[step]) == 7


def rows_of_growth(features, product):
    sizes = [10**4, 10**5, 10**6, 10**7]
    some = {"items": 8}
    rows = [
        some | {"step": "features", "rankings": n, "bytes": 64 * n, "seconds": n**features}
        for n in sizes
    ]
    return rows + [{"step": "Gram matrix", "rankings": n, "seconds": n**product} for n in sizes]


@pytest.mark.parametrize(
    ("features", "product", "outcome"),
    [
        (1.0, 1.1, Outcome.HOLDS),
        (1.0, 2.0, Outcome.IN_PART),
        (2.0, 2.0, Outcome.FAILS),
    ],
)
def test_almost_linear_is_judged_of_features_and_of_products(features, product, outcome):
    growth = rows_of_growth(features, product)
    powers = [scale._power(growth, step) for step in ("features", "Gram matrix")]
    verdict = scale._linear(*powers, growth)
    assert verdict.outcome is outcome
    assert f"{product:.2f} [{product:.2f}, {product:.2f}]" in verdict.because
    assert scale._space(growth).outcome is Outcome.HOLDS
    growth[2] = growth[2] | {"bytes": 1}
    assert scale._space(growth).outcome is Outcome.FAILS


def counts(of, power, noise=0.0):
    rng = np.random.default_rng(1)
    return [
        {"of": of, "size": n, "repeat": 0, "count": n**power * np.exp(noise * rng.normal())}
        for n in (10, 30, 100, 300, 1000, 3000, 10_000)
    ]


def test_a_bound_holds_if_the_count_over_it_does_not_grow():
    verdicts = scale._judge_operations(
        counts("groups", 1.0) + counts("draws", 1.3) + counts("items", 1.1, noise=3.0)
    )
    assert verdicts["cost"].outcome is Outcome.HOLDS
    assert verdicts["cost of draws"].outcome is Outcome.FAILS
    assert verdicts["sorting"].outcome is Outcome.UNDECIDED


def test_operations_are_those_of_the_algorithms():
    task = {"what": "operations", "decades": 1, "repeats": 1}
    rows = Scale().run(task, None)
    by = {(row["of"], row["size"]): row["count"] for row in rows}
    assert {size for of, size in by if of == "groups"} == {10, 32, 100}
    for (of, size), count in by.items():
        if of == "groups":
            # Two questions for each group, and two for each that is joined to another.
            assert 2 * size <= count <= 4 * size
        elif of == "items":
            assert size - 1 <= count <= size * np.log2(size)
        else:
            # On a complete graph nothing is joined: 16 for 8 groups.
            assert count == 16 * size
    assert scale._judge_operations(rows)["sorting"].outcome is not Outcome.FAILS


def test_other_kernels_are_products_too():
    rows = Scale().run({"what": "products", "rankings": 20}, None)
    assert {row["kernel"] for row in rows} == {"Kendall", "Mallows"}
    assert scale._judge_products(rows).outcome is Outcome.IN_PART
    others = [row | {"difference": 0.1} for row in rows]
    assert scale._judge_products(others).outcome is Outcome.HOLDS


@pytest.mark.parametrize(
    ("kind", "level", "closed"), [("incomplete", 3, True), ("ties", 6, False), ("full", 8, False)]
)
def test_kendall_is_timed_by_what_the_authors_call(kind, level, closed, monkeypatch):
    """A closed form for incomplete rankings; all full orders of both for ties."""
    called = set()
    for name in ("expected_kendall", "full_orders"):
        function = getattr(gram_time, name)

        def told(*given, name=name, function=function):
            called.add(name)
            return function(*given)

        monkeypatch.setattr(gram_time, name, told)
    ranks = gram_time._rankings(kind, level, 50).ranks
    ranking, pair = gram_time._kendall_costs(kind, ranks, None, 1)
    assert called == {"expected_kendall" if closed else "full_orders"}
    assert (ranking, pair > 0) == (0.0, True)
