# %% [markdown]
# # Who ranks alike
#
# A map of 48 guests' rankings of eight dishes. Guests near each other rank alike, and an arrow
# points to where its dish is ranked high. The two kinds of guest fall apart though nothing told
# the map which guest is of which kind.

# %%
from rankcut.datasets import load_lunch
from rankcut.maps import map_rankings

# %%
map_rankings(load_lunch(), by="guest", title="Lunch: two camps").plot()
