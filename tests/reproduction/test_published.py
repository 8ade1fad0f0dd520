"""The published experiments: people, labels, draws, and one thing changed at a time."""

from pathlib import Path

import numpy as np
import pytest

from rankcut import make_food
from reproduction import methods, published, score_tables, sushi, synthetic
from reproduction.claims import Way
from reproduction.learning import ALL_SEEDS, SEEDS
from reproduction.methods import CUT, KENDALL, Cut, Rankings, see
from reproduction.published import Lesson, Release, first_rows, mixed_up, released_sample, runs

SIDE = np.random.default_rng(0).permutation(np.arange(400) % 4 == 0).astype(int)


def test_people_are_all_of_one_side_and_as_many_of_the_other():
    people = released_sample(SIDE, 200, 7)
    assert set(np.flatnonzero(SIDE == 1)) < set(people.tolist())
    assert len(set(people.tolist())) == 200
    # Fewer are the first of the same, whatever their side.
    some = released_sample(SIDE, 150, 7)
    assert np.array_equal(some, people[:150])
    assert SIDE[some].sum() != 75
    assert not np.array_equal(some, released_sample(SIDE, 150, 8))
    # The first four fifths are learned from.
    split = first_rows(2500)
    assert np.array_equal(split.train, np.arange(2000))
    assert np.array_equal(split.test, np.arange(2000, 2500))


def test_lists_had_the_labels_of_other_people():
    people = released_sample(SIDE, 190, 0)
    for mix in mixed_up("top-6", SIDE, (3, 5), 150, 190):
        assert np.array_equal(mix.people[mix.rows], people[:150])
        assert np.array_equal(mix.target, SIDE[released_sample(SIDE, 150, mix.seed)])
        assert np.array_equal(mix.right, SIDE[people[:150]])
        assert 0.3 < (mix.target == mix.right).mean() < 0.7
    # Those of incomplete rankings were right for the first seed alone.
    first, second, third = mixed_up("4 of 10", SIDE, (3, 5, 9), 150, 190)
    assert np.array_equal(first.target, first.right)
    for before, mix in ((first, second), (second, third)):
        # Drawn from labels that were drawn before, by numbers that are of the matrix.
        assert np.array_equal(mix.target, before.target[mix.rows])
        assert 0.3 < (mix.target == mix.right).mean() < 0.7


def test_the_same_draws_do_not_depend_on_the_seed(monkeypatch):
    """Theirs are choices among every second of 2·l + 1 places, by the number of items as seed."""
    monkeypatch.setattr(methods, "N_DRAWS", 5)
    ranks = np.array([[1.0, 2.0, np.nan, np.nan, np.nan], [np.nan, 1.0, np.nan, 2.0, np.nan]])
    rankings = Rankings(ranks, "anywhere", np.random.default_rng(0).random((5, 2)))
    release = Release(10, cut=Cut(draws="same"))
    found = [published.see_released(release, rankings, seed).features for seed in (1, 2)]
    assert np.array_equal(*found)
    assert np.array_equal(found[0], methods.cut_features(release.cut, rankings, 5))
    places = np.random.RandomState(5).choice(range(0, 5, 2), (5, 3))
    assert np.array_equal(places, 2 * np.random.RandomState(5).randint(0, 3, (5, 3)))
    # Kendall's counts items that are in no list.
    lists = Rankings(ranks, "last", rankings.points)
    more = published.see_released(Release(1, absent=2), lists, 0)
    assert more.features.shape[1] == 7 * 6 / 2


def test_one_thing_is_changed_at_a_time():
    food = make_food(40, noise=1.0, random_state=3)
    rankings = Rankings(food.ranks, "error", food.item_features)
    seen = published.see_released(published.FULL_AND_LISTS[CUT], rankings, 0)
    theirs = Lesson(seen, food.target, first_rows(40))
    text = see(CUT, rankings)

    def records(release, **options):
        return {run.variant: run.record for run in runs(release, theirs, **options)}

    found = records(Release(2, constant=True), text=text, own=seen)
    # A constant is what this kernel had.
    assert found[published.BOTH] == found[Way.PUBLISHED] != found[published.NEITHER]
    for variant in (Way.PUBLISHED, published.TEXT, published.OWN):
        assert found[variant]["steps"] == 2
    assert found[Way.PUBLISHED]["ELBO"] < found[published.CONVERGED]["ELBO"]
    without = records(Release(2), own=seen)
    assert without[published.NEITHER] == without[Way.PUBLISHED] == found[published.NEITHER]
    assert without[published.BOTH] == found[Way.PUBLISHED]
    assert without[published.OWN] == without[Way.PUBLISHED]
    assert without[published.OWN_CONVERGED] == without[published.CONVERGED]
    (only,) = runs(Release(3), theirs, alone=True)
    assert (only.variant, only.record["steps"], len(only.path)) == (Way.PUBLISHED, 3, 4)


SET_A = ["ebi", "anago", "maguro", "ika", "uni", "ikura", "tamago", "toro", "tekka_maki"]
PEOPLE = 80


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Made-up files in the format of the sushi data: rankings of random people."""
    folder = tmp_path_factory.mktemp("sushi")
    rng = np.random.RandomState(0)
    lines = []
    for i, name in enumerate([*SET_A, "kappa_maki"] + [f"item{i}" for i in range(90)]):
        numbers = "\t".join(f"{value:.3f}" for value in rng.random_sample(4))
        lines.append(f"{i}\t{name}\t{i % 2}\t{i // 2 % 2}\t{i % 12}\t{numbers}\n")
    (folder / "sushi3.idata").write_text("".join(lines))
    sides = enumerate(np.arange(PEOPLE) % 2)
    users = (f"{i}\t0\t2\t355\t0\t0\t{1 - side}\t0\t0\t{side}\t0\n" for i, side in sides)
    (folder / "sushi3.udata").write_text("".join(users))
    for which, n_items in (("a", 10), ("b", 100)):
        orders = (" ".join(map(str, rng.permutation(n_items)[:10])) for _ in range(PEOPLE))
        text = "".join(f"0 10 {order}\n" for order in orders)
        (folder / f"sushi3{which}.5000.10.order").write_text(f"{n_items} 1\n{text}")
    return folder


def test_what_is_left_of_rankings():
    rng = np.random.RandomState(0)
    ranks = np.array([rng.permutation(10) + 1.0 for _ in range(60)])
    assert np.array_equal(np.isnan(sushi.censor(ranks, "top-6", 0)), ranks > 6)
    ties = sushi.censor(ranks, "ties", 3)
    assert {len(np.unique(row)) for row in ties} == {7, 8}
    for before, after in zip(ranks, ties, strict=True):
        assert (np.diff(after[np.argsort(before)]) >= 0).all()
    some = sushi.censor(ranks, "4 of 10", 3)
    kept = ~np.isnan(some)
    assert (kept.sum(axis=1) == 4).all()
    assert np.array_equal(some[kept], ranks[kept])


def test_tasks_are_the_papers_seeds_and_thirty_more():
    tasks = sushi.tasks(False)
    for name, experiment in sushi.EXPERIMENTS.items():
        for method in (CUT, KENDALL, *experiment.methods):
            for way in (Way.PRINTED, Way.PUBLISHED):
                key = name, method, way
                own = [t for t in tasks if (t["experiment"], t["method"], t["variant"]) == key]
                seeds = [seed for t in own for seed in t["seeds"]]
                assert seeds == list(ALL_SEEDS)[: len(seeds)]
                if method in (CUT, KENDALL) and (way is Way.PRINTED or name != "ties"):
                    assert len(seeds) == 36
    assert {t["seed"] for t in synthetic.tasks(False)} == set(ALL_SEEDS)


@pytest.mark.slow
def test_sushi_from_tasks_to_tables_and_figures(home, monkeypatch):
    from reproduction import sushi_claims

    monkeypatch.setattr(methods, "N_DRAWS", 4)
    rough = sushi.EXPERIMENTS["10 of 100"]._replace(tolerance=0.5)
    monkeypatch.setitem(sushi.EXPERIMENTS, "10 of 100", rough)
    records, seen = [], set()
    for task in sushi.tasks(False):
        kind = task["experiment"], task["method"], task["variant"]
        if kind not in seen:
            seen.add(kind)
            small = {"rankings": 40, "rank": min(task["rank"], 32), "of": 44, "seeds": SEEDS}
            records += sushi.run(task | small, home)
    found = sushi_claims.found(records, None)
    tables = sushi_claims.tables(records, found)
    means, changes, shrinkage, labels = tables.values()
    assert len(means) == sum(2 + len(e.methods) for e in sushi.EXPERIMENTS.values())
    assert len([row for row in changes if row["rankings"] == "10 of 100"]) == 8
    assert len(shrinkage) == 25
    shares = {row["rankings"]: row["right labels, seed by seed"] for row in labels}
    assert set(shares) == {"top-6", "4 of 10", "10 of 100"}
    assert shares["4 of 10"].startswith("100 %, ")
    figures = sushi_claims.figures(records, found)
    assert {"sushi-5 full ELBO", "sushi-5 10 of 100 as run"} <= set(figures)


@pytest.mark.parametrize("experiment", ["top-6", synthetic.MORE_TIES])
def test_synthetic_from_tasks_to_tables_and_figures(experiment):
    from reproduction import synthetic_claims

    task = next(t for t in synthetic.tasks(True) if t["experiment"] == experiment)
    records = list(synthetic.run(task | {"rankings": 40, "noise": task["noise"][:1]}, None))
    assert {(r["experiment"], r["seed"]) for r in records} == {(experiment, 4)}
    variants = {Way.PRINTED} if experiment == synthetic.MORE_TIES else {Way.PRINTED, Way.PUBLISHED}
    assert {r["variant"] for r in records} == variants
    found = synthetic_claims.found(records, None)
    assert (experiment, CUT) in found[Way.PRINTED]
    assert len(synthetic_claims.figures(records, found)) == len(variants)


def test_real_data(data_home):
    task = next(t for t in sushi.tasks(False) if t["method"] == CUT)
    (found,) = sushi.run(task | {"seeds": [4]}, Path(data_home))
    assert found["converged"]
    assert 0.5 < found["accuracy"] < 0.65
    assert score_tables.by_variant([found])[Way.PRINTED].mean(("full", CUT)).n == 1
