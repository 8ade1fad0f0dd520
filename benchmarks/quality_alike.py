"""Are they alike? Finders of like people side by side, by four measures, on several kinds of list.

    python benchmarks/quality_alike.py DATA_DIR [--only NAME] [--keep FILE] [--page PAGE]

(a) Own other half: all items are split in two, and so is each list of half of the people; whose
second half is it? Mean reciprocal rank, and the share of other people that it is ahead of. All
finders learn from the other people's whole lists. (b) What is known of people: how much the nearest
30 have in common with a person, minus what any people have. (c) A third of each list is hidden: how
much the nearest 30 agree with a person on the hidden items, minus the items' means; (d) the same
with the means. Leads are paired, by person. Finders without item features are compared with each
other, and our finder with item features with all. --keep keeps the scores of each case, so that a
run that was interrupted goes on.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from quality_methods import places
from quality_people import N_CHOSEN_BY, People, cases
from record import header, own_command
from scipy import sparse
from scipy.stats import norm
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize

from rankcut import NeighborGraph
from rankcut.comparison.statistics import holm
from rankcut.similar import LikenessFeatures

N_NEAREST = 30
RANK = 20
Z = norm.isf(0.025)
OURS, WITH_ITEMS = "ours", "ours, item features"
MEASURES = {
    "mrr": "own half, MRR",
    "auc": "own half, AUC",
    "known": "known of people",
    "hidden": "hidden items",
    "raw": "hidden, with means",
}


class Judged(NamedTuple):
    """A score, and what each pair of people (its row is asked about) adds to it, less the mean."""

    score: float
    parts: np.ndarray


# From lists to learn from, lists to compare, and the case, to vectors that are compared by cosines.
Finder = Callable[[np.ndarray, np.ndarray, People], np.ndarray]


def order(ranks: np.ndarray) -> np.ndarray:
    """Centred places, from almost 1 to almost −1; 0 for what is not listed."""
    k = (~np.isnan(ranks)).sum(axis=1, keepdims=True)
    return np.nan_to_num(k + 1 - 2 * places(ranks)) / (k + 1)


def listing(ranks: np.ndarray) -> np.ndarray:
    return (~np.isnan(ranks)).astype(float)


def item_means(ranks: np.ndarray) -> np.ndarray:
    return order(ranks).sum(axis=0) / (listing(ranks).sum(axis=0) + 1.0)


def positions(known: np.ndarray, ranks: np.ndarray, case: People) -> np.ndarray:
    if case.unranked == "anywhere":
        return order(ranks)
    k = listing(ranks).sum(axis=1, keepdims=True)
    return np.where(np.isnan(ranks), -k, ranks.shape[1] + 1 - 2 * places(ranks))


def imputed(known: np.ndarray, ranks: np.ndarray, case: People) -> np.ndarray:
    return np.where(np.isnan(ranks), item_means(known), order(ranks))


def less_means(known: np.ndarray, ranks: np.ndarray, case: People) -> np.ndarray:
    return np.where(np.isnan(ranks), 0.0, order(ranks) - item_means(known))


def svd(known: np.ndarray, ranks: np.ndarray, case: People) -> np.ndarray:
    def whole(some: np.ndarray) -> np.ndarray:
        if case.unranked == "anywhere":
            return order(some)
        return normalize(order(some)) + normalize(listing(some))

    return (
        TruncatedSVD(min(RANK, ranks.shape[1] - 1), random_state=0)
        .fit(whole(known))
        .transform(whole(ranks))
    )


def tf_idf(known: np.ndarray, ranks: np.ndarray, case: People) -> np.ndarray:
    return listing(ranks) * (np.log((1 + len(known)) / (1 + listing(known).sum(axis=0))) + 1)


def mean_item(known: np.ndarray, ranks: np.ndarray, case: People) -> np.ndarray:
    if case.points is None:
        return np.zeros((len(ranks), 1))
    points = (case.points - case.points.mean(axis=0)) / (case.points.std(axis=0) + 1e-9)
    return (order(ranks) if case.unranked == "anywhere" else listing(ranks)) @ points


def stored(values: np.ndarray, ranks: np.ndarray) -> sparse.csr_array:
    rows, columns = np.nonzero(~np.isnan(ranks))
    return sparse.csr_array((values[rows, columns], (rows, columns)), shape=ranks.shape)


def als(known: np.ndarray, ranks: np.ndarray, case: People) -> np.ndarray:
    """Implicit feedback: listed is 1, with more confidence the higher it is; unlisted is 0."""

    def confidence(some: np.ndarray) -> sparse.csr_array:
        return stored(1 + 5 * (1 + order(some)), some)

    rank = min(RANK, ranks.shape[1] - 1)
    items = np.random.default_rng(0).standard_normal((ranks.shape[1], rank)) / np.sqrt(rank)
    by_list, by_item = confidence(known), sparse.csr_array(confidence(known).T)
    for _ in range(8):
        items = least_squares(by_item, least_squares(by_list, items))
    return least_squares(confidence(ranks), items)


def least_squares(weights: sparse.csr_array, factors: np.ndarray) -> np.ndarray:
    """Ridge regressions of 1 where there is a weight, and of 0 with weight 1 elsewhere."""
    everything = factors.T @ factors + 0.1 * np.eye(factors.shape[1])
    found = np.zeros((weights.shape[0], factors.shape[1]))
    for row in range(len(found)):
        some = slice(*weights.indptr[row : row + 2])
        own, sure = factors[weights.indices[some]], weights.data[some]
        gram = everything + (own.T * (sure - 1)) @ own
        found[row] = np.linalg.solve(gram, own.T @ sure)
    return found


def soft_impute(known: np.ndarray, ranks: np.ndarray, case: People) -> np.ndarray:
    """Fill in by soft-thresholded singular values; lists by the mean of factors given them."""
    means = item_means(known)
    values, listed = less_means(known, known, case), ~np.isnan(known)
    filled, threshold = values.copy(), 0.0
    for step in range(20):
        left, sizes, right = np.linalg.svd(filled, full_matrices=False)
        threshold = threshold if step else 0.1 * sizes[0]
        sizes = np.maximum(sizes[:RANK] - threshold, 0.0)
        filled = np.where(listed, values, (left[:, :RANK] * sizes) @ right[:RANK])
    loadings = right[:RANK].T * np.maximum(sizes, 1e-9) / np.sqrt(len(known))
    found = np.zeros((len(ranks), loadings.shape[1]))
    for person, row in enumerate(ranks):
        shown = ~np.isnan(row)
        own = loadings[shown]
        inner = own.T @ own + 0.15 * np.eye(own.shape[1])
        found[person] = np.linalg.solve(inner, own.T @ (order(row[None])[0] - means)[shown])
    return found * np.linalg.norm(loadings, axis=0)


def ours(known: np.ndarray, ranks: np.ndarray, case: People) -> np.ndarray:
    return LikenessFeatures(unranked=case.unranked).fit(known).transform(ranks)


def ours_with_items(known: np.ndarray, ranks: np.ndarray, case: People) -> np.ndarray:
    near = NeighborGraph(case.points, n_neighbors=min(10, len(case.points) // 3))
    found = LikenessFeatures(near, item_features=near, unranked=case.unranked)
    return found.fit(known).transform(ranks)


BASELINES: dict[str, Finder] = {
    "positions": positions,
    "listing": lambda known, ranks, case: listing(ranks),
    "imputed": imputed,
    "less means": less_means,
    "SVD": svd,
    "TF-IDF": tf_idf,
    "mean item": mean_item,
    "ALS": als,
    "soft-impute": soft_impute,
}


def likeness(queries: np.ndarray, others: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Cosines; ties are broken by chance."""
    cosines = normalize(queries) @ normalize(others).T
    return cosines + 1e-9 * rng.standard_normal(cosines.shape)


def own_half(case: People, find: Finder, seed: int) -> dict[str, Judged]:
    rng = np.random.default_rng([1, seed])
    people = rng.permutation(len(case.ranks))
    known, judged = np.split(people, [len(people) // 2])
    first = np.zeros(case.ranks.shape[1], dtype=bool)
    first[rng.permutation(len(first))[: len(first) // 2]] = True
    one = np.where(first, case.ranks[judged], np.nan)
    other = np.where(first, np.nan, case.ranks[judged])
    both = ~np.isnan(one).all(axis=1) & ~np.isnan(other).all(axis=1)
    vectors = find(case.ranks[known], np.vstack([one[both], other[both]]), case)
    alike = likeness(*np.split(vectors, 2), rng)
    ahead = alike > np.diag(alike)[:, None]
    n, rows = len(alike), judged[both]
    reciprocal = np.diag(1 / (1 + ahead.sum(axis=1)))
    pairs = ~np.eye(n, dtype=bool)
    return {
        "mrr": by_pairs(reciprocal, np.eye(n), rows, len(people)),
        "auc": by_pairs((~ahead & pairs).astype(float), pairs.astype(float), rows, len(people)),
    }


def nearest(vectors: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    alike = likeness(vectors, vectors, rng)
    np.fill_diagonal(alike, -np.inf)
    return np.argpartition(-alike, N_NEAREST, axis=1)[:, :N_NEAREST]


def by_pairs(shared: np.ndarray, counts: np.ndarray, rows: np.ndarray, n_people: int) -> Judged:
    """The mean over people of Σ shared / Σ counts, sums over the people they are compared with.

    Row and column r of both are the person ``rows[r]``.
    """
    totals = counts.sum(axis=1)
    asked = totals > 0
    shared, counts = shared[asked], counts[asked] / totals[asked, None]
    shared = shared / totals[asked, None]
    score = float(shared.sum(axis=1).mean())
    parts = np.zeros((n_people, n_people))
    parts[np.ix_(rows[asked], rows)] = (shared - counts * score) / asked.sum()
    return Judged(score, parts)


def by_nearest(
    near: np.ndarray, shared: np.ndarray, counts: np.ndarray, rows: np.ndarray, n_people: int
) -> Judged:
    """The same, if ``near`` has the columns of the people each is compared with."""
    whole = np.zeros((2, len(near), len(near)))
    for matrix, entries in zip(whole, (shared, counts), strict=True):
        np.put_along_axis(matrix, near, entries, axis=1)
    return by_pairs(*whole, rows, n_people)


def known_of_people(case: People, find: Finder, seed: int) -> dict[str, Judged]:
    if not case.known:
        return {}
    near = nearest(find(case.ranks, case.ranks, case), np.random.default_rng([2, seed]))
    shared = np.zeros(near.shape)
    for values in case.known.values():
        codes = np.unique(values.astype(str), return_inverse=True)[1]
        classes = np.eye(codes.max() + 1)[codes]
        classes -= classes.mean(axis=0)
        products = np.einsum("pkc,pc->pk", classes[near], classes)
        shared += products / (classes**2).sum(axis=1).mean() / len(case.known)
    everyone = np.arange(len(near))
    return {"known": by_nearest(near, shared, np.ones(near.shape), everyone, len(near))}


def hidden_items(case: People, find: Finder, seed: int) -> dict[str, Judged]:
    rng = np.random.default_rng([3, seed])
    shown = case.ranks.copy()
    for row in shown:
        listed = rng.permutation(np.flatnonzero(~np.isnan(row)))
        row[listed[: max(1, len(listed) // 3)]] = np.nan
    kept = np.flatnonzero(~np.isnan(shown).all(axis=1))
    ranks, shown = case.ranks[kept], shown[kept]
    near = nearest(find(shown, shown, case), rng)
    listed = ~np.isnan(ranks)
    judged = {}
    for name, means in (("hidden", item_means(ranks)), ("raw", 0.0)):
        values = np.where(listed, order(ranks) - means, 0.0)
        shared, counts = np.zeros(near.shape), np.zeros(near.shape)
        for person in range(len(ranks)):
            hidden = listed[person] & np.isnan(shown[person])
            counts[person] = listed[near[person]][:, hidden].sum(axis=1)
            shared[person] = values[near[person]][:, hidden] @ values[person, hidden]
        size = np.sqrt((values[listed] ** 2).mean())
        judged[name] = by_nearest(near, shared / size, counts, kept, len(case.ranks))
    return judged


def judge(case: People, find: Finder) -> dict[str, Judged]:
    """The score by each measure, a mean over draws, and what each pair of people adds to it."""
    found: dict[str, list[Judged]] = {}
    for seed in range(2):
        measured = own_half(case, find, seed) | hidden_items(case, find, seed)
        if not seed:
            measured |= known_of_people(case, find, seed)
        for name, judged in measured.items():
            found.setdefault(name, []).append(judged)
    return {
        name: Judged(
            float(np.mean([each.score for each in some])),
            np.mean([each.parts for each in some], axis=0),
        )
        for name, some in found.items()
    }


def lead(case: People, one: Judged, other: Judged) -> tuple[float, float]:
    """The difference and its standard error.

    Pairs that have a person in common are not independent, nor are lists of the same owner: the
    variance is the sum of all products of two pairs with a common owner (Fafchamps & Gubert, 2007).
    """
    pairs = one.parts - other.parts
    if case.owner is not None:
        owned = np.eye(case.owners.max() + 1)[case.owners]
        pairs = owned.T @ pairs @ owned
    within = np.diag(pairs)
    between = pairs + pairs.T - 2 * np.diag(within)
    variance = ((between.sum(axis=1) + within) ** 2).sum() - (between**2).sum() / 2
    return one.score - other.score, float(np.sqrt(max(variance, 0.0)))


def verdicts(leads: list[tuple[float, float]]) -> tuple[str, str, float]:
    """Who is ahead of the best of the others, by the rule that allows for picking it, and its p.

    To be ahead is to be ahead of each of the others, which needs no correction: it cannot be
    luck that one of them was picked. To be behind is to be behind any of them, at the level of
    5 % divided by their number.
    """
    mean, error = min(leads)
    plain = "ahead" if mean > Z * error else "behind" if mean < -Z * error else "="
    scores = [mean / max(error, 1e-300) for mean, error in leads]
    ahead, behind = 2 * norm.sf(min(scores)), 2 * len(leads) * norm.cdf(min(scores))
    p_value = min(ahead, behind, 1.0)
    return plain, verdict(p_value, ahead < behind), float(p_value)


def verdict(p_value: float, ahead: bool) -> str:
    return "=" if p_value > 0.05 else "ahead" if ahead else "behind"


def compare(case: People) -> list[list[str]]:
    """A row for each measure and each finder of ours: scores, the best of the others, the lead."""
    scores = {name: judge(case, find) for name, find in BASELINES.items()}
    finders = {OURS: ours} | ({} if case.points is None else {WITH_ITEMS: ours_with_items})
    rows = []
    for own, find in finders.items():
        rivals = [name for name in BASELINES if name != "mean item" or own == WITH_ITEMS]
        for measure, judged in judge(case, find).items():
            leads = [lead(case, judged, scores[name][measure]) for name in rivals]
            best = rivals[leads.index(min(leads))]
            mean, error = min(leads)
            numbers = [judged.score, scores[best][measure].score, mean, Z * error]
            ours_, best_, mean_, error_ = (f"{100 * number:.2f}" for number in numbers)
            cells = [own, MEASURES[measure], ours_, f"{best_} ({best})", f"{mean_} ± {error_}"]
            *words, p_value = verdicts(leads)
            rows.append([*cells, *words, repr(p_value)])
    return rows


HEAD = (
    "\nScores × 100, by four measures of the people who are found:\n\n"
    "- *Own half*: items are split in two, and so is a person's list. Where does the second half "
    "of the list come, searched by the first? Mean reciprocal rank (MRR), and the share of other "
    "people behind it (AUC).\n"
    "- *Known of people*: what the nearest 30 have in common with a person, minus what any people "
    "have.\n"
    "- *Hidden items*: a third of each list is hidden. How well the nearest 30 agree with a person "
    "about it, minus the items' means; *with means*: without subtracting them.\n\n"
    "The columns:\n\n"
    "- *Lead*: over the best of the others, chosen after the fact, with a 95 % interval for other "
    "people. Each person counts once.\n"
    "- *By it*: ahead or behind, judged by that interval.\n"
    "- *By the rule*: the same, allowing for that choice. Ahead means ahead of each of the others; "
    "behind means behind one of them, at the level of 5 % divided by their number.\n"
    "- *All rows of a finder at once*: p-values are adjusted by Holm for the number of rows.\n\n"
    "The settings were chosen on the first {n} cases, and on ten sushi, 20 films "
    "and all films of other people. The other cases were judged six times, five times with "
    "earlier recipes, so their counts are a little optimistic. Made-up cases were added "
    "afterwards, and nothing was chosen by them; in these, people differ only by item "
    "features.\n\n"
    "{counts}\n\n"
    "| case | kind | finder | measure | score | best of the others | lead | by it | by the rule |\n"
    "|---|---|---|---|---|---|---|---|---|\n"
)


def counts(judged: list[list[str]], invented: list[list[str]]) -> str:
    """How often each finder of ours is ahead, level and behind, by measures (a) to (c)."""
    where = "Counts without *hidden, with means*, on the cases by which no settings were chosen"
    real, others = (_counted(rows) for rows in (judged, invented))
    return f"{where}:\n\n{real}\n\nOn those made up:\n\n{others}"


def _counted(rows: list[list[str]]) -> str:
    rows = [row for row in rows if row[1] != MEASURES["raw"]]
    lines = [
        "| finder | | ahead | level | behind |",
        "|---|---|---|---|---|",
    ]
    for own in (OURS, WITH_ITEMS):
        mine = [row for row in rows if row[0] == own]
        adjusted = holm(np.array([float(row[-1]) for row in mine])) if mine else []
        ways = {
            "by the interval": [row[-3] for row in mine],
            "by the rule": [row[-2] for row in mine],
            "all rows at once": [
                verdict(p_value, not row[4].startswith("-"))
                for row, p_value in zip(mine, adjusted, strict=True)
            ],
        }
        for name, found in ways.items():
            numbers = " | ".join(str(found.count(word)) for word in ("ahead", "=", "behind"))
            lines.append(f"| {own} | {name} | {numbers} |")
    return "\n".join(lines)


def kept_rows(path: Path | None) -> dict[str, list[list[str]]]:
    return json.loads(path.read_text()) if path is not None and path.exists() else {}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", help="directory with the data")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    parser.add_argument("--keep", type=Path, help="a JSON file with the rows of each case")
    parser.add_argument("--page", type=Path, help="a page to write the table to")
    options = parser.parse_args()
    lines, judged, invented = [], [], []
    for number, (name, (kind, read)) in enumerate(cases(options.data).items()):
        if options.only not in name:
            continue
        rows = kept_rows(options.keep).get(name) or compare(read())
        if options.keep is not None:
            options.keep.write_text(json.dumps(kept_rows(options.keep) | {name: rows}))
        chosen = " (chosen by)" if number < N_CHOSEN_BY else ""
        if not chosen:
            (invented if name.startswith("made up") else judged).extend(rows)
        for row in rows:
            lines.append("| " + " | ".join([name + chosen, kind, *row[:-1]]) + " |")
            print(lines[-1], flush=True)
    print(counts(judged, invented))
    if options.page is not None:
        options.page.parent.mkdir(parents=True, exist_ok=True)
        opening = header("Finding people who are alike", own_command())
        head = HEAD.format(n=N_CHOSEN_BY, counts=counts(judged, invented))
        options.page.write_text(opening + head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
