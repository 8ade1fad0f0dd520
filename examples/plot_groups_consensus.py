"""A consensus for each group.

Together the guests seem to agree on little; each kind of guest by itself agrees more.
"""

from rankcut import Consensus, load_lunch, plot_consensus


def draw():
    lunch = load_lunch()
    kinds = sorted(set(lunch["guest"].tolist()))
    found = {kind: Consensus().fit(lunch.rows(lunch["guest"] == kind)) for kind in kinds}
    return plot_consensus(found)
