# %% [markdown]
# # A consensus for each group
#
# Together the guests seem to agree on little; each kind of guest by itself agrees more.

# %%
from rankcut import Consensus, GroupedConsensus
from rankcut.datasets import load_lunch

# %%
lunch = load_lunch()
kinds = sorted(set(lunch["guest"].tolist()))
found = {kind: Consensus().fit(lunch.rows(lunch["guest"] == kind)) for kind in kinds}
GroupedConsensus(found).plot(title="Two kinds of guest")
