"""How well blocs are found: their number, who is in them, how long it takes, and real votes.

Run with: python benchmarks/blocs.py [--only PART,PART] [--samples N] [--seconds S]
    [--data FOLDER] [--keep FILE.json] [--output docs/results/blocs.md]

Parts: number (how often the number of planted blocs is found, and one where there is none),
agreement (adjusted Rand index with planted blocs for a given number, beside k-means on Borda
positions, scikit-learn's Gaussian mixture and spectral clustering on Kendall's kernel), time (the
same methods, with memory), length (lists of unlike length: how much of the blocs is taste), sure
(whether intervals of what sets blocs apart hold, and membership is as sure as it says), scale (up
to a million people) and real (blocs of real votes). R's mixtures of rankings are not run: neither
Debian nor PyPI has MSmix or Rankcluster. Seconds are processor time of one thread. ``--keep`` goes
on where an earlier run of number or agreement stopped; ``--seconds`` stops them after that long.
"""

import argparse
import json
import resource
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
from blocs_data import KINDS, POPULATIONS, UNRANKED, planted, population
from blocs_real import follow_parties, real
from blocs_sure import sure
from record import header
from scipy.stats import binomtest
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from tables import print_table
from threadpoolctl import threadpool_limits

import rankcut
from rankcut import RankingBlocs
from rankcut.kernels import kendall_kernel

PARTS = ("number", "length", "agreement", "time", "sure", "scale", "real")
METHODS = ("rankcut", "Borda k-means", "Gaussian mixture", "spectral")


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
        opening = header("blocs", self.command)
        opening += "\nEach table names the run that made it; the command above is the latest.\n"
        self.target.write_text(f"{opening}{body}", encoding="utf-8")


def find_number(name: str, kind: str, seed: int) -> int:
    """The number of blocs that is found in one sample of 1,000 people."""
    # Other seeds were looked at when the rule was made: 0 to 3,100, 10,000 to 10,019, from 90,000.
    ranks, _ = population(name, kind, 1000, 20_000 + seed)
    model = RankingBlocs(unranked=UNRANKED[kind], n_init=1, n_bootstraps=0, random_state=seed)
    return int(model.fit(ranks).n_blocs_)


class Kept:
    """Results of samples by cell, in a file that another run goes on from."""

    def __init__(self, file: Path | None, seconds: float) -> None:
        self.file = file
        self.ends = time.process_time() + seconds
        self.cells: dict[str, list] = {}
        if file is not None and file.exists():
            self.cells = json.loads(file.read_text(encoding="utf-8"))

    def sample(self, cells: dict[str, Callable[[int], object]], samples: int) -> None:
        """As many samples of each cell, one of each in turn."""
        for seed in range(samples):
            for cell, measure in cells.items():
                found = self.cells.setdefault(cell, [])
                if len(found) <= seed and time.process_time() < self.ends:
                    found.append(measure(seed))
            if self.file is not None:
                self.file.write_text(json.dumps(self.cells), encoding="utf-8")


def number(page: Page, samples: int, kept: Kept) -> None:
    cells = {(name, kind): f"{name}, {kind}" for name in POPULATIONS for kind in KINDS}
    measures = {cell: partial(find_number, *where) for where, cell in cells.items()}
    # The numbers that are promised to be found first.
    promised = {cells[where] for where in cells if POPULATIONS[where[0]] <= 4}
    kept.sample({cell: measures[cell] for cell in measures if cell in promised}, samples)
    kept.sample(measures, samples)
    rows = []
    for (name, kind), cell in cells.items():
        found = np.array(kept.cells.get(cell, []), dtype=np.int64)
        if not len(found):
            continue
        right = int((found == POPULATIONS[name]).sum())
        span = binomtest(right, len(found)).proportion_ci()
        counts = np.bincount(found, minlength=9)[1:]
        rows.append(
            [name, kind, str(len(found)), f"{right / len(found):.1%}"]
            + [f"{span.low:.1%} to {span.high:.1%}"]
            + [str(count) if count else "" for count in counts]
        )
    page.show(
        "How often the number is found",
        ["population", "rankings", "samples", "right", "95 %", *map(str, range(1, 9))],
        rows,
        "1,000 people, 10 items, blocs of equal size, centres that differ in at least a third of "
        "pairs, expected tau to the centre .6. The interval is the exact binomial one. The columns "
        "1 to 8 count what was found.",
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

    def borda(ranks: np.ndarray) -> np.ndarray:
        return KMeans(k, n_init=10, random_state=seed).fit_predict(borda_positions(ranks, unranked))

    def blocs(ranks: np.ndarray) -> np.ndarray:
        return RankingBlocs(k, **ours).fit(ranks).labels_

    return dict(zip(METHODS, (blocs, borda, mixture, spectral), strict=True))


def timed(method: Callable[[np.ndarray], np.ndarray], ranks: np.ndarray):
    """Labels, and seconds of one thread: threads that wait for each other would count."""
    with threadpool_limits(1):
        start = time.process_time()
        found = method(ranks)
        return found, time.process_time() - start


def agree(model: str, level: str, kind: str, seed: int) -> list[tuple[float, float]]:
    """Adjusted Rand index and seconds of each method on one sample."""
    ranks, bloc = planted(model, level, kind, 600, 3, seed)
    found = []
    for method in methods(3, UNRANKED[kind], seed).values():
        labels, seconds = timed(method, ranks)
        found.append((float(adjusted_rand_score(bloc, labels)), seconds))
    return found


def agreement(page: Page, samples: int, kept: Kept) -> None:
    cells = {
        (model, level, kind): f"{model}, {level}, {kind}"
        for model in ("Kendall", "Spearman", "Plackett–Luce")
        for level in ("hard", "medium", "easy")
        for kind in UNRANKED
    }
    kept.sample({cell: partial(agree, *where) for where, cell in cells.items()}, samples)
    rows, behind, spent, least = [], [], np.zeros(len(METHODS)), samples
    for where, cell in cells.items():
        if not kept.cells[cell]:
            continue
        found = np.array(kept.cells[cell])
        least = min(least, len(found))
        means = found[:, :, 0].mean(axis=0)
        spent += found[:, :, 1].sum(axis=0)
        best = int(means.argmax())
        lead = found[:, best, 0] - found[:, 0, 0]
        error = lead.std(ddof=1) / np.sqrt(len(lead)) if len(lead) > 1 else np.nan
        if lead.mean() > 0.02:
            behind.append((lead.mean(), f"{cell} ({lead.mean():.3f} ± {error:.3f})"))
        rows.append(
            [*where, *(f"{mean:.3f}" for mean in means), f"{lead.mean():.3f} ± {error:.3f}"]
        )
    rows.append(["seconds", "", "", *(f"{value:.1f}" for value in spent), ""])
    far = [where for _, where in sorted(behind, reverse=True)]
    page.show(
        "Who is in which bloc",
        ["model", "noise", "rankings", *METHODS, "behind best"],
        rows,
        f"Adjusted Rand index with planted blocs: 600 people, 10 items, 3 blocs, at least {least} "
        "samples. Behind best: the mean difference from the best of the four, picked afterwards, "
        "with its standard error. "
        f"More than .02 behind: {'; '.join(far) or 'nowhere'}.",
    )


def compare_times(page: Page) -> None:
    rows = []
    for n_people in (600, 2_000, 5_000):
        ranks, bloc = planted("Kendall", "medium", "full", n_people, 3, 0)
        own = None
        for name, method in methods(3, "error", 0).items():
            labels, seconds = min(
                (timed(method, ranks) for _ in range(3)), key=lambda pair: pair[1]
            )
            tracemalloc.start()
            method(ranks)
            memory = tracemalloc.get_traced_memory()[1] / 2**20
            tracemalloc.stop()
            own = seconds if own is None else own
            score = adjusted_rand_score(bloc, labels)
            rows.append([f"{n_people:,}", name, f"{score:.3f}", f"{seconds:.3f} s"])
            rows[-1] += [f"{seconds / own:.1f}", f"{memory:,.0f} MB"]
    page.show(
        "Time beside others",
        ["people", "method", "adjusted Rand index", "time", "times rankcut", "memory"],
        rows,
        "Full rankings of 10 items, 3 blocs given; ten starts of k-means, three of the mixture. "
        "The fastest of three runs with one thread, and the peak of what NumPy holds. rankcut also "
        "ranks each bloc and measures what sets it apart.",
    )


def length(page: Page, samples: int) -> None:
    rows = []
    for kind in UNRANKED:
        if "length" not in kind:
            continue
        for words, unranked, unit in (
            ('unranked="last"', "last", False),
            ('unranked="last", unit length', "last", True),
            ('unranked="anywhere"', "anywhere", False),
            ('unranked="anywhere", unit length', "anywhere", True),
        ):
            scores, shares = [], []
            for seed in range(samples):
                ranks, bloc = planted("Kendall", "medium", kind, 600, 3, seed)
                model = RankingBlocs(
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
        "blocs than in others; or 2 to 9 items drawn at random. Three blocs, expected tau .6, "
        f"{samples} samples.",
    )


def scale(page: Page) -> None:
    rows = []
    for n_people in (1_000, 10_000, 100_000, 1_000_000):
        ranks, bloc = planted("Kendall", "medium", "full", n_people, 3, 0)
        for words, k in (("3 blocs", 3), ("number found", "auto")):
            start = time.process_time()
            model = RankingBlocs(k, n_bootstraps=0).fit(ranks)
            spent = time.process_time() - start
            score = adjusted_rand_score(bloc, model.labels_)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            rows.append(
                [
                    f"{n_people:,}",
                    words,
                    str(model.n_blocs_),
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
    shown = f"python benchmarks/blocs.py --only {options.only} --samples {options.samples}"
    page = Page(options.output, shown)
    kept = Kept(options.keep, options.seconds)
    if "number" in wanted:
        number(page, options.samples, kept)
    if "length" in wanted:
        length(page, min(options.samples, 10))
    if "agreement" in wanted:
        agreement(page, options.samples, kept)
    if "time" in wanted:
        compare_times(page)
    if "sure" in wanted:
        sure(page, options.samples)
    if "scale" in wanted:
        scale(page)
    if "real" in wanted and options.data is not None:
        real(page, options.data)
        follow_parties(page, options.data)


if __name__ == "__main__":
    main()
