# %% [markdown]
# # Four answers in one figure
#
# Each answer draws into the axes that it is given, `ax=`: a consensus, where groups differ, the
# blocs of people, and a leaderboard of the same dishes, on a grid of Matplotlib.

# %%
import matplotlib.pyplot as plt

from rankcut import Consensus, Leaderboard, RankingBlocs, compare_groups
from rankcut.datasets import load_lunch

# %%
lunch = load_lunch()
answers = {
    "One ranking": Consensus().fit(lunch),
    "Two groups": compare_groups(lunch, lunch["guest"], n_permutations=999),
    "Blocs": RankingBlocs(random_state=0).fit(lunch),
    "A leaderboard": Leaderboard().fit(lunch),
}
figure, axes = plt.subplots(2, 2, figsize=(12, 6.5), layout="constrained")
for ax, (title, answer) in zip(axes.flat, answers.items(), strict=True):
    answer.plot(ax=ax, title=title)
figure
