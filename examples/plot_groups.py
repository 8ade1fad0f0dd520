# %% [markdown]
# # Where two groups differ
#
# A permutation test says whether the groups rank differently at all, and adjusted p-values say on
# which items. For faint items no difference was found.

# %%
from rankcut import compare_groups
from rankcut.datasets import load_lunch

# %%
lunch = load_lunch()
compare_groups(lunch, lunch["guest"], n_permutations=999).plot()
