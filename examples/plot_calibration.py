# %% [markdown]
# # Probabilities that mean what they say
#
# Of the guests to whom a Gaussian process gives 70 %, about 70 % should be of that kind. Points on
# the line are calibrated; their area is the number of predictions.

# %%
import numpy as np
from matplotlib.figure import Figure

from rankcut import GPClassifier, GraphCutFeatures, SimilarityGraph, make_food
from rankcut.pictures.theme import COLOURS, FAINT, INK, SOFT

# %%
food = make_food(1600, noise=2.0, random_state=0)
features = GraphCutFeatures(SimilarityGraph(food.item_features), normalize=True)
vectors = features.fit_transform(food.ranks)
model = GPClassifier().fit(vectors[:400], food.target[:400])
given = model.predict_proba(vectors[400:])[:, 1]
bins = np.clip((given * 8).astype(int), 0, 7)
sizes = np.bincount(bins, minlength=8)
kept = sizes > 0
said = np.bincount(bins, given, 8)[kept] / sizes[kept]
true = np.bincount(bins, food.target[400:], 8)[kept] / sizes[kept]
figure = Figure(figsize=(5.6, 5.2), layout="constrained")
axes = figure.subplots()
axes.plot([0, 1], [0, 1], color=FAINT, zorder=1)
axes.scatter(said, true, s=sizes[kept], color=COLOURS[0], alpha=0.8, zorder=2)
axes.set(aspect="equal", xlim=(0, 1), ylim=(0, 1))
axes.set_xlabel("probability given", color=INK)
axes.set_ylabel("share that was so", color=INK)
axes.set_title("1,200 guests it has not seen", loc="left", color=INK, weight="bold")
axes.tick_params(colors=SOFT)
axes.spines[["top", "right"]].set_visible(False)
figure
