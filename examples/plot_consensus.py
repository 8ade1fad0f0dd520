# %% [markdown]
# # One ranking from many, and how sure each place is
#
# The dots are the places of a Borda consensus; each line holds the places that are possible, for
# all items at once with 95 % confidence.

# %%
from rankcut import Consensus, make_mallows

# %%
votes = make_mallows(120, 8, phi=0.75, random_state=0)
model = Consensus().fit(votes.ranks)
model.with_items("ABCDEFGH").plot(title="Eight items, 120 people")
