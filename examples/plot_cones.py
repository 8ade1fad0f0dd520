# %% [markdown]
# # Where a feature vector comes from
#
# Three items. The feature vector φ of a ranking is the point of its majorant cone nearest to the
# origin: here for a ranking with a tie, and for a full order.

# %%
from rankcut import plot_polytope
from rankcut.cuts import GraphCut

# %%
plot_polytope(GraphCut([[0, 4, 1], [4, 0, 1], [1, 1, 0]]))
