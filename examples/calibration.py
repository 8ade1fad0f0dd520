# %% [markdown]
# # Do probabilities mean what they say? GPClassifier, logistic regression and an SVM compared
#
# Prints F1, log-loss and the expected calibration error on held-out rankings: of those said
# to be 80 % likely, 80 % should come true. Trained on few noisy rankings, where it matters.

# %%
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from rankcut import GPClassifier, GraphCutFeatures, SimilarityGraph, make_food


def expected_calibration_error(y, probability, n_bins=10):
    """Σ share of a bin · |mean probability − frequency|, over bins of equal width."""
    bins = np.minimum((probability * n_bins).astype(int), n_bins - 1)
    errors = np.bincount(bins, weights=probability - y, minlength=n_bins)
    return np.abs(errors).sum() / len(y)


def scores(n_train=60, n_test=2000, n_draws=6):
    """F1, log-loss and calibration error of each model, averaged over draws of rankings."""
    models = {
        "GPClassifier": GPClassifier(),
        "LogisticRegression": LogisticRegression(),
        "SVC, Platt scaling": CalibratedClassifierCV(SVC(kernel="linear"), ensemble=False),
    }
    table = {name: {"F1": 0.0, "log-loss": 0.0, "calibration error": 0.0} for name in models}
    train, test = slice(0, n_train), slice(n_train, None)
    for draw in range(n_draws):
        food = make_food(n_train + n_test, noise=1.0, random_state=draw)
        for name, classifier in models.items():
            graph = SimilarityGraph(food.item_features)
            model = make_pipeline(GraphCutFeatures(graph), classifier)
            model.fit(food.ranks[train], food.target[train])
            probability = model.predict_proba(food.ranks[test])[:, 1]
            truth, row = food.target[test], table[name]
            row["F1"] += f1_score(truth, probability > 0.5) / n_draws
            row["log-loss"] += log_loss(truth, probability) / n_draws
            row["calibration error"] += expected_calibration_error(truth, probability) / n_draws
    return table


if __name__ == "__main__":
    print(f"{'':20s} {'F1':>7s} {'log-loss':>9s} {'calibration error':>18s}")
    for name, row in scores().items():
        print(
            f"{name:20s} {row['F1']:7.3f} {row['log-loss']:9.3f} {row['calibration error']:18.3f}"
        )
