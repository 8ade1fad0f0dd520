"""Sections 2 and 3 of the paper: cuts, polytopes, cones and the feature map, checked in numbers."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankcut.cuts import GraphCut
from rankcut.pictures.polytope_figure import MAJORANT, TANGENT, draw_panels
from reproduction.findings import Claim, Key, Outcome, Picture, Sheet, Table, Verdict, tiny
from reproduction.panels import INK, SOFT, in_our_style
from reproduction.parts import Part, Record, Settings, Tables, Task
from reproduction.theory_checks import CHECKS, ROUNDING

# A graph of three items, none of whose faces coincide.
_TRIANGLE = ((0.0, 4.0, 1.0), (4.0, 0.0, 2.0), (1.0, 2.0, 0.0))

CLAIMS = {
    "support": Claim(
        "The Lovász extension is the support function of the base polytope.", "Section 2.3, eq. 6"
    ),
    "faces": Claim(
        "Each face of the base polytope belongs to an ordered partition.", "Section 2.3, Figure 1"
    ),
    "cut": Claim(
        "The graph cut is F(A) = Σ a(i, j)·|1[i ∈ A] − 1[j ∉ A]|, the weight of the edges between "
        "A and the rest.",
        "Section 2.4",
    ),
    "variation": Claim(
        "The Lovász extension of the cut is f(w) = Σ a(i, j)·|w_i − w_j|.", "Section 2.4"
    ),
    "outer": Claim(
        "The tangent cone of an ordered partition is an outer approximation of the base polytope, "
        "with l − 1 inequalities instead of exponentially many.",
        "Section 2.5",
    ),
    "tangent": Claim(
        "The features are the point of smallest norm of the tangent cone.", "Section 3.1, eq. 8"
    ),
    "dual": Claim(
        "That point is dual to isotonic regression with v_1 ≥ … ≥ v_l, by s = −v.",
        "Section 3.1, eqs. 9 and 10; Appendix A",
    ),
    "box": Claim("The algorithm box solves this isotonic regression.", "Section 3.3, Algorithm 1"),
    "closed": Claim(
        "On the pooled (basic) partition the values are −(F(B_i) − F(B_{i−1}))/|A_i|.",
        "Section 3.1, eq. 11",
    ),
    "monotone": Claim(
        "The feature map is monotonic: consistent with the ranking of the items.",
        "Sections 1 and 3.1",
    ),
    "mean": Claim(
        "The convolution kernel of incomplete rankings is the inner product of mean feature maps.",
        "Section 3.2, eq. 14",
    ),
    "count": Claim(
        "A ranking of l of n items has (l + 1)^(n − l) coherent exhaustive ordered partitions.",
        "Section 3.2",
    ),
    "kernel": Claim(
        "It is a kernel: Gram matrices of all kinds of rankings are positive semi-definite.",
        "Sections 3 and 5",
    ),
    "general": Claim(
        "General submodular functions, such as entropy, may replace the cut without any change.",
        "Section 5",
    ),
}


class Theory(Part):
    """What the method is, in numbers."""

    name = "theory"
    title = "Cuts, polytopes and the feature map"
    claims = CLAIMS

    def tasks(self, settings: Settings) -> list[Task]:
        """One task for each claim or two."""
        times = 20 if settings.quick else 200
        return [{"what": what, "times": times, "seed": 0} for what in CHECKS]

    def run(self, task: Task, data: Path | None) -> list[Record]:
        """Go through random graphs and ordered partitions."""
        rng = np.random.default_rng(task["seed"])
        return [
            {"what": task["what"], **record} for record in CHECKS[task["what"]](rng, task["times"])
        ]

    def tables(self, records: Sequence[Record]) -> dict[str, Table]:
        """All in one table, each check with the columns that it has."""
        return {"theory-checks": records}

    def figures(self, tables: Tables) -> dict[str, Picture]:
        """The base polytope of three items, with both cones."""
        return {
            "theory-polytope": Picture(
                {
                    title: in_our_style(figure)
                    for title, figure in draw_panels(GraphCut(np.array(_TRIANGLE))).items()
                },
                "The base polytope of three items in its plane (Figure 1 of the paper; the most "
                "preferred first). The tangent cone, by which the paper defines the features, "
                "always holds the origin (+). The point φ, nearest to the origin in the cone on "
                "the other side, is what its algorithm computes.",
                [
                    Key("base polytope B(F)", INK),
                    Key("s(A) = F(A)", SOFT, "--"),
                    Key("tangent cone, s(B) ≤ F(B)", TANGENT),
                    Key("majorant cone, s(B) ≥ F(B)", MAJORANT),
                ],
            )
        }

    def sheets(self, tables: Tables) -> list[Sheet]:
        """Both cones and the algorithm, and the counts of completions."""
        rows = [row for row in tables["theory-checks"] if row["what"] == "count"]
        return [
            Sheet(
                [{key: value for key, value in row.items() if key != "what"} for row in rows],
                "How many exhaustive ordered partitions agree with a ranking of l of n items.",
            )
        ]

    def verdicts(self, tables: Tables) -> dict[str, Verdict]:
        """Each from the records of its check."""
        checks: dict[str, list[Any]] = {}
        for row in tables["theory-checks"]:
            checks.setdefault(row["what"], []).append(row)
        return {key: verdict(checks[key]) for key, verdict in _VERDICTS.items()}

    def prose(self, tables: Tables) -> str:
        """How the check was done, and the convention."""
        return (
            "The method rests on a chain of definitions. Each is checked here on random weighted "
            "graphs of three to seven items, and two numbers count as equal if they differ by less "
            "than 10⁻⁹ of the largest.\n\n"
            "Two definitions do not say what was computed. The printed cut counts the edges inside "
            "and outside a set. And the printed cone holds the origin for every cut, so that all "
            "rankings would have the vector 0; the algorithm box reverses the inequalities. "
            "The features of the paper's results, and of this library, are those of the box.\n\n"
            "The signs differ too: equation 10 says φ = −v, the example below it φ = v. The kernel "
            "is the same either way."
        )


def _decide(good: bool, because: str, otherwise: Outcome = Outcome.FAILS) -> Verdict:
    return Verdict(Outcome.HOLDS if good else otherwise, because)


def _judge_cut(rows: list[Any]) -> Verdict:
    (row,) = rows
    share = row["equal to the cut"] / row["sets"]
    return _decide(
        share == 1,
        "The formula as printed is the weight between A and the rest for "
        f"{row['equal to the cut']} of {row['sets']:,} sets; of the empty set it is "
        f"{row['F(∅) over all weight']:.0%} of all weight instead of 0. With j ∈ A instead of "
        "j ∉ A it is the cut.",
    )


def _judge_difference(counted: str) -> Callable[[list[Any]], Verdict]:
    def judge(rows: list[Any]) -> Verdict:
        (row,) = rows
        return _decide(
            row["largest difference"] < ROUNDING,
            f"Over {row[counted]} {counted} the largest difference is "
            f"{tiny(row['largest difference'])} of the value.",
        )

    return judge


def _judge_faces(rows: list[Any]) -> Verdict:
    whole, path = rows
    return _decide(
        whole["different faces"] == whole["ordered partitions"],
        f"With all edges, the {whole['ordered partitions']} ordered partitions of four items name "
        f"{whole['different faces']} different faces. Where edges are missing, some name the same: "
        f"on a path there are {path['different faces']}.",
    )


def _judge_outer(rows: list[Any]) -> Verdict:
    (row,) = rows
    return _decide(
        row["in the cone"] == row["vertices"],
        f"{row['in the cone']:,} of {row['vertices']:,} vertices lie in the tangent cones of "
        "random ordered partitions.",
    )


def _judge_tangent(rows: list[Any]) -> Verdict:
    (row,) = rows
    zero = row["shortest vector of the tangent cone is 0"]
    same = row["shortest vector of the majorant cone is the feature vector"]
    return _decide(
        row["shortest vector of the tangent cone is the feature vector"] == row["rankings"],
        f"For {zero} of {row['rankings']} random rankings that point is 0, because F ≥ 0 and "
        "F(V) = 0. With s(B) ≥ F(B) instead of s(B) ≤ F(B) it is the feature vector, "
        f"{same} times out of {row['rankings']}.",
    )


def _judge_dual(rows: list[Any]) -> Verdict:
    (row,) = rows
    good = row["largest gap"] < ROUNDING and row["largest |s + v|"] < ROUNDING
    return _decide(
        good,
        f"On {row['rankings']} rankings with coverage functions the duality gap is at most "
        f"{tiny(row['largest gap'])}, and s = −v to {tiny(row['largest |s + v|'])}. For cuts both "
        "sides are 0.",
    )


def _judge_box(rows: list[Any]) -> Verdict:
    (row,) = rows
    solved = row["the box solves the printed problem"]
    return _decide(
        solved == row["rankings"],
        f"It does for {solved} of {row['rankings']} rankings: it pools where v falls, so that "
        f"v_1 ≤ … ≤ v_l. It gives the features of this library {row['the box gives the features']} "
        f"times of {row['rankings']}.",
    )


def _judge_monotone(rows: list[Any]) -> Verdict:
    against = sum(row["against"] for row in rows)
    shares = " and ".join(
        f"{row['pooled'] / row['neighbours']:.0%} ({row['graph']})" for row in rows
    )
    return _decide(
        against == 0,
        f"Of {sum(row['neighbours'] for row in rows):,} neighbours in random rankings of seven "
        f"items {against} are against the ranking. Their order is lost, by pooling, for {shares}.",
    )


def _judge_count(rows: list[Any]) -> Verdict:
    gaps = all(
        row["(l + 1)^(n − l)"] == row["each item in a gap, those of a gap tied"] for row in rows
    )
    every = all(row["(l + 1)^(n − l)"] == row["ties with ranked items too"] for row in rows)
    last = rows[-1]
    return Verdict(
        Outcome.HOLDS if every else Outcome.IN_PART if gaps else Outcome.FAILS,
        f"It counts the partitions in which unranked items fall into the gaps, those of one gap "
        f"tied: {last['(l + 1)^(n − l)']} for {last['l']} of {last['n']} items. Coherent with the "
        f"ranking are {last['those of a gap in any order']} if those of a gap may have any order, "
        f"and {last['ties with ranked items too']} with ties to ranked items.",
    )


def _judge_kernel(rows: list[Any]) -> Verdict:
    least = min(row["smallest eigenvalue over largest"] for row in rows)
    return _decide(
        least > -ROUNDING,
        f"For {', '.join(row['kind'] for row in rows)} rankings the smallest eigenvalue is at "
        f"least {tiny(least)} of the largest.",
    )


def _judge_general(rows: list[Any]) -> Verdict:
    against = sum(row["against the ranking"] for row in rows)
    least = min(row["smallest eigenvalue over largest"] for row in rows)
    names = ", ".join(row["function"] for row in rows)
    return _decide(
        against == 0 and least > -ROUNDING,
        f"The same code makes features of {names}: {against} values against the ranking among "
        f"{rows[0]['rankings']} rankings each, and eigenvalues of at least {tiny(least)} of the "
        "largest. "
        "(Section 6 calls this an open problem.)",
    )


_VERDICTS: dict[str, Callable[[list[Any]], Verdict]] = {
    "cut": _judge_cut,
    "variation": _judge_difference("vectors"),
    "support": _judge_difference("vectors"),
    "faces": _judge_faces,
    "outer": _judge_outer,
    "tangent": _judge_tangent,
    "dual": _judge_dual,
    "box": _judge_box,
    "closed": _judge_difference("rankings"),
    "monotone": _judge_monotone,
    "mean": _judge_difference("pairs of rankings"),
    "count": _judge_count,
    "kernel": _judge_kernel,
    "general": _judge_general,
}
