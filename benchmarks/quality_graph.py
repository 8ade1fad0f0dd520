"""When does an item graph help to learn from labels? Lists with and without a graph.

    python benchmarks/quality_graph.py [DATA_DIR] [--keep FILE] [--page PAGE]

Items are points, and people list items near a point of their own; a person's class is a side of a
plane. Item features are the points with noise. Reported are AUC without a graph, and what each
graph adds: learned from the labelled lists, learned from eleven times as many lists, and of item
features. With DATA_DIR, the same for people's age and gender, from a few of the films they rated,
and from sushi. --keep keeps each row, so that a run that was interrupted goes on.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from quality_tasks import _dense
from record import header, own_command
from scipy import sparse
from sklearn.metrics import roc_auc_score

from rankcut import AgreementGraph, CoListingGraph, NeighborGraph, RankingClassifier
from rankcut.datasets import load_movielens, load_sushi

N_TEST = 500
N_REPEATS = 4


def simulated(n_lists: int, points: np.ndarray, length: int, rng: np.random.Generator) -> tuple:
    """Lists of items near each person, nearest first with some noise, and classes."""
    own = rng.standard_normal((n_lists, points.shape[1]))
    chosen, places = [], []
    for person in own:
        utility = -((points - person) ** 2).sum(axis=1) / 2 + rng.gumbel(size=len(points))
        items = np.argsort(-utility)[:length]
        chosen.append(items)
        places.append(np.arange(1.0, length + 1))
    starts = np.arange(0, n_lists * length + 1, length)
    shape = (n_lists, len(points))
    lists = sparse.csr_array((np.concatenate(places), np.concatenate(chosen), starts), shape)
    lists.sort_indices()
    return lists, (own[:, 0] > 0).astype(int)


def simulation(n_items: int, length: int, n_labels: int, noise: float, repeat: int) -> tuple:
    """Lists, classes, item features, and which lists have labels and which are judged."""
    rng = np.random.default_rng([n_items, length, n_labels, repeat])
    points = rng.standard_normal((n_items, 4))
    lists, classes = simulated(11 * n_labels + N_TEST, points, length, rng)
    described = points + noise * rng.standard_normal(points.shape)
    numbers = np.arange(lists.shape[0])
    return lists, classes, described, *np.split(numbers, [n_labels, 11 * n_labels])


def survey(data: str, target: str, length: int, n_labels: int, repeat: int) -> tuple:
    """The same of real lists; all that have no label are judged, as lists without labels are."""
    rng = np.random.default_rng([length, n_labels, repeat])
    if length == 10:
        loaded = load_sushi("b", data_home=data)
        age, gender = loaded.columns["age"], loaded.columns["gender"]
        classes = age >= "30" if target == "age" else gender == "female"
    else:
        loaded = load_movielens(data_home=data)
        age = loaded.columns["age"].astype(float)
        classes = age > np.median(age) if target == "age" else loaded.target == 1
    ranks = _dense(loaded.ranks)
    for row in ranks:
        row[rng.permutation(np.flatnonzero(~np.isnan(row)))[length:]] = np.nan
    some = rng.permutation(len(ranks))[: n_labels + 2 * N_TEST]
    rows, columns = np.nonzero(~np.isnan(ranks[some]))
    shape = (len(some), ranks.shape[1])
    lists = sparse.csr_array((ranks[some][rows, columns], (rows, columns)), shape)
    numbers = np.arange(len(some))
    return lists, classes[some].astype(int), loaded.item_points, *np.split(numbers, [n_labels] * 2)


def row(draw: Callable[[int], tuple], n_repeats: int) -> list[str]:
    leads: dict[str, list[float]] = {}
    areas = []
    for repeat in range(n_repeats):
        lists, classes, points, known, others, judged = draw(repeat)
        unlabelled = others if len(others) else judged
        graphs = {
            "agreement": AgreementGraph(),
            "co-listing": CoListingGraph(),
            "co-listing, all lists": CoListingGraph().build_from(lists[[*known, *unlabelled]]),
            "item features": NeighborGraph(points, n_neighbors=10),
        }

        def area(model: RankingClassifier, data: tuple = (lists, classes, known, judged)) -> float:
            lists, classes, known, judged = data
            model.fit(lists[known], classes[known])
            return float(roc_auc_score(classes[judged], model.decision_function(lists[judged])))

        areas.append(area(RankingClassifier(smoothing=0)))
        for name, graph in graphs.items():
            leads.setdefault(name, []).append(area(RankingClassifier(graph)) - areas[-1])
    cells = [f"{100 * np.mean(areas):.1f}"]
    for found in leads.values():
        error = np.std(found, ddof=1) / np.sqrt(len(found))
        cells.append(f"{100 * np.mean(found):+.1f} ± {200 * error:.1f}")
    return cells


HEAD = (
    "\nAUC × 100 of `RankingClassifier` without a graph, and what each graph adds, ± two standard "
    f"errors over {N_REPEATS} draws (simulated people) or {3 * N_REPEATS} (others); half of a 95 % "
    "interval is 1.6 or 1.1 times that. Graphs are learned from the labelled lists, "
    "from all lists, labelled or not, or made from item features. Simulated people "
    "list some of the items nearest to them; others list films they rated, or sushi.\n\n"
    "| lists | items | listed | labels | noise of features | no graph | agreement | co-listing | "
    "co-listing, all lists | item features |\n"
    "|---|---|---|---|---|---|---|---|---|---|\n"
)


def rows(data: str | None) -> Iterator[tuple[list[str], Callable[[], list[str]]]]:
    """What each row is about, and how to find the rest of it."""
    for n_items, length, n_labels, noise in (
        (1000, 3, 100, 0.3),
        (1000, 3, 100, 2.0),
        (1000, 20, 100, 0.3),
        (100, 3, 100, 0.3),
        (1000, 3, 400, 0.3),
        (20, 10, 100, 0.3),
    ):
        draw = partial(simulation, n_items, length, n_labels, noise)
        what = ["simulated", f"{n_items:,}", f"{length}", f"{n_labels}", f"{noise:g}"]
        yield what, partial(row, draw, N_REPEATS)
    if data is None:
        return
    for target in ("age", "gender"):
        for n_items, length, n_labels in (
            (1682, 3, 100),
            (1682, 3, 400),
            (1682, 30, 100),
            (100, 10, 100),
        ):
            draw = partial(survey, data, target, length, n_labels)
            name = f"{'sushi' if length == 10 else 'films'}, {target}"
            what = [name, f"{n_items:,}", f"{length}", f"{n_labels}", "–"]
            yield what, partial(row, draw, 3 * N_REPEATS)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?", help="directory with the data")
    parser.add_argument("--keep", type=Path, help="a JSON file with the rows found so far")
    parser.add_argument("--page", type=Path, help="a page to write the table to")
    options = parser.parse_args()
    lines = []
    known = {}
    if options.keep is not None and options.keep.exists():
        known = json.loads(options.keep.read_text(encoding="utf-8"))
    for what, find in rows(options.data):
        name = ", ".join(what)
        known[name] = known.get(name) or find()
        if options.keep is not None:
            options.keep.write_text(json.dumps(known), encoding="utf-8")
        lines.append("| " + " | ".join([*what, *known[name]]) + " |")
        print(lines[-1], flush=True)
        if options.page is not None:
            options.page.parent.mkdir(parents=True, exist_ok=True)
            opening = header("When an item graph helps to learn from labels", own_command())
            options.page.write_text(opening + HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
