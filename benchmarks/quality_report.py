"""The report of the quality benchmark: a table, tests over tasks, and a figure.

Intervals are 95 % intervals for other people and other training sets; differences are paired, on
the same splits. The best of the others is named after the fact, so that the difference from it is
to the recipe's disadvantage. Verdicts are not corrected for the number of tasks.
"""

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from quality_classifiers import CLASSIFIERS
from quality_finders import FINDERS
from quality_methods import MOST_ITEMS, MOST_KENDALL, MOST_MALLOWS
from quality_scores import RECIPE, Estimate, TaskScores, holm, mean_lead
from scipy import stats

# Ours with one option each; the others, except the recipe, are what people have already.
OURS = "cut"

# Wilcoxon's test of fewer cannot come below 0.05.
FEWEST_PROBLEMS = 6

VERDICTS = ("best", "within noise", "worse", "one split")

CAPS = (
    f"The Kendall kernel learns from at most {MOST_KENDALL} labels and Mallows from "
    f"{MOST_MALLOWS}; both and boosting see at most {MOST_ITEMS} items, those most often listed."
)

# Between them a page of the documentation has the short table.
BEGIN, END = "<!-- quality:begin -->", "<!-- quality:end -->"

# What people have already, in the short table.
RIVALS = ("majority", "Borda", "listed", "Kendall", "Mallows", "SVD", "boosting")


# A narrow space that does not break, for a table of many columns.
NARROW = "\u202f"


def kind_of(task: TaskScores) -> str:
    """Tasks of one kind have the same methods and the same measure."""
    return task.family if task.family.startswith("neighbours") else "labels"


def by_kind(tasks: Sequence[TaskScores]) -> dict[str, list[TaskScores]]:
    kinds: dict[str, list[TaskScores]] = defaultdict(list)
    for task in tasks:
        kinds[kind_of(task)].append(task)
    return kinds


def problems(tasks: Sequence[TaskScores], methods: Sequence[str]) -> np.ndarray:
    """Means over the numbers of labels: tasks that differ only in these are one problem."""
    groups: dict[str, list[list[float]]] = defaultdict(list)
    for task in tasks:
        groups[task.name.rsplit(",", 1)[0]].append([task.score[m].mean for m in methods])
    return np.array([np.mean(rows, axis=0) for rows in groups.values()])


def tests_over_tasks(tasks: Sequence[TaskScores]) -> dict:
    """Mean ranks and the recipe's lead over each method.

    Two questions. Would it hold for other people? The mean lead, with people as the sample. And on
    other tasks? Friedman's and Wilcoxon's tests, with problems as the sample, although
    some of them are about the same people.
    """
    methods = [m for m in tasks[0].methods if all(m in task.methods for task in tasks)]
    table = problems(tasks, methods)
    ranks = stats.rankdata(-table.round(6), axis=1).mean(axis=0)
    ours = table[:, methods.index(RECIPE)]
    others = [method for method in methods if method != RECIPE]
    leads = {method: mean_lead(tasks, method) for method in others}
    p_people = holm({method: lead.p for method, lead in leads.items()})
    p_problems = dict.fromkeys(others, float("nan"))
    if len(table) >= FEWEST_PROBLEMS:
        p_problems = holm(
            {m: float(stats.wilcoxon(ours, table[:, methods.index(m)]).pvalue) for m in others}
        )
    n, k = table.shape
    found: dict = {"tasks": len(tasks), "problems": n}
    if n > 2:
        found["Friedman p"] = float(stats.friedmanchisquare(*table.T).pvalue)
        q = stats.studentized_range.ppf(0.95, k, np.inf) / np.sqrt(2)
        found["Nemenyi distance"] = float(q * np.sqrt(k * (k + 1) / (6 * n)))
    found["mean rank"] = dict(zip(methods, ranks.tolist(), strict=True))
    found["recipe against"] = {
        method: {
            "lead": lead.mean,
            "interval ±": lead.half,
            "p over people": p_people[method],
            "p over problems": p_problems[method],
            "ahead on problems": int((ours > table[:, methods.index(method)]).sum()),
        }
        for method, lead in leads.items()
    }
    return found


def write_report(tasks: Sequence[TaskScores], home: Path, page: Path | None = None) -> str:
    """Write the table, the summary and the figure, and into a page if one is given."""
    tests = {kind: tests_over_tasks(some) for kind, some in by_kind(tasks).items()}
    seconds: dict[str, float] = defaultdict(float)
    for task in tasks:
        for method, spent in task.seconds.items():
            seconds[method] += spent
    summary = {
        "date": datetime.now(UTC).date().isoformat(),
        "tasks": len(tasks),
        "splits": sum(task.n_splits for task in tasks),
        "verdicts": dict(Counter(task.verdict for task in tasks)),
        "worse without correction": sum(task.seems_worse for task in tasks),
        "tests": tests,
        "seconds": {method: round(spent) for method, spent in seconds.items()},
    }
    table = "\n\n".join([_heading(summary), _full_table(tasks, tests), _leads(tests)]) + "\n"
    (home / "table.md").write_text(table, encoding="utf-8")
    _write_csv(tasks, home / "table.csv")
    (home / "summary.json").write_text(json.dumps(summary, indent=1), encoding="utf-8")
    _draw(tasks, home / "figure.png")
    if page is not None:
        _write_page(tasks, summary, page)
    return table


def _heading(summary: dict) -> str:
    return (
        f"Run of {summary['date']}: {summary['tasks']} tasks, {summary['splits']} splits. AUC × "
        "100 of classifiers; Kendall's tau × 100 of the ten nearest people; correlation × 100 of "
        "likeness and tau over all people (agreement foreseen). ± is half of a 95 % "
        "interval. The majority's AUC is always 50; its nearest people are the most typical, for "
        "everyone. "
        f"{CAPS} Boosting learns from labels, and finds no neighbours."
    )


def _full_table(tasks: Sequence[TaskScores], tests: dict) -> str:
    known = {method for task in tasks for method in task.methods}
    methods = [m for m in dict.fromkeys([*CLASSIFIERS, *FINDERS]) if m in known and m != RECIPE]
    methods = [m for m in methods if not _says_nothing(m, tasks)] + [RECIPE]
    rows = [["task", *methods, "recipe − best other"]]
    for task in tasks:
        best = task.best(task.methods)
        rival = task.best(task.lead)
        cells = [_cell(task.score.get(m), bold=m == best) for m in methods]
        rows.append([task.name, *cells, f"{_signed(task.lead[rival])}, {task.verdict}"])
    for kind, found in tests.items():
        ranks = found["mean rank"]
        cells = [f"{ranks[m]:.1f}" if m in ranks else "–" for m in methods]
        rows.append([f"*mean rank, {found['problems']} problems, {kind}*", *cells, ""])
    return _markdown(rows)


def _says_nothing(method: str, tasks: Sequence[TaskScores]) -> bool:
    """Whether a method's AUC is 1/2 in every split of every task, as the majority's is."""
    scores = [task.score.get(method) for task in tasks]
    return all(s is not None and s.half == 0 and s.mean == 0.5 for s in scores)


def _leads(tests: dict) -> str:
    """The recipe's mean lead over each method, and the tests."""
    rows = [
        ["recipe against", "tasks", "mean lead", "p, people", "p, problems", "ahead on problems"]
    ]
    for kind, found in tests.items():
        for method, lead in found["recipe against"].items():
            rows.append(
                [
                    method,
                    kind,
                    f"{100 * lead['lead']:+.2f} ± {100 * lead['interval ±']:.2f}",
                    _p(lead["p over people"]),
                    _p(lead["p over problems"]),
                    f"{lead['ahead on problems']} of {found['problems']}",
                ]
            )
    return (
        "The recipe's mean lead over each method, with p for other people and for other problems:"
        f"\n\n{_markdown(rows)}"
    )


def _cell(score: Estimate | None, *, bold: bool) -> str:
    if score is None:
        return "–"
    text = f"{100 * score.mean:.1f}{NARROW}±{NARROW}{100 * score.half:.1f}"
    return f"**{text}**" if bold else text


def _signed(lead: Estimate) -> str:
    return f"{100 * lead.mean:+.1f} ± {100 * lead.half:.1f}"


def _p(value: float) -> str:
    return "–" if np.isnan(value) else "< 0.0001" if value < 1e-4 else f"{value:.2g}"


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([head, "|---" * len(rows[0]) + "|", *body])


def _write_csv(tasks: Sequence[TaskScores], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["task", "method", "splits", "mean", "half_interval", "recipe_lead", "of_it"]
        )
        for task in tasks:
            for method, score in task.score.items():
                lead = task.lead.get(method)
                apart = [lead.mean, lead.half] if lead else ["", ""]
                writer.writerow([task.name, method, task.n_splits, score.mean, score.half, *apart])


def _short_table(tasks: Sequence[TaskScores]) -> str:
    """Families of tasks, and the recipe compared with common methods."""
    families: dict[str, list[TaskScores]] = defaultdict(list)
    for task in tasks:
        families[task.family].append(task)
    heads = [
        *RIVALS,
        RECIPE,
        "its lead over Borda",
        "best single option of ours",
        "best, within noise, worse",
    ]
    rows = [["tasks", *heads]]
    for family, some in families.items():
        mean = {m: 100 * np.mean([t.score[m].mean for t in some]) for m in some[0].methods}
        option = max((m for m in mean if m.startswith(OURS)), key=mean.__getitem__)
        verdicts = [task.verdict for task in some]
        lead = mean_lead(some, "Borda")
        rows.append(
            [
                f"{family} ({len(some)})",
                *(f"{mean[m]:.1f}" if m in mean else "–" for m in (*RIVALS, RECIPE)),
                f"{100 * lead.mean:+.1f} ± {100 * lead.half:.1f}",
                f"{mean[option]:.1f} ({option})",
                ", ".join(str(verdicts.count(word)) for word in VERDICTS[:3]),
            ]
        )
    return _markdown(rows)


def _write_page(tasks: Sequence[TaskScores], summary: dict, page: Path) -> None:
    """Put the short table and the tests between the markers of a page of the documentation."""
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    lines = [
        f"Run of {summary['date']}: {summary['tasks']} tasks, {summary['splits']} splits. Means "
        "over the tasks of each kind, × 100. The last column counts the tasks on which the recipe "
        "is significantly better than every other method, within noise of the best, or worse than "
        f"one; without the correction, {summary['worse without correction']} would be worse. "
        f"{CAPS}",
        "",
        _short_table(tasks),
        "",
        "The recipe's mean lead over each method, its 95 % interval, p for other people and p for "
        "other tasks:",
        "",
        _lead_table(summary["tests"]),
    ]
    block = "\n".join(lines)
    page.write_text(
        f"{before}{BEGIN}\n\n{block}\n\n{END}{after}",
        encoding="utf-8",
    )


def _lead_table(tests: dict) -> str:
    methods = dict.fromkeys(m for found in tests.values() for m in found["recipe against"])
    rows = [["recipe against", *tests]]
    for method in methods:
        leads = [found["recipe against"].get(method) for found in tests.values()]
        rows.append(
            [
                method,
                *(
                    f"{100 * lead['lead']:+.2f} ± {100 * lead['interval ±']:.2f} "
                    f"({_p(lead['p over people'])}; {_p(lead['p over problems'])})"
                    if lead
                    else "–"
                    for lead in leads
                ),
            ]
        )
    ranks = [found["mean rank"] for found in tests.values()]
    rows.append(
        [
            "*its mean rank, and the best of the others*",
            *(f"{r[RECIPE]:.1f}, {min(v for m, v in r.items() if m != RECIPE):.1f}" for r in ranks),
        ]
    )
    return _markdown(rows)


def _draw(tasks: Sequence[TaskScores], path: Path) -> None:
    """Each method's distance from the best baseline, a row for each task."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 0.22 * len(tasks) + 1.5))
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for place, task in enumerate(reversed(tasks)):
        rival = task.best(m for m in task.lead if not m.startswith((OURS, RECIPE)))
        for method, score in task.score.items():
            gap = 100 * (score.mean - task.score[rival].mean)
            if method == RECIPE:
                half = 100 * task.lead[rival].half
                axes.errorbar(gap, place, xerr=half, fmt="o", color="tab:red", ms=4, zorder=3)
            else:
                colour = "tab:blue" if method.startswith((OURS, RECIPE)) else "0.6"
                axes.plot(gap, place, ".", color=colour, markersize=4)
    axes.axvline(0, color="0.3", linewidth=0.8)
    axes.set_yticks(range(len(tasks)), [task.name for task in reversed(tasks)], fontsize=6)
    axes.set_xlim(-12, 6)
    axes.set_ylim(-1, len(tasks))
    axes.set_xlabel("score × 100, less that of the best baseline")
    axes.set_title("recipe (red), single options (blue), baselines (grey)", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
