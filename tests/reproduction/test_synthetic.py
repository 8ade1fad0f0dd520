import numpy as np
import pytest
from panel_style import check_style

from rankcut import make_food
from reproduction.comparisons import Scores
from reproduction.encodings import (
    CUT,
    KENDALL,
    MALLOWS,
    MALLOWS_DRAWS,
)
from reproduction.findings import Outcome
from reproduction.learning import FURTHER_SEEDS, SEEDS, split_rows
from reproduction.parts import Settings
from reproduction.published import MIXED, OWN, OWN_CONVERGED, VARIANTS
from reproduction.synthetic import KINDS, NOISE, SHARED_NOISE, Synthetic, at_shared_noise
from reproduction.synthetic_claims import CLAIMS, judge

pytestmark = pytest.mark.usefixtures("few_resamples")

MORE = "ties, 250 rankings"


def groups(row):
    return len(np.unique(row[~np.isnan(row)]))


def test_the_generator_keeps_the_protocol():
    for kind, options in KINDS.items():
        food = make_food(100, noise=0.5, random_state=4, **options)
        assert food.target.sum() == 50
        split = split_rows(food.target)
        assert (len(split.train), len(split.test)) == (80, 20)
        ranked = (~np.isnan(food.ranks)).sum(axis=1)
        lengths = {groups(row) for row in food.ranks}
        expected = {
            "full": ({8}, {8}),
            "top-6": ({6}, {6}),
            "top-3": ({3}, {3}),
            # Two or three merges of neighbouring groups leave 6 or 5 groups.
            "ties": ({8}, {5, 6}),
            "incomplete": ({3, 4, 5, 6}, {3, 4, 5, 6}),
        }[kind]
        assert (set(ranked.tolist()), lengths) == expected


def test_tasks_are_the_papers_and_thirty_seeds_more():
    tasks = Synthetic().tasks(Settings())
    for kind in KINDS:
        own = [t for t in tasks if t["kind"] == kind and len(t["methods"]) > 2]
        assert {t["rankings"] for t in own} == {100 if kind == "ties" else 250}
        levels = {seed: [] for seed in (*SEEDS, *FURTHER_SEEDS)}
        for task in own:
            levels[task["seeds"][0]] += task["noise"]
        # Every second level of the paper's.
        assert all(sorted(levels[seed]) == list(NOISE[::2]) for seed in SEEDS)
        assert all(levels[seed] == list(SHARED_NOISE) for seed in FURTHER_SEEDS)
    assert pytest.approx(np.linspace(0.1, 3, 15), abs=1e-4) == NOISE
    assert not set(SEEDS) & set(FURTHER_SEEDS)


@pytest.fixture(scope="module")
def records():
    synthetic = Synthetic()
    found = []
    for task in synthetic.tasks(Settings(quick=True)):
        small = {"noise": [0.6], "rankings": 40, "rank": 10, "judged": True}
        if set(task["seeds"]) & set(SEEDS[:2]):
            found += synthetic.run(task | small | {"seeds": task["seeds"][:2]}, None)
    return found


@pytest.mark.slow
def test_the_part_from_records_to_figures(records):
    synthetic = Synthetic()
    tables = synthetic.tables(records)
    assert all(name.startswith("synthetic-") for name in tables)
    verdicts = synthetic.verdicts(tables)
    assert set(verdicts) == set(CLAIMS) - {"sample size"}
    assert all(verdict.published for verdict in verdicts.values())
    of_sushi = {MIXED, OWN, OWN_CONVERGED}
    assert {row["variant"] for row in tables["synthetic-published"]} == set(VARIANTS) - of_sushi
    pictures = synthetic.figures(tables)
    assert all(len(picture.panels) == len(KINDS) for picture in pictures.values())
    check_style(pictures)
    assert synthetic.sheets(tables)
    assert "2 seeds" in synthetic.prose(tables)
    row = next(r for r in tables["synthetic-noise"] if (r["kind"], r["method"]) == ("full", CUT))
    values = [
        r["F1"]
        for r in tables["synthetic-scores"]
        if row["kind"] == r["kind"] and r["method"] == CUT
    ]
    assert row["F1"] == pytest.approx(np.mean(values))
    assert row["standard error"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(2))


def test_noise_that_all_seeds_have():
    rows = [
        {"seed": seed, "noise": noise} for seed, noise in [(1, 0.1), (1, 0.5), (2, 0.5), (2, 0.9)]
    ]
    assert {row["noise"] for row in at_shared_noise(rows)} == {0.5}


def made_up(**means):
    """Scores of 30 seeds around given means by "kind/method"; all others are 0.8."""
    rng = np.random.RandomState(0)
    rows = []
    methods = (CUT, KENDALL, MALLOWS, MALLOWS_DRAWS)
    spreads = means.pop("spreads", {})
    own = means.pop("own", ())
    shared = {method: rng.normal(size=30) for method in methods}
    for kind in (*KINDS, MORE):
        for method in methods:
            mean = means.get("means", {}).get((kind, method), 0.8)
            # The same for all kinds, so that none is more variable by chance.
            noise = shared[method] if kind not in own else rng.normal(size=30)
            noise = spreads.get(kind, 0.005) * noise
            values = mean + noise - noise.mean()
            for seed, value in enumerate(values):
                names = ("F1", "accuracy")
                rows.append(
                    {"kind": kind, "method": method, "seed": seed} | dict.fromkeys(names, value)
                )
    return {
        key: found.outcome for key, found in judge(Scores(rows, "kind"), Scores([], "kind")).items()
    }


def test_verdicts_come_out_either_way():
    even = made_up()
    assert set(even) == set(CLAIMS)
    assert even["in line"] is even["censoring"] is even["interleaving"] is Outcome.HOLDS
    assert even["top-6"] is even["Mallows"] is Outcome.FAILS
    assert even["variability"] is even["reconstruction"] is Outcome.FAILS
    worse = made_up(
        means={(kind, method): 0.9 for kind in KINDS for method in (KENDALL, MALLOWS)}
        | {("top-6", CUT): 0.7}
    )
    assert worse["in line"] is worse["interleaving"] is worse["censoring"] is Outcome.FAILS
    better = made_up(
        means={("top-6", CUT): 0.83, ("top-6", MALLOWS_DRAWS): 0.6, ("top-3", MALLOWS_DRAWS): 0.6},
        spreads={"ties": 0.1, "incomplete": 0.1},
    )
    assert better["top-6"] is better["Mallows"] is better["variability"] is Outcome.HOLDS
    assert better["sample size"] is Outcome.HOLDS
    assert better["censoring"] is Outcome.FAILS
    noisy = made_up(spreads=dict.fromkeys(KINDS, 0.5))
    assert noisy["in line"] is Outcome.UNDECIDED
    spared = made_up(means={("top-6", KENDALL): 0.7})
    assert spared["censoring"] is spared["reconstruction"] is Outcome.HOLDS
    ahead = made_up(means={("ties", CUT): 0.9, ("incomplete", CUT): 0.9})
    assert ahead["in line"] is Outcome.HOLDS
    assert ahead["interleaving"] is Outcome.FAILS


def test_a_spread_that_cannot_be_told_is_not_gone():
    """With 250 rankings ties may still be more variable than full rankings."""
    found = made_up(spreads={"ties": 0.1, MORE: 0.007}, own=(MORE,))
    assert found["sample size"] is Outcome.UNDECIDED
