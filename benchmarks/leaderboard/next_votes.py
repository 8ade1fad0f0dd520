"""How many votes it takes to tell models apart, if the next votes are chosen.

Run with: python -m benchmarks.leaderboard.next_votes [--runs 12] [--items 40]

Models with strengths of standard deviation 1.2 are compared by made-up voters, 20 votes at a time:
pairs at random, the least asked pairs, or what ``next_comparisons`` chooses, for the order and for
the best five; and the last with an item graph, which knows four features behind most of the
strengths, with noise. After each step the board is fitted. The table has, after so many votes: the
number of clear pairs (all at once, 95 %) and of tiers, Kendall's τ with the truth, and whether the
best model is first. Then: the votes that each needs for the clear pairs, the tiers and the τ that
random pairs have in the end, as a share of theirs.
"""

import argparse

import numpy as np
from scipy import special
from scipy.stats import kendalltau

from rankcut import Leaderboard, NeighborGraph
from rankcut.leaderboard import Games

BATCH = 20
CHECKED = (200, 400, 600, 800, 1000, 1200, 1400, 1600)
SD = 1.2
N_BEST = 5
N_FEATURES = 4


def made_models(rng, n_items):
    """Strengths, and features that explain three quarters of them, as far as they are known."""
    features = rng.standard_normal((n_items, N_FEATURES))
    weights = rng.standard_normal(N_FEATURES)
    shared = features @ weights / np.linalg.norm(weights)
    strengths = np.sqrt(0.75) * shared + np.sqrt(0.25) * rng.standard_normal(n_items)
    known = features + 0.3 * rng.standard_normal(features.shape)
    return SD * strengths / strengths.std(), known


class Voters:
    """Votes so far, and how the next ones are chosen."""

    def __init__(self, strengths, choose, graph, rng):
        self.strengths, self.choose, self.graph, self.rng = strengths, choose, graph, rng
        self.first, self.second, self.result = [], [], []

    def ask(self, pairs):
        """Let voters compare pairs."""
        for i, j in pairs:
            won = self.rng.random() < special.expit(self.strengths[i] - self.strengths[j])
            self.first.append(i)
            self.second.append(j)
            self.result.append(1 if won else -1)

    def board(self):
        """The board of the votes so far."""
        arrays = (np.array(each) for each in (self.first, self.second, self.result))
        items = tuple(range(len(self.strengths)))
        return Leaderboard(graph=self.graph).fit(Games(items, *arrays))

    def next_pairs(self, board):
        """What to ask next."""
        n_items = len(self.strengths)
        if self.choose == "random":
            return [self.rng.choice(n_items, 2, replace=False) for _ in range(BATCH)]
        if self.choose == "least asked":
            times = board.games_.meetings + 1e-9 * self.rng.random((n_items, n_items))
            rows, columns = np.triu_indices(n_items, 1)
            least = np.argsort(times[rows, columns])[:BATCH]
            return list(zip(rows[least], columns[least], strict=True))
        k = N_BEST if self.choose == "best" else 1
        return [(i, j) for i, j, _ in board.next_comparisons(BATCH, aim=self.choose, k=k).pairs]


def run(seed, n_items, choose, with_graph):
    """Clear pairs, tiers, τ and whether the best is first, after each number of votes checked."""
    rng = np.random.default_rng(seed)
    strengths, known = made_models(rng, n_items)
    graph = NeighborGraph(known, n_neighbors=6) if with_graph else None
    voters = Voters(strengths, choose, graph, rng)
    # The first round: each model meets five others.
    order = rng.permutation(n_items)
    voters.ask(
        (order[i], order[(i + step) % n_items]) for step in range(1, 4) for i in range(n_items)
    )
    table = []
    while len(voters.first) < CHECKED[-1]:
        before = len(voters.first)
        board = voters.board()
        voters.ask(voters.next_pairs(board))
        if len(voters.first) // CHECKED[0] > before // CHECKED[0]:
            board = voters.board()
            theta = board.strengths_.theta
            tau = kendalltau(theta, strengths).statistic
            places = board.places_
            best = theta.argmax() == strengths.argmax()
            table.append([places.clear.sum(), len(places.tiers), tau, best])
    return np.array(table, dtype=float)


def votes_needed(table, goal, column):
    """The number of votes at which a column reaches a goal, between those checked."""
    reached = np.flatnonzero(table[:, column] >= goal)
    if not len(reached):
        return np.inf
    at = int(reached[0])
    if at == 0:
        return CHECKED[0]
    low, high = table[at - 1, column], table[at, column]
    share = (goal - low) / (high - low)
    return CHECKED[at - 1] + share * (CHECKED[at] - CHECKED[at - 1])


def main(arguments):
    ways = [
        ("random pairs", "random", False),
        ("least asked", "least asked", False),
        ("next: order", "order", False),
        ("next: best five", "best", False),
        ("random pairs, graph", "random", True),
        ("next: order, graph", "order", True),
    ]
    tables = {}
    for name, choose, with_graph in ways:
        runs = [run(seed, arguments.items, choose, with_graph) for seed in range(arguments.runs)]
        tables[name] = np.mean(runs, axis=0)
    n_pairs = arguments.items * (arguments.items - 1) // 2
    print(f"{arguments.items} models, {arguments.runs} runs")
    for at in (1, 3, 7):
        print(f"\nafter {CHECKED[at]:,} votes     clear pairs  tiers     τ  best first")
        for name, table in tables.items():
            clear, tiers, tau, best = table[at]
            shares = f"{100 * clear / n_pairs:9.1f} %  {tiers:5.1f}  {tau:.3f}  {100 * best:5.0f} %"
            print(f"{name:20}  {shares}")
    random = tables["random pairs"]
    print("\nvotes for what random pairs have in the end, as a share: clear pairs, tiers, τ")
    for name, table in tables.items():
        shares = [votes_needed(table, random[-1, c], c) / CHECKED[-1] for c in (0, 1, 2)]
        print(f"{name:20}  " + "  ".join(f"{100 * share:.0f} %" for share in shares))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--items", type=int, default=40)
    main(parser.parse_args())
