# %% [markdown]
# # Where a feature vector comes from
#
# Three items. The feature vector φ of a ranking is the point of its majorant cone nearest to the
# origin: here for a ranking with a tie, and for a full order.

# %%
from rankcut.cuts import GraphCut
from rankcut.maps import map_polytope

# %%
map_polytope(GraphCut([[0, 4, 1], [4, 0, 1], [1, 1, 0]])).plot()
