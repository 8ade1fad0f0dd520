# %% [markdown]
# # Which items are alike
#
# A graph of dishes by what is known of them: sweet, savoury, juicy, and the counter that serves
# them. Thick edges join similar dishes, colours are counters.

# %%
from rankcut import SimilarityGraph
from rankcut.datasets import load_lunch
from rankcut.maps import map_graph

# %%
lunch = load_lunch()
graph = SimilarityGraph(lunch.item_features)
counters = lunch.item_features["counter"]
map_graph(graph, counters, items=lunch.items, by_name="counter", title="Dishes").plot()
