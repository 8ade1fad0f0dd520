"""Statements of the paper that need no experiment: arithmetic, printed tables, counts."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score

from rankcut.cuts import Completions, graph_cut_features
from rankcut.datasets.food import DISHES, TASTES
from rankcut.graphs.recipes import SimilarityGraph
from rankcut.kernels import kendall_features, kendall_kernel, mallows_kernel
from reproduction.encodings import drawn_means
from reproduction.findings import Claim, Outcome, Picture, Row, Sheet, Table, Verdict, tiny
from reproduction.panels import COLOURS, INK, SOFT, new_panel
from reproduction.parts import Part, Record, Settings, Tables, Task

CLAIMS = {
    "f1": Claim("On a balanced data set the F1-score is equal to the accuracy.", "Section 4.2"),
    "scores": Claim(
        "The dishes' features, weighted by 1, 0.17 and 0.09, give the printed scores.",
        "Section 4.1, Tables 3 and 4",
    ),
    "places": Claim(
        "The noise-free preferences follow from the scores.", "Section 4.1, Tables 4 and 5"
    ),
    "count": Claim(
        "There are about ½·(1/log 2)^(n+1)·n! partial rankings of n items.", "Section 1"
    ),
    "linear": Claim(
        "Kendall's kernel is a linear kernel on permutations, and the Mallows kernel the squared "
        "exponential one.",
        "Section 1",
    ),
    "draws": Claim(
        "Drawing some of the coherent partitions is enough for large sets of items (600 draws for "
        "100 items).",
        "Sections 3.2 and 4.2",
    ),
}

# Draws are enough that leave a smaller part of a vector's square as squared error.
_ENOUGH = 0.05


class Statements(Part):
    """What can be looked up, derived or counted."""

    name = "statements"
    title = "Statements that need no experiment"
    claims = CLAIMS

    def tasks(self, settings: Settings) -> list[Task]:
        """One task for each statement."""
        rankings = 4 if settings.quick else 20
        return [
            {"what": what, **({"rankings": rankings} if what == "draws" else {})} for what in CHECKS
        ]

    def run(self, task: Task, data: Path | None) -> list[Record]:
        """Compute what the statement is about."""
        return list(CHECKS[task["what"]](task))

    def tables(self, records: Sequence[Record]) -> dict[str, Table]:
        """A table for each statement."""
        tables: dict[str, list[Record]] = {}
        for record in records:
            kept = {key: value for key, value in record.items() if key != "what"}
            tables.setdefault(f"statements-{record['what']}", []).append(kept)
        return dict(tables)

    def figures(self, tables: Tables) -> dict[str, Picture]:
        """F1 and accuracy, and the error of draws."""
        return {
            "statements": Picture(
                {
                    "F1 against the share of predictions for one class": _f1_panel(
                        tables["statements-f1"]
                    ),
                    "error of mean features against draws": _draws_panel(
                        tables["statements-draws"]
                    ),
                },
                "Left: a guess that ignores the ranking, on balanced data. Its accuracy is ½ "
                "whatever it says; its F1-score rises with how often it says the positive class, "
                "up to 2/3. Right: how far mean features are from the exact mean, ten of a hundred "
                "items ranked. Draws in mirrored pairs reach with few what independent draws need "
                "hundreds for.",
            )
        }

    def sheets(self, tables: Tables) -> list[Sheet]:
        """The printed tables, and the tables computed from them."""
        return [
            Sheet(
                tables["statements-places"],
                "Scores and places of the dishes, 7 the most preferred: as printed, and computed "
                "from the printed features and importances.",
                {"computed score": ".4f", "printed score": ".2f"},
            )
        ]

    def verdicts(self, tables: Tables) -> dict[str, Verdict]:
        """Each from its table."""
        verdicts = {key: judge(tables[f"statements-{key}"]) for key, judge in _VERDICTS.items()}
        return verdicts | {"scores": _judge_scores(tables["statements-places"])}

    def prose(self, tables: Tables) -> str:
        """What was done."""
        return (
            "Some statements can be checked by arithmetic. The tables of the synthetic data are "
            "computed from one another; F1 is compared with accuracy on balanced labels; partial "
            "rankings are counted; and mean features of incomplete rankings are compared with what "
            "a given number of draws makes of them (100 items in a random graph that keeps the "
            "strongest tenth of its edges, 10 items ranked, 20,000 draws as the truth). Draws are "
            f"*enough* if they leave less than {_ENOUGH:.0%} of squared error, and in part if less "
            "than half.\n\n"
            "The paper writes the preferences of *type one* as Sweet ≺ Savoury ≺ Juicy and defines "
            "a ≺ b as a preference for b, but gives *type one* the largest weight for sweet. The "
            "tables follow the weights."
        )


def _judge_f1(rows: Table) -> Verdict:
    always = rows[-1]
    apart = max(abs(row["F1"] - row["accuracy"]) for row in rows)
    return Verdict(
        Outcome.HOLDS if apart < 0.005 else Outcome.FAILS,
        f"Always the positive class has accuracy {always['accuracy']:.2f} and F1 "
        f"{always['F1']:.2f} (macro-averaged {always['macro F1']:.2f}; micro-averaged F1 is "
        f"accuracy, balanced or not). They differ by up to {apart:.2f} for guesses that ignore the "
        "ranking.",
    )


def _judge_scores(rows: Table) -> Verdict:
    def off(key: str) -> list[str]:
        # A printed score is right if it is within one unit of its last place.
        return [
            f"{row['dish']} ({row['user']})"
            for row in rows
            if abs(row["printed score"] - row[key]) > 0.01
        ]

    printed, exact = off("computed score"), off("score with 1, 1/6, 1/11")
    worst = max(abs(row["printed score"] - row["computed score"]) for row in rows)
    return Verdict(
        Outcome.HOLDS if not printed else Outcome.IN_PART if len(printed) < 8 else Outcome.FAILS,
        f"{len(rows) - len(printed)} of {len(rows)} scores agree to 0.01 with the printed weights, "
        f"and {len(rows) - len(exact)} with 1, 1/6 and 1/11. The largest difference is "
        f"{worst:.3f}.",
    )


def _judge_places(rows: Table) -> Verdict:
    """By the scores as printed, of which two dishes may have the same; and as computed."""
    against = [row for row in rows if not _follows(row, rows)]
    wrong = [row for row in rows if row["printed place"] != row["computed place"]]
    both = all(row["computed place"] == row["place with 1, 1/6, 1/11"] for row in wrong)
    named = ", ".join(
        f"{row['dish']} of {row['user']} has place {row['computed place']} (score "
        f"{row['computed score']:.3f}), printed {row['printed place']}"
        for row in wrong
    )
    most = max(len(against), len(wrong))
    return Verdict(
        Outcome.HOLDS if not most else Outcome.IN_PART if most < 8 else Outcome.FAILS,
        f"{len(rows) - len(against)} of {len(rows)} places are possible by the printed scores, of "
        f"which some are equal, and {len(rows) - len(wrong)} agree with scores that are not rounded"
        + (f": {named}." if wrong else ".")
        + (" Both ways to read the weights say so." if wrong and both else ""),
    )


def _follows(row: Row, rows: Table) -> bool:
    """Whether a printed place is one that the printed scores allow: 0 is the least preferred."""
    others = [each["printed score"] for each in rows if each["user"] == row["user"]]
    below = sum(score < row["printed score"] for score in others)
    equal = sum(score == row["printed score"] for score in others)
    return bool(below <= row["printed place"] < below + equal)


def _judge_count(rows: Table) -> Verdict:
    last = rows[-1]
    return Verdict(
        Outcome.HOLDS if abs(last["ratio"] - 1) < 0.01 else Outcome.FAILS,
        f"Counted one by one, {last['partial rankings']:,} for {last['n']} items; the formula is "
        f"{last['ratio']:.6f} of it, and {rows[2]['ratio']:.4f} already for {rows[2]['n']} items.",
    )


def _judge_linear(rows: Table) -> Verdict:
    (row,) = rows
    worst = max(row["Kendall, difference"], row["Mallows, difference"])
    return Verdict(
        Outcome.HOLDS if worst < 1e-9 else Outcome.FAILS,
        f"In the vectors of the signs of all pairs of items, over {row['pairs']:,} pairs of "
        f"rankings, to {tiny(worst)}.",
    )


def _judge_draws(rows: Table) -> Verdict:
    errors = {(row["sampler"], row["draws"]): row["relative squared error"] for row in rows}
    paper = errors["independent", 600]
    as_good = min(
        (
            draws
            for (sampler, draws), error in errors.items()
            if sampler == "antithetic" and error <= 1.5 * paper
        ),
        default=600,
    )
    return Verdict(
        Outcome.HOLDS if paper < _ENOUGH else Outcome.IN_PART if paper < 0.5 else Outcome.FAILS,
        f"600 independent draws leave a squared error of {paper:.1%} of a vector's square. "
        f"{as_good} draws in mirrored pairs leave {errors['antithetic', as_good]:.1%}, and 600 of "
        f"them {errors['antithetic', 600]:.2%}.",
    )


_VERDICTS: dict[str, Callable[[Table], Verdict]] = {
    "f1": _judge_f1,
    "places": _judge_places,
    "count": _judge_count,
    "linear": _judge_linear,
    "draws": _judge_draws,
}


def _f1_panel(rows: Table) -> Any:
    figure, axes = new_panel("F1 is not accuracy")
    share = [row["predicted positive"] for row in rows]
    axes.plot(share, [row["F1"] for row in rows], color=COLOURS["graph cut"], lw=2, label="F1")
    axes.plot(
        share, [row["macro F1"] for row in rows], color=COLOURS["Mallows"], lw=2, label="macro F1"
    )
    axes.plot(share, [row["accuracy"] for row in rows], color=INK, lw=2, ls="--", label="accuracy")
    axes.set(xlabel="share of predictions for the positive class", ylabel="score", ylim=(0, 0.8))
    axes.legend(frameon=False, loc="lower right")
    return figure


def _draws_panel(rows: Table) -> Any:
    figure, axes = new_panel("Error of mean features")
    colours = {"independent": SOFT, "antithetic": COLOURS["Kendall"]}
    for sampler in dict.fromkeys(row["sampler"] for row in rows):
        own = [row for row in rows if row["sampler"] == sampler]
        axes.plot(
            [row["draws"] for row in own],
            [row["relative squared error"] for row in own],
            marker="o",
            lw=2,
            color=colours.get(sampler, COLOURS["graph cut"]),
            label=sampler,
        )
    axes.set(xscale="log", yscale="log", xlabel="draws", ylabel="relative squared error")
    axes.set_xticks([4, 16, 64, 256, 600], ["4", "16", "64", "256", "600"])
    axes.minorticks_off()
    axes.legend(frameon=False)
    return figure


# Tables 4 and 5 of the paper, in the order of the dishes there.
PRINTED_SCORES = {
    "type one": (0.93, 0.72, 1.06, 0.21, 0.42, 0.36, 0.58, 0.6),
    "type two": (0.38, 0.08, 0.79, 0.93, 1.05, 1.18, 0.85, 0.79),
}
PRINTED_PLACES = {"type one": (6, 5, 7, 0, 2, 1, 3, 4), "type two": (1, 0, 2, 5, 6, 7, 4, 3)}

# Importance of the most, second and least preferred aspect, as the text prints it.
PRINTED_WEIGHTS = (1.0, 0.17, 0.09)


def _check_f1(task: Task) -> Iterator[Record]:
    # Balanced labels, and for each share of positive predictions the expected table of outcomes.
    truth = np.repeat([0, 1], 100)
    for share in range(5, 101, 5):
        predicted = np.tile(np.arange(100) < share, 2).astype(int)
        yield {
            "what": "f1",
            "predicted positive": share / 100,
            "accuracy": float(accuracy_score(truth, predicted)),
            "F1": float(f1_score(truth, predicted)),
            "macro F1": float(f1_score(truth, predicted, average="macro")),
        }


def _computed_scores(importances: Sequence[float]) -> dict[str, NDArray[np.float64]]:
    features = np.array(list(DISHES.values()))
    return {
        "type one": features @ np.array(importances),
        "type two": features @ np.array(importances[::-1]),
    }


def _check_tables(task: Task) -> Iterator[Record]:
    computed = _computed_scores(PRINTED_WEIGHTS)
    exact = _computed_scores(next(iter(TASTES.values())))
    for user in PRINTED_SCORES:
        places = np.argsort(np.argsort(computed[user]))
        others = np.argsort(np.argsort(exact[user]))
        for dish, name in enumerate(DISHES):
            yield {
                "what": "places",
                "user": user,
                "dish": name,
                "printed score": PRINTED_SCORES[user][dish],
                "computed score": float(computed[user][dish]),
                "score with 1, 1/6, 1/11": float(exact[user][dish]),
                "printed place": PRINTED_PLACES[user][dish],
                "computed place": int(places[dish]),
                "place with 1, 1/6, 1/11": int(others[dish]),
            }


def _check_count(task: Task) -> Iterator[Record]:
    # a(n) = Σ_k C(n, k)·a(n − k): the first group has k items.
    counts = [1]
    for n in range(1, 13):
        counts.append(sum(math.comb(n, k) * counts[n - k] for k in range(1, n + 1)))
        about = 0.5 * (1 / math.log(2)) ** (n + 1) * math.factorial(n)
        yield {"what": "count", "n": n, "partial rankings": counts[n], "ratio": about / counts[n]}


def _check_linear(task: Task) -> Iterator[Record]:
    rng = np.random.default_rng(0)
    ranks = np.stack([rng.permutation(7) + 1.0 for _ in range(100)])
    signs, lam = kendall_features(ranks), 0.3
    # Features are scaled so that their inner products are τ; n(n − 1)/2 pairs have signs ±1.
    distances = ((signs[:, None] - signs) ** 2).sum(axis=2) * 21
    yield {
        "what": "linear",
        "pairs": len(ranks) ** 2,
        "Kendall, difference": float(np.abs(signs @ signs.T - kendall_kernel(ranks)).max()),
        "Mallows, difference": float(
            np.abs(np.exp(-lam * distances / 4) - mallows_kernel(ranks, lam=lam)).max()
        ),
    }


def _check_draws(task: Task) -> Iterator[Record]:
    rng = np.random.default_rng(0)
    graph = SimilarityGraph(rng.random((100, 5)), keep=0.1).build()
    ranks = np.full((task["rankings"], 100), np.nan)
    for row in ranks:
        row[rng.permutation(100)[:10]] = np.arange(1.0, 11.0)

    def features(sampler: str, n_draws: int, seed: int) -> NDArray[np.float64]:
        if sampler != "controlled":
            mirrored = sampler == "antithetic"
            return drawn_means(ranks, graph, n_draws, seed, mirrored=mirrored)
        completions = Completions("sampled", n_draws=n_draws, random_state=seed)
        return np.asarray(
            graph_cut_features(ranks, graph, unranked="anywhere", completions=completions)
        )

    truth = features("controlled", 20_000, 1)
    for sampler in ("independent", "antithetic", "controlled"):
        for n_draws in (4, 16, 64, 256, 600):
            if sampler == "controlled" and n_draws < 16:
                continue
            wrong = ((features(sampler, n_draws, 2) - truth) ** 2).sum(axis=1)
            yield {
                "what": "draws",
                "sampler": sampler,
                "draws": n_draws,
                "relative squared error": float((wrong / (truth**2).sum(axis=1)).mean()),
            }


CHECKS: dict[str, Callable[[Task], Iterator[Record]]] = {
    "f1": _check_f1,
    "tables": _check_tables,
    "count": _check_count,
    "linear": _check_linear,
    "draws": _check_draws,
}
