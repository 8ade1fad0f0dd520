# %% [markdown]
# # Many people at the same point
#
# 1,000 ballots over four candidates can be at 24 points at most. The area of a mark is the number
# of ballots there, and a mark that districts share is a pie of their colours.

# %%
import numpy as np

from rankcut import RankingSet, make_plackett_luce
from rankcut.maps import map_rankings

# %%
rng = np.random.default_rng(0)
north = make_plackett_luce(500, strengths=[3.3, 1.8, 1.0, 0.5], random_state=1).ranks
south = make_plackett_luce(500, strengths=[0.8, 1.8, 2.5, 0.7], random_state=2).ranks
district = np.repeat(["north", "south"], 500)
order = rng.permutation(1000)
map_rankings(
    RankingSet(np.vstack([north, south])[order], ["Ada", "Ben", "Cleo", "Dan"]),
    district[order],
    by_name="district",
    title="1,000 ballots, two districts",
).plot()
