"""How well blocs are found: their number, who is in them, how long it takes, and real votes.

Run with: python benchmarks/clusters.py [--only number,agreement,length,scale,real] [--samples N]
    [--seconds S] [--data FOLDER] [--keep FILE.json] [--output docs/results/clusters.md]

Parts: number (how often the number of planted blocs is found, and one where there is none),
agreement (adjusted Rand index with planted blocs for a given number, beside k-means on Borda
positions, scikit-learn's Gaussian mixture and spectral clustering on Kendall's kernel), length
(lists of unlike length: how much of the blocs is taste), scale (processor time and memory) and real
(blocs of real votes). R's MSmix and Rankcluster are not run. Seconds are processor time. ``--keep``
goes on where an earlier run of the number part stopped; ``--seconds`` stops it after that much
processor time.
"""

import argparse
import json
import resource
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from clusters_data import KINDS, POPULATIONS, UNRANKED, planted, population
from record import header
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from tables import print_table
from threadpoolctl import threadpool_limits

import rankcut
from rankcut import RankingClusters, load_eurovision, load_preflib, load_sushi
from rankcut.kernels import kendall_kernel

PARTS = ("number", "agreement", "length", "scale", "real")
METHODS = ("rankcut", "rankcut, unit length", "Borda k-means", "Gaussian mixture", "spectral")


class Page:
    """Tables on the terminal and on a page, each with the command that made it."""

    def __init__(self, target: Path | None, command: str) -> None:
        self.target = target
        self.command = command

    def show(self, title: str, columns: list[str], rows: list[list[str]], text: str = "") -> None:
        """Print a table, and put it on the page; it replaces an earlier one."""
        print_table(title, columns, rows)
        if self.target is None:
            return
        made = f"{datetime.now(UTC):%Y-%m-%d}, rankcut {rankcut.__version__}, `{self.command}`."
        lines = [title, "", made, "", text, ""] if text else [title, "", made, ""]
        lines += ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        lines += ["| " + " | ".join(row) + " |" for row in rows]
        before = self.target.read_text(encoding="utf-8") if self.target.exists() else ""
        sections = {part.split("\n")[0]: part.strip() for part in before.split("\n## ")[1:]}
        sections[title] = "\n".join(lines)
        self.target.parent.mkdir(parents=True, exist_ok=True)
        body = "".join(f"\n## {part}\n" for part in sections.values())
        opening = header("clusters", self.command)
        self.target.write_text(f"{opening}{body}", encoding="utf-8")


def find_number(name: str, kind: str, seed: int) -> int:
    """The number of blocs that is found in one sample of 1,000 people."""
    # Seeds below 2,000 were looked at when the rule was made.
    ranks, _ = population(name, kind, 1000, 2000 + seed)
    model = RankingClusters(unranked=UNRANKED[kind], n_init=1, n_bootstraps=0, random_state=seed)
    return int(model.fit(ranks).n_clusters_)


def number(page: Page, samples: int, seconds: float, keep: Path | None) -> None:
    known: dict[str, list[int]] = {}
    if keep is not None and keep.exists():
        known = json.loads(keep.read_text(encoding="utf-8"))
    start = time.process_time()
    for seed in range(samples):
        for name in POPULATIONS:
            for kind in KINDS:
                found = known.setdefault(f"{name}, {kind}", [])
                if len(found) > seed or time.process_time() - start > seconds:
                    continue
                found.append(find_number(name, kind, seed))
        if keep is not None:
            keep.write_text(json.dumps(known), encoding="utf-8")
    rows = []
    for name, true in POPULATIONS.items():
        for kind in KINDS:
            found = np.array(known[f"{name}, {kind}"])
            if not len(found):
                continue
            share = float((found == true).mean())
            error = np.sqrt(
                max(share * (1 - share), 1 / len(found) * (1 - 1 / len(found))) / len(found)
            )
            counts = np.bincount(found, minlength=9)[1:]
            rows.append(
                [name, kind, str(len(found)), f"{share:.1%} ± {error:.1%}"]
                + [str(count) if count else "" for count in counts]
            )
    page.show(
        "How often the number is found",
        ["population", "rankings", "samples", "right", *map(str, range(1, 9))],
        rows,
        "1,000 people, 10 items, blocs of equal size, centres that differ in at least a third of "
        "pairs, expected tau to the centre .6. The columns 1 to 8 count what was found.",
    )


def borda_positions(ranks: np.ndarray, unranked: str) -> np.ndarray:
    """Ranks with unranked items at the mean of the places left, or of all places."""
    n_items = ranks.shape[1]
    listed = np.isfinite(ranks)
    length = listed.sum(axis=1, keepdims=True)
    places = np.where(listed, ranks, np.inf).argsort(axis=1).argsort(axis=1) + 1.0
    if unranked == "last":
        return np.where(listed, places, (length + 1 + n_items) / 2)
    return np.where(listed, (places / (length + 1)) * (n_items + 1), (n_items + 1) / 2)


def methods(k: int, unranked: str, seed: int) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    ours = {"n_bootstraps": 0, "unranked": unranked, "random_state": seed}

    def spectral(ranks: np.ndarray) -> np.ndarray:
        gram = kendall_kernel(ranks, unranked=unranked)
        model = SpectralClustering(k, affinity="precomputed", random_state=seed)
        return model.fit_predict((gram - gram.min()) / (gram.max() - gram.min()))

    def mixture(ranks: np.ndarray) -> np.ndarray:
        model = GaussianMixture(k, n_init=3, reg_covar=1e-2, random_state=seed)
        return model.fit_predict(borda_positions(ranks, unranked))

    return {
        METHODS[0]: lambda ranks: RankingClusters(k, **ours).fit(ranks).labels_,
        METHODS[1]: lambda ranks: RankingClusters(k, normalize=True, **ours).fit(ranks).labels_,
        METHODS[2]: lambda ranks: KMeans(k, n_init=10, random_state=seed).fit_predict(
            borda_positions(ranks, unranked)
        ),
        METHODS[3]: mixture,
        METHODS[4]: spectral,
    }


def agreement(page: Page, samples: int) -> None:
    rows, behind = [], []
    spent = dict.fromkeys(METHODS, 0.0)
    for model in ("Kendall", "Spearman", "Plackett–Luce"):
        for level in ("hard", "medium", "easy"):
            for kind in KINDS:
                scores: dict[str, list[float]] = {name: [] for name in METHODS}
                for seed in range(samples):
                    ranks, bloc = planted(model, level, kind, 600, 3, seed)
                    for name, method in methods(3, UNRANKED[kind], seed).items():
                        start = time.process_time()
                        # Threads that wait for each other would count as time spent.
                        with threadpool_limits(1):
                            found = method(ranks)
                        spent[name] += time.process_time() - start
                        scores[name].append(adjusted_rand_score(bloc, found))
                means = {name: float(np.mean(values)) for name, values in scores.items()}
                lag = max(means.values()) - means["rankcut"]
                behind.append((lag, f"{model}, {level}, {kind}"))
                rows.append(
                    [model, level, kind, *(f"{m:.3f}" for m in means.values()), f"{lag:.3f}"]
                )
    rows.append(["processor time", "", "", *(f"{value:.1f} s" for value in spent.values()), ""])
    far = [f"{where} ({lag:.3f})" for lag, where in sorted(behind, reverse=True) if lag > 0.02]
    page.show(
        "Who is in which bloc",
        ["model", "noise", "rankings", *METHODS, "behind best"],
        rows,
        "Adjusted Rand index with planted blocs: 600 people, 10 items, 3 blocs, "
        f"{samples} samples. More than .02 behind the best: {'; '.join(far) or 'nowhere'}.",
    )


def length(page: Page, samples: int) -> None:
    rows = []
    for kind in (
        "best items, any length",
        "best items, length by bloc",
        "random items, any length",
    ):
        for words, unranked, unit in (
            ('unranked="last"', "last", False),
            ('unranked="last", unit length', "last", True),
            ('unranked="anywhere"', "anywhere", False),
            ('unranked="anywhere", unit length', "anywhere", True),
        ):
            scores, shares = [], []
            for seed in range(samples):
                ranks, bloc = planted("Kendall", "medium", kind, 600, 3, seed)
                model = RankingClusters(
                    3, unranked=unranked, normalize=unit, n_bootstraps=0, random_state=seed
                ).fit(ranks)
                scores.append(adjusted_rand_score(bloc, model.labels_))
                shares.append(model.length_share_)
            rows.append([kind, words, f"{np.mean(scores):.3f}", f"{np.mean(shares):.0%}"])
    page.show(
        "Length and taste",
        ["lists", "vectors", "adjusted Rand index", "of length explained"],
        rows,
        "Each person lists the best 1 to 9 of 10 items, as many as chance says, or more in some "
        "blocs than in others; or 2 to 9 items drawn at random. Three blocs, expected tau .6.",
    )


def scale(page: Page) -> None:
    rows = []
    for n_people in (1_000, 10_000, 100_000, 1_000_000):
        ranks, bloc = planted("Kendall", "medium", "full", n_people, 3, 0)
        for words, k in (("3 blocs", 3), ("number found", "auto")):
            start = time.process_time()
            model = RankingClusters(k, n_bootstraps=0).fit(ranks)
            spent = time.process_time() - start
            score = adjusted_rand_score(bloc, model.labels_)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            rows.append(
                [
                    f"{n_people:,}",
                    words,
                    str(model.n_clusters_),
                    f"{score:.3f}",
                    f"{spent:.1f} s",
                    f"{memory:,.0f} MB",
                ]
            )
    page.show(
        "Time and memory",
        ["people", "asked for", "blocs", "adjusted Rand index", "processor time", "peak memory"],
        rows,
        "10 items. The peak is of the whole process so far, its data included.",
    )


def real(page: Page, data: Path | None) -> None:
    rows = []
    for name, votes, ways in real_votes(data):
        for unranked, unit in ways:
            start = time.process_time()
            model = RankingClusters(unranked=unranked, normalize=unit, n_bootstraps=0)
            model.fit(votes.ranks, sample_weight=votes.counts)
            spent = time.process_time() - start
            table = model.selection_
            best = int(np.argmax(table["gap"] * table["stability"]))
            share = "" if model.length_share_ is None else f"{model.length_share_:.0%}"
            sizes = ", ".join(f"{size / model.sizes_.sum():.0%}" for size in model.sizes_)
            way = f"{unranked}, unit length" if unit else unranked
            cells = [name, f"{model.n_people_:,}", str(votes.shape[1]), way]
            cells += [str(model.n_clusters_), sizes, f"{model.certainty_:.2f}", share]
            cells += [str(table["n_clusters"][best]), f"{table['gap'][best]:.3f}"]
            cells += [f"{table['error'][best]:.3f}", f"{table['stability'][best]:.2f}"]
            rows.append([*cells, f"{spent:.1f} s"])
    if rows:
        columns = ["votes", "people", "items", "unranked", "blocs", "sizes", "certainty", "length"]
        page.show(
            "Real votes",
            [*columns, "best k", "gap", "error", "stability", "time"],
            rows,
            "Certainty is the mean probability of the bloc that a person is put in; length, the "
            "share of the variance of list lengths that the blocs explain; best k, the number with "
            "the largest product of gap and stability, whether it counts or not.",
        )


def real_votes(data: Path | None):
    """Dublin, Debian, sushi and Eurovision, from a folder that holds them."""
    if data is None:
        return
    partial = (("last", False), ("anywhere", True))
    for name, number in (("Dublin North 2002", 1), ("Dublin West 2002", 2)):
        yield name, load_preflib(data / f"preflib/00001-irish/00001-0000000{number}.soi"), partial
    for number in range(1, 9):
        votes = load_preflib(data / f"preflib/00002-debian/00002-0000000{number}.soi")
        yield votes.title, votes, partial[:1]
    yield "Sushi", load_sushi("a", data_home=data), (("error", False),)
    yield "Eurovision since 2004", load_eurovision(data_home=data, first_year=2004), partial


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=np.inf)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    wanted = options.only.split(",")
    shown = f"python benchmarks/clusters.py --only {options.only} --samples {options.samples}"
    page = Page(options.output, shown)
    if "number" in wanted:
        number(page, options.samples, options.seconds, options.keep)
    if "length" in wanted:
        length(page, min(options.samples, 10))
    if "agreement" in wanted:
        agreement(page, min(options.samples, 10))
    if "scale" in wanted:
        scale(page)
    if "real" in wanted:
        real(page, options.data)


if __name__ == "__main__":
    main()
