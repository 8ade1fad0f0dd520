"""The paper's algorithm done literally in Python, with networkx's cut_size as the oracle for F."""

import networkx as nx


def pool_literally(groups: list[list[int]], graph: nx.Graph, *, remember: bool) -> dict[int, float]:
    """The pooling of the paper's algorithm box: from the last prefix down, one step at a time.

    ``groups`` lists the least preferred first, as the paper does. The box asks the oracle for
    F(B_{k−1}) and F(B_k) in every step; with ``remember`` it asks once for each prefix.
    """
    prefixes = [set()]
    for group in groups:
        prefixes.append(prefixes[-1] | set(group))
    known: dict[int, float] = {}

    def cut(k: int) -> float:
        if not remember:
            return nx.cut_size(graph, prefixes[k], weight="weight")
        if k not in known:
            known[k] = nx.cut_size(graph, prefixes[k], weight="weight")
        return known[k]

    # Blocks from the top down: (upper prefix, lower prefix, slope).
    blocks: list[tuple[int, int, float]] = []
    for k in range(len(groups), 0, -1):
        upper, lower = k, k - 1
        while True:
            size = len(prefixes[upper]) - len(prefixes[lower])
            slope = -(cut(lower) - cut(upper)) / -size
            if not blocks or slope <= blocks[-1][2]:
                break
            upper = blocks.pop()[0]
        blocks.append((upper, lower, slope))
    return {
        item: slope for upper, lower, slope in blocks for item in prefixes[upper] - prefixes[lower]
    }
