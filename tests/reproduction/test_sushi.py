from pathlib import Path

import numpy as np
import pytest
from panel_style import check_style

from reproduction import sushi as module
from reproduction.encodings import (
    CONSTANT,
    CUT,
    DUMMY,
    KENDALL,
    MALLOWS,
    MALLOWS_DRAWS,
    MALLOWS_EXACT,
    OWN_DRAWS,
    Encoded,
)
from reproduction.findings import Outcome
from reproduction.learning import FURTHER_SEEDS, SEEDS
from reproduction.parts import Settings
from reproduction.published import NEITHER, OWN, OWN_CONVERGED, PUBLISHED, VARIANTS
from reproduction.sushi import Sushi, censor, select
from reproduction.sushi_claims import CLAIMS, judge
from reproduction.sushi_experiments import EXPERIMENTS, ORIGIN, RESIDENCE

pytestmark = pytest.mark.usefixtures("few_resamples")

SET_A = [
    "ebi",
    "anago",
    "maguro",
    "ika",
    "uni",
    "ikura",
    "tamago",
    "toro",
    "tekka_maki",
    "kappa_maki",
]
PEOPLE = 80


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Made-up files in the format of the sushi data: rankings of random people."""
    folder = tmp_path_factory.mktemp("sushi")
    rng = np.random.RandomState(0)
    names = SET_A + [f"item{i}" for i in range(90)]
    lines = []
    for i, name in enumerate(names):
        numbers = "\t".join(f"{value:.3f}" for value in rng.random_sample(4))
        lines.append(f"{i}\t{name}\t{i % 2}\t{i // 2 % 2}\t{i % 12}\t{numbers}\n")
    (folder / "sushi3.idata").write_text("".join(lines))
    sides = np.arange(PEOPLE) % 2
    (folder / "sushi3.udata").write_text(
        "".join(
            f"{i}\t0\t2\t355\t0\t0\t{1 - side}\t0\t0\t{side}\t0\n" for i, side in enumerate(sides)
        )
    )
    for which, n_items in (("a", 10), ("b", 100)):
        orders = (" ".join(map(str, rng.permutation(n_items)[:10])) for _ in range(PEOPLE))
        text = "".join(f"0 10 {order}\n" for order in orders)
        (folder / f"sushi3{which}.5000.10.order").write_text(f"{n_items} 1\n{text}")
    return folder


def small(task, **changes):
    return task | {"rankings": 40, "rank": 8, "of": 44, "seeds": list(SEEDS[:2])} | changes


def run_all(tasks, home):
    part = Sushi()
    return [record for task in tasks for record in part.run(task, home)]


def test_tasks_are_the_papers_and_thirty_seeds_more():
    tasks = Sushi().tasks(Settings())
    for name in EXPERIMENTS:
        for method in (CUT, KENDALL, DUMMY, CONSTANT, *EXPERIMENTS[name].methods):
            seeds = [
                seed
                for t in tasks
                if (t["experiment"], t.get("method"), t.get("target")) == (name, method, RESIDENCE)
                for seed in t["seeds"]
            ]
            expected = (*SEEDS, *FURTHER_SEEDS)
            if method == MALLOWS_EXACT:
                expected = SEEDS[:3]
            elif method == MALLOWS_DRAWS:
                expected = SEEDS
            elif name == "10 of 100" and method.startswith(f"{CUT}, "):
                expected = (*SEEDS, *FURTHER_SEEDS[:6])
            assert sorted(seeds) == sorted(expected)
    assert {t["rankings"] for t in tasks} == {2500}


def test_what_is_left_of_rankings():
    rng = np.random.RandomState(0)
    ranks = np.array([rng.permutation(10) + 1.0 for _ in range(60)])
    top = censor(ranks, "top-6", 0)
    assert np.array_equal(np.isnan(top), ranks > 6)
    ties = censor(ranks, "ties", 3)
    assert {len(np.unique(row)) for row in ties} == {7, 8}
    for before, after in zip(ranks, ties, strict=True):
        assert (np.diff(after[np.argsort(before)]) >= 0).all()
    some = censor(ranks, "4 of 10", 3)
    kept = ~np.isnan(some)
    assert (kept.sum(axis=1) == 4).all()
    assert np.array_equal(some[kept], ranks[kept])
    assert not np.array_equal(kept, ~np.isnan(censor(ranks, "4 of 10", 4)))
    assert ranks.max() == 10


def test_matrix_and_labels_are_of_the_same_people(home, monkeypatch):
    """The kernel of a person is the person's own, whatever the order of the sample."""
    seen = []

    def encode(method, rankings, seed=0):
        ranks = rankings.ranks
        return Encoded(gram=ranks @ ranks.T)

    monkeypatch.setattr(module, "encode", encode)
    task = small(Sushi().tasks(Settings(quick=True))[0], experiment="full", method=MALLOWS)
    sushi = module._load("a", home)
    for sample in module._samples(task, home):
        people = module.balanced_sample(sushi.target, 40, sample.seed)
        assert np.array_equal(sample.target, sushi.target[people])
        ranks = sushi.ranks[people]
        np.testing.assert_array_equal(sample.encoded.gram, ranks @ ranks.T)
        assert sample.target.sum() == 20
        seen.append(sample.seed)
    assert seen == list(SEEDS[:2])


def test_select():
    gram = np.arange(9.0).reshape(3, 3)
    rows = np.array([2, 0])
    np.testing.assert_array_equal(select(Encoded(gram=gram), rows).gram, [[8, 6], [2, 0]])
    np.testing.assert_array_equal(select(Encoded(features=gram), rows).features, gram[[2, 0]])


@pytest.fixture(scope="module")
def records(home):
    """Every kernel of every experiment, with made-up people and a quick look at the path."""
    tasks = Sushi().tasks(Settings(quick=True))
    tasks += [
        task | {"target": ORIGIN, "method": method}
        for task in tasks
        if task.get("method") == CUT and task["experiment"] == "full"
        for method in (CUT, DUMMY)
    ]
    published = [
        task
        for task in Sushi().tasks(Settings())
        if task.get("kernel") == MALLOWS and task["seeds"] == [SEEDS[0]]
    ]
    return run_all([small(task) for task in tasks + published], home)


@pytest.mark.slow
def test_the_part_from_records_to_figures(records):
    part = Sushi()
    tables = part.tables(records)
    assert all(name.startswith("sushi-") for name in tables)
    verdicts = part.verdicts(tables)
    assert set(verdicts) == set(CLAIMS) - {"sampling"}
    assert {key for key, verdict in verdicts.items() if verdict.published} == set(CLAIMS) - {
        "sampling",
        "origin",
    }
    pictures = part.figures(tables)
    panels = {name: len(picture.panels) for name, picture in pictures.items()}
    assert panels == {
        # Levels and gaps of each experiment that was published.
        "sushi-elbo": 8,
        "sushi-f1": 5,
        "sushi-accuracy": 5,
        "sushi-differences": 5,
    }
    check_style(pictures)
    _, _, changed, mixed, noted = part.sheets(tables)
    assert [row["seed"] for row in noted.rows] == [4, 12, "mean"]
    assert noted.rows[-1]["F1, noted by the authors"] == pytest.approx((0.5508 + 0.5096) / 2)
    assert [row["experiment"] for row in mixed.rows] == ["top-6", "4 of 10", "10 of 100"]
    assert [row["seeds with all labels right"] for row in mixed.rows] == [0, 1, 1]
    completed = {OWN, OWN_CONVERGED}
    for name, expected in (
        ("top-6", [variant for variant in VARIANTS if variant not in completed]),
        ("10 of 100", list(VARIANTS)),
    ):
        found = [row["variant"] for row in changed.rows if row["experiment"] == name]
        assert found == expected
    prose = part.prose(tables)
    assert "of the trace" in prose
    fits = [
        row
        for row in tables["sushi-published"]
        if row["variant"] == PUBLISHED and row["method"] in (CUT, KENDALL, MALLOWS)
    ]
    same = sum(row["share of class 1"] in (0, 1) for row in fits)
    assert f"Of {len(fits)} fits as published, {same} call" in prose
    assert "below the ELBO of their end: " in prose
    origin = [r for r in tables["sushi-differences"] if "origin" in r["method"]]
    assert [row["experiment"] for row in origin] == ["full"]


def test_without_data_there_is_something_to_read():
    assert "east" in Sushi().prose({})


@pytest.mark.parametrize("method", EXPERIMENTS["10 of 100"].methods)
def test_every_variant_runs(home, method, monkeypatch):
    monkeypatch.setattr("reproduction.encodings.N_DRAWS", 4)
    rough = EXPERIMENTS["10 of 100"]._replace(tolerance=0.5)
    monkeypatch.setitem(EXPERIMENTS, "10 of 100", rough)
    task = next(t for t in Sushi().tasks(Settings()) if t.get("method") == method)
    found = run_all([small(task, experiment="10 of 100")], home)
    assert [record["seed"] for record in found] == list(SEEDS[:2])
    assert all(0 <= record["accuracy"] <= 1 for record in found)


def made_up(means, spreads=None):
    """Scores of 30 seeds around given means by (experiment, method)."""
    rng = np.random.RandomState(0)
    rows = []
    for name in EXPERIMENTS:
        for method in (CUT, KENDALL, MALLOWS, OWN_DRAWS, DUMMY, CONSTANT):
            mean = means.get((name, method), 0.5 if method == DUMMY else 0.56)
            spread = (spreads or {}).get((name, method), 0.005)
            noise = rng.normal(0, spread, 30)
            seeds = [*SEEDS, *FURTHER_SEEDS[:24]]
            for seed, value in zip(seeds, mean + noise - noise.mean(), strict=True):
                names = ("F1", "accuracy")
                row = {"experiment": name, "method": method, "seed": seed}
                for target in (RESIDENCE, ORIGIN):
                    rows.append(row | {"target": target} | dict.fromkeys(names, value))
    return rows


def outcomes(*args, **kwargs):
    return {key: found.outcome for key, found in judge(made_up(*args, **kwargs), []).items()}


def test_mallows_goes_in_whole_where_it_can():
    rows = made_up({("full", CUT): 0.57})
    few = [
        row | {"method": MALLOWS_EXACT, "F1": row["F1"] - 0.03, "accuracy": row["accuracy"] - 0.03}
        for row in rows
        if (row["experiment"], row["method"]) == ("full", MALLOWS) and row["seed"] in SEEDS
    ]
    said = judge(rows + few, [])["full, Mallows"].because
    assert said.startswith(f"F1 over {MALLOWS_EXACT}: +0.04")
    assert "changes the F1 of Mallows' kernel by +0.030 on the same seeds" in said
    assert said.endswith("it is +0.010 [+0.007, +0.013] over 30 seeds.")


def test_verdicts_come_out_either_way():
    even = outcomes({})
    assert set(even) == set(CLAIMS)
    assert even["limit"] is even["as good"] is even["sampling"] is even["origin"] is Outcome.HOLDS
    assert even["full, Kendall"] is even["full, Mallows"] is even["large"] is Outcome.FAILS
    assert even["only"] is even["challenge"] is Outcome.FAILS
    good = outcomes(
        {
            ("full", CUT): 0.62,
            ("full", KENDALL): 0.59,
            ("top-6", KENDALL): 0.5,
            ("top-6", MALLOWS): 0.5,
            ("10 of 100", CUT): 0.58,
        },
        {("4 of 10", KENDALL): 0.05, ("10 of 100", KENDALL): 0.05},
    )
    for claim in ("full, Kendall", "full, Mallows", "large", "only", "less variable"):
        assert good[claim] is Outcome.HOLDS
    assert good["limit"] is Outcome.FAILS
    bad = outcomes(
        {(name, KENDALL): 0.6 for name in EXPERIMENTS}
        | {(name, MALLOWS): 0.6 for name in EXPERIMENTS}
        | {("full", CUT): 0.45, ("10 of 100", OWN_DRAWS): 0.4}
    )
    assert bad["as good"] is bad["sampling"] is bad["origin"] is Outcome.FAILS
    wide = outcomes({}, {(name, CUT): 0.5 for name in EXPERIMENTS})
    assert wide["as good"] is wide["full, Kendall"] is Outcome.UNDECIDED
    assert wide["limit"] is wide["origin"] is Outcome.UNDECIDED


def test_a_rival_that_cannot_be_told_from_random_does_not_make_the_kernel_the_only_one():
    rivals = {("top-6", KENDALL): 0.5, ("top-6", MALLOWS): 0.52}
    assert outcomes(rivals, {("top-6", MALLOWS): 0.2})["only"] is Outcome.UNDECIDED
    assert outcomes(rivals | {("top-6", CUT): 0.5})["only"] is Outcome.FAILS


def test_a_gain_that_is_too_small_to_rule_out_is_told():
    assert "is less than 0.02" in judge(made_up({}), [])["full, Kendall"].because
    behind = {("full", KENDALL): 0.6}
    assert "is less than" not in judge(made_up(behind), [])["full, Kendall"].because


def test_a_label_that_nothing_is_learned_of_is_not_meaningful():
    assert outcomes({("full", CUT): 0.5})["origin"] is Outcome.FAILS


def test_real_data(data_home):
    part = Sushi()
    task = next(
        t for t in part.tasks(Settings()) if (t["experiment"], t.get("method")) == ("full", CUT)
    )
    (found,) = part.run(task | {"seeds": [4]}, Path(data_home))
    assert found["converged"]
    assert 0.5 < found["AUC"] < 0.65


def test_what_is_said_as_published_is_said_of_published_scores():
    rows = made_up({})
    own = [row for row in made_up({("full", CUT): 0.6}) if row["target"] == RESIDENCE]
    published = [row | {"variant": PUBLISHED} for row in own if row["experiment"] != "ties"]
    neither = [row | {"variant": NEITHER} for row in rows if row["experiment"] == "full"]
    found = judge(rows, published + neither)["full, Kendall"]
    assert found.outcome is Outcome.FAILS
    assert found.published.outcome is Outcome.HOLDS
    assert "a constant for neither: −0.000" in found.published.because
