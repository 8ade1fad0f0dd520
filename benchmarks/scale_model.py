"""The cost model of benchmarks/scale.py, fitted to its runs, and its forecast for 10⁹ rankings."""

import numpy as np
from scipy.optimize import nnls
from tables import print_table

MACHINE_CORES = 8
BILLION = 10**9


def cost_model(grown, overhead):
    """Seconds = start + rankings·a/cores for features, and rows·b/cores + blocks·d for a pass."""
    sizes = np.array([run["rankings"] for run in grown], dtype=float)
    start, each = fit_line(sizes, [run["features"] for run in grown])
    # A few distinct rows are fitted without any pass.
    passes = [run["fit"] / max(1, run["passes"]) for run in grown]
    start_pass, each_pass = fit_line(sizes, passes)
    return {
        "start": start,
        "a": 2 * each,
        "start_pass": start_pass,
        "b": 2 * each_pass,
        "d": overhead["task"],
        "passes": grown[-1]["passes"],
        "bytes": grown[-1]["bytes"],
    }


def fit_line(x, y):
    """A line that does not fall, nor begin below 0; relative errors count alike."""
    design = np.column_stack([np.ones(len(x)), x]) / np.asarray(y)[:, None]
    (intercept, slope), _ = nnls(design, np.ones(len(x)))
    return float(intercept), float(slope)


def say_model(model, n_items, own_block):
    print("\nThe cost model, fitted to the runs with two workers")
    print(f"  features:  {model['start']:.2f} s + {model['a'] * 1e6:.3f} µs of a core a ranking")
    print(
        f"  one pass:  {model['start_pass']:.2f} s + {model['b'] * 1e6:.3f} µs of a core a ranking"
    )
    print(f"  scheduler: {model['d'] * 1e3:.2f} ms a block, one block after the other")
    print(f"  passes:    {model['passes']}")
    rows = []
    for machines in (1, 4, 16, 64, 256):
        cores = machines * MACHINE_CORES
        for block in (own_block, 10 * own_block):
            blocks = BILLION / block
            by_features = max(BILLION * model["a"] / cores, blocks * model["d"])
            by_pass = max(BILLION * model["b"] / cores, blocks * model["d"])
            bottleneck = "scheduler" if by_pass <= blocks * model["d"] else "processors"
            total = model["start"] + by_features
            total += model["passes"] * (model["start_pass"] + by_pass)
            rows.append(
                [
                    machines,
                    cores,
                    f"{block:,}",
                    f"{by_features / 60:.1f}",
                    f"{by_pass / 60:.2f}",
                    f"{total / 60:.1f}",
                    f"{BILLION * 4 * n_items / machines / 1e9:.1f}",
                    bottleneck,
                ]
            )
    print_table(
        f"10⁹ rankings of {n_items} items, machines of {MACHINE_CORES} cores",
        [
            "machines",
            "cores",
            "block",
            "features min",
            "a pass min",
            "all min",
            "GB features each",
            "bound by",
        ],
        rows,
    )
    for block in (own_block, 10 * own_block):
        cores = block * model["b"] / model["d"]
        print(
            f"blocks of {block:,}: with {cores:,.0f} cores or more, the scheduler is the bottleneck"
        )
