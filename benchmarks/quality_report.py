"""The report of the quality benchmark: a table, tests over tasks, and a figure.

Intervals are 95 % intervals of the mean over splits. Splits of the same people overlap, so that
the variance of the mean is s²·(1/J + ρ/(1 − ρ)) for J splits of which each judges the share ρ of
all people (Nadeau & Bengio, 2003), and not s²/J. Differences are paired: the same splits for both.
"""

import csv
import json
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from quality_methods import CLASSIFIERS, FINDERS, MOST_ITEMS, MOST_KENDALL, MOST_MALLOWS
from scipy import stats

RECIPE = "recipe"

# Ours with one option each; the others, but for the recipe, are what people have already.
OURS = "cut"


class Scores:
    """Scores by task and method, each an array over the splits that all methods have."""

    def __init__(self, records: list[dict]) -> None:
        by_key: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
        self.overlap: dict[str, float] = {}
        self.family: dict[str, str] = {}
        self.seconds: dict[str, float] = defaultdict(float)
        for record in records:
            by_key[record["task"], record["method"]][record["split"]] = record["score"]
            self.overlap[record["task"]] = record["overlap"]
            self.family[record["task"]] = record["family"]
            self.seconds[record["method"]] += record["seconds"]
        known = {record["method"] for record in records}
        named = dict.fromkeys([*CLASSIFIERS, *FINDERS])
        self.methods = [m for m in named if m in known and m != RECIPE] + [RECIPE]
        self.tasks = list(self.overlap)
        self.scores: dict[str, dict[str, np.ndarray]] = {}
        for task in self.tasks:
            own = {m: by_key[task, m] for m in self.methods if (task, m) in by_key}
            common = sorted(set.intersection(*(set(splits) for splits in own.values())))
            self.scores[task] = {m: np.array([s[i] for i in common]) for m, s in own.items()}

    def mean(self, task: str, method: str) -> float:
        """Mean over the splits."""
        return float(self.scores[task][method].mean())

    def half_interval(self, task: str, values: np.ndarray) -> float:
        """Half of the 95 % interval of the mean of values, one for each split."""
        n = len(values)
        if n < 2:
            return float("nan")
        rho = self.overlap[task]
        deviation = values.std(ddof=1) * np.sqrt(1 / n + rho / (1 - rho))
        return float(stats.t.ppf(0.975, n - 1) * deviation)

    def difference(self, task: str, one: str, other: str) -> tuple[float, float]:
        """Mean and half interval of the paired difference."""
        values = self.scores[task][one] - self.scores[task][other]
        return float(values.mean()), self.half_interval(task, values)


def is_neighbours(task: str) -> bool:
    return task.startswith("neighbours")


def without_size(task: str) -> str:
    return task if is_neighbours(task) else task.rsplit(",", 1)[0]


def problems(scores: Scores, methods: list[str], tasks: list[str]) -> tuple[list[str], np.ndarray]:
    """Means over the numbers of labels: tasks that differ in it alone are no two problems."""
    groups: dict[str, list[list[float]]] = defaultdict(list)
    for task in tasks:
        groups[without_size(task)].append([scores.mean(task, method) for method in methods])
    return list(groups), np.array([np.mean(rows, axis=0) for rows in groups.values()])


def ranks_and_tests(scores: Scores, tasks: list[str]) -> dict:
    """Mean ranks, Friedman's test, Nemenyi's distance, Wilcoxon's tests with Holm's correction."""
    methods = [m for m in scores.methods if all(m in scores.scores[task] for task in tasks)]
    names, table = problems(scores, methods, tasks)
    ranks = stats.rankdata(-table.round(6), axis=1)
    found: dict = {
        "problems": len(names),
        "mean rank": dict(zip(methods, ranks.mean(axis=0).round(2).tolist(), strict=True)),
    }
    if len(names) < 3:
        return found
    k, n = len(methods), len(names)
    found["Friedman p"] = float(stats.friedmanchisquare(*table.T).pvalue)
    q = stats.studentized_range.ppf(0.95, k, 10_000) / np.sqrt(2)
    found["Nemenyi distance"] = round(float(q * np.sqrt(k * (k + 1) / (6 * n))), 2)
    ours = table[:, methods.index(RECIPE)]
    p_values = {
        method: float(stats.wilcoxon(ours, table[:, place]).pvalue)
        for place, method in enumerate(methods)
        if method != RECIPE and not np.allclose(ours, table[:, place])
    }
    running = 0.0
    corrected = {}
    for place, method in enumerate(sorted(p_values, key=p_values.__getitem__)):
        running = max(running, min(1.0, p_values[method] * (len(p_values) - place)))
        corrected[method] = round(running, 4)
    found["Wilcoxon-Holm p, recipe against"] = corrected
    found["recipe better on"] = {
        method: f"{int((ours > table[:, methods.index(method)]).sum())} of {n}"
        for method in p_values
    }
    return found


def verdicts(scores: Scores) -> dict[str, dict]:
    """The recipe against the best of what people have already, and against the best of all."""
    found = {}
    for task in scores.tasks:
        others = [m for m in scores.scores[task] if m != RECIPE]
        baselines = [m for m in others if not m.startswith(OURS)]
        best = max(others, key=lambda m: scores.mean(task, m))
        rival = max(baselines, key=lambda m: scores.mean(task, m))
        difference, half = scores.difference(task, RECIPE, best)
        against, half_against = scores.difference(task, RECIPE, rival)
        found[task] = {
            "best other": best,
            "recipe minus best other": round(difference, 4),
            "interval ±": round(half, 4),
            "best baseline": rival,
            "recipe minus best baseline": round(against, 4),
            "interval of it ±": round(half_against, 4),
            "verdict": _verdict(difference, half),
        }
    return found


def _verdict(difference: float, half: float) -> str:
    if np.isnan(half):
        return "one split"
    if difference - half > 0:
        return "best"
    return "worse" if difference + half < 0 else "within noise"


def write_report(records: list[dict], home: Path, page: Path | None = None) -> str:
    """Write the table, the summary and the figure, and into a page if one is given."""
    scores = Scores(records)
    judged = verdicts(scores)
    kinds = {
        "classification": [task for task in scores.tasks if not is_neighbours(task)],
        "neighbours": [task for task in scores.tasks if is_neighbours(task)],
    }
    tests = {kind: ranks_and_tests(scores, tasks) for kind, tasks in kinds.items() if tasks}
    today = datetime.now(UTC).date().isoformat()
    splits = sum(len(next(iter(scores.scores[task].values()))) for task in scores.tasks)
    lines = [
        f"Run of {today}: {len(scores.tasks)} tasks, {splits} splits. AUC × 100 of classifiers, "
        "Kendall's tau × 100 of the ten nearest neighbours; mean ± 95 % interval. Majority finds "
        "the most typical people for everyone. The Kendall kernel learns from at most "
        f"{MOST_KENDALL} labels and Mallows from {MOST_MALLOWS}; both and boosting see at most "
        f"{MOST_ITEMS} items, those most often listed.",
        "",
        "| task | " + " | ".join(scores.methods) + " | recipe − best other |",
        "|---" * (len(scores.methods) + 2) + "|",
    ]
    for task in scores.tasks:
        best = max(scores.mean(task, m) for m in scores.scores[task])
        cells = []
        for method in scores.methods:
            if method not in scores.scores[task]:
                cells.append("–")
                continue
            values = scores.scores[task][method]
            text = f"{100 * values.mean():.1f} ± {100 * scores.half_interval(task, values):.1f}"
            cells.append(f"**{text}**" if values.mean() == best else text)
        verdict = judged[task]
        cells.append(
            f"{100 * verdict['recipe minus best other']:+.1f} ± {100 * verdict['interval ±']:.1f}, "
            f"{verdict['verdict']}"
        )
        lines.append(f"| {task} | " + " | ".join(cells) + " |")
    for kind, found in tests.items():
        row = [str(found["mean rank"].get(method, "–")) for method in scores.methods]
        lines.append(
            f"| *mean rank, {found['problems']} problems of {kind}* | " + " | ".join(row) + " | |"
        )
    table = "\n".join(lines) + "\n"
    (home / "table.md").write_text(table, encoding="utf-8")
    with (home / "table.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["task", "method", "splits", "mean", "half_interval"])
        for task in scores.tasks:
            for method, values in scores.scores[task].items():
                half = scores.half_interval(task, values)
                writer.writerow([task, method, len(values), values.mean(), half])
    counts = defaultdict(int)
    for verdict in judged.values():
        counts[verdict["verdict"]] += 1
    summary = {
        "date": today,
        "tasks": len(scores.tasks),
        "splits": splits,
        "verdicts": dict(counts),
        "tests": tests,
        "by task": judged,
        "seconds": {method: round(total) for method, total in scores.seconds.items()},
    }
    (home / "summary.json").write_text(json.dumps(summary, indent=1), encoding="utf-8")
    _draw(scores, home / "figure.png")
    if page is not None:
        write_page(scores, summary, page)
    short = {name: value for name, value in summary.items() if name != "by task"}
    return table + "\n" + json.dumps(short, indent=1)


def page_table(scores: Scores) -> str:
    """A short table: kinds of task, and the recipe beside what people have already."""
    judged = verdicts(scores)
    kinds: dict[str, list[str]] = defaultdict(list)
    for task in scores.tasks:
        kinds[scores.family[task]].append(task)
    columns = ["Borda", "listed", "Kendall", "SVD", "boosting", RECIPE]
    heads = [*columns, "best option of ours alone", "recipe better, within noise, worse"]
    lines = ["| tasks | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for kind, tasks in kinds.items():
        cells = []
        for method in columns:
            known = [t for t in tasks if method in scores.scores[t]]
            mean = 100 * np.mean([scores.mean(t, method) for t in known]) if known else np.nan
            cells.append("–" if np.isnan(mean) else f"{mean:.1f}")
        options = [m for m in scores.scores[tasks[0]] if m.startswith(OURS)]
        means = {m: np.mean([scores.mean(t, m) for t in tasks]) for m in options}
        best = max(means, key=lambda m: means[m])
        cells.append(f"{100 * means[best]:.1f} ({best})")
        found = [judged[task]["verdict"] for task in tasks]
        cells.append(
            ", ".join(str(found.count(word)) for word in ("best", "within noise", "worse"))
        )
        lines.append(f"| {kind} ({len(tasks)}) | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_page(scores: Scores, summary: dict, page: Path) -> None:
    """Put the short table and the tests between the markers of a page of the documentation."""
    before, rest = page.read_text(encoding="utf-8").split("<!-- quality:begin -->")
    after = rest.split("<!-- quality:end -->")[1]
    counts = summary["verdicts"]
    tests = summary["tests"]["classification"]
    against = tests.get("Wilcoxon-Holm p, recipe against", {})
    lines = [
        f"Run of {summary['date']}: {summary['tasks']} tasks, {summary['splits']} splits. Means "
        "over the tasks of each kind, × 100. The last column counts tasks on which the recipe is "
        "significantly better than every other method, within noise of the best, or worse.",
        "",
        page_table(scores),
        "",
        f"Over all tasks the recipe is the best in {counts.get('best', 0)}, within noise of the "
        f"best in {counts.get('within noise', 0)} and worse in {counts.get('worse', 0)}. Its mean "
        f"rank over {tests['problems']} problems of classification is "
        f"{tests['mean rank'][RECIPE]} of {len(tests['mean rank'])} methods (Friedman: "
        f"p = {tests.get('Friedman p', float('nan')):.1g}); Wilcoxon's test with Holm's "
        "correction against "
        + ", ".join(
            f"{method}: p = {against[method]:.2g}"
            for method in ("Borda", "listed", "Kendall", "Mallows", "SVD", "boosting")
            if method in against
        )
        + ".",
    ]
    block = "\n".join(lines)
    page.write_text(
        f"{before}<!-- quality:begin -->\n\n{block}\n\n<!-- quality:end -->{after}",
        encoding="utf-8",
    )


def _draw(scores: Scores, path: Path) -> None:
    """Each method's distance from the best baseline, a row for each task."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    judged = verdicts(scores)
    figure, axes = plt.subplots(figsize=(8, 0.22 * len(scores.tasks) + 1.5))
    for place, task in enumerate(reversed(scores.tasks)):
        rival = judged[task]["best baseline"]
        for method, values in scores.scores[task].items():
            gap = 100 * (values.mean() - scores.mean(task, rival))
            if method == RECIPE:
                _, half = scores.difference(task, RECIPE, rival)
                axes.errorbar(
                    gap, place, xerr=100 * half, fmt="o", color="tab:red", markersize=4, zorder=3
                )
            else:
                colour = "tab:blue" if method.startswith(OURS) else "0.6"
                axes.plot(gap, place, ".", color=colour, markersize=4)
    axes.axvline(0, color="0.3", linewidth=0.8)
    axes.set_yticks(range(len(scores.tasks)), list(reversed(scores.tasks)), fontsize=6)
    axes.set_xlim(-12, 6)
    axes.set_xlabel("AUC or tau × 100, less that of the best baseline")
    axes.set_title("recipe (red), single options (blue), baselines (grey)", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)
