# %% [markdown]
# # A graph learned from rankings alone
#
# Three genres of films, four films each. Each person likes one genre best. Nothing is known of the
# films, but people rank films of a genre alike, which is what the graph learns.

# %%
import numpy as np

from rankcut import AgreementGraph
from rankcut.maps import map_graph

GENRES = np.repeat(["comedy", "drama", "horror"], 4)


def rankings(n_people=200, seed=0):
    rng = np.random.default_rng(seed)
    favourite = rng.permuted(np.tile(np.arange(3), (n_people, 1)), axis=1)
    taste = favourite[:, np.repeat(np.arange(3), 4)] + rng.normal(0, 0.7, (n_people, 12))
    return (-taste).argsort(axis=1).argsort(axis=1) + 1.0


# %%
graph = AgreementGraph(n_neighbors=3).build_from(rankings())
films = [f"{genre} {i % 4 + 1}" for i, genre in enumerate(GENRES)]
map_graph(graph, GENRES, items=films, by_name="genre", title="Films liked together").plot()
