"""Where two groups differ.

A permutation test says whether the groups rank differently at all, and adjusted p-values say on
which items. Faint items show no difference that chance could not have made.
"""

from dataclasses import replace

from rankcut import compare_groups, load_lunch


def draw():
    lunch = load_lunch()
    found = compare_groups(lunch.ranks, lunch["guest"], n_permutations=999)
    return replace(found, items=found.items.renamed(lunch.items)).plot()
