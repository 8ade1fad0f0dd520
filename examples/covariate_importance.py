# %% [markdown]
# # Which covariates matter for predicted rankings? Scikit-learn's permutation importance says
#
# Each covariate is shuffled in turn over people that the model was not fitted to; its importance is
# what the score, Kendall's tau, loses. Prints mean and standard deviation over ten shuffles.

# %%
import numpy as np
import pandas as pd
from sklearn.inspection import permutation_importance

from rankcut import RankingRegressor


def importances(n_people=200, n_train=120):
    """Name, mean loss of Kendall's tau and its standard deviation, the largest loss first."""
    rng = np.random.default_rng(0)
    people = pd.DataFrame(
        {
            "age": rng.uniform(20, 80, n_people),
            "town": rng.choice(["york", "leeds"], n_people),
            "height": rng.normal(170, 10, n_people),
        }
    )
    # The old prefer soup, people of York prefer curry; height does not matter.
    soup, curry = 2.0 * (people["age"] > 50), 1.0 + (people["town"] == "york")
    utilities = np.column_stack([soup, curry, np.full(n_people, 1.5)])
    utilities += rng.normal(0, 0.3, utilities.shape)
    ranks = pd.DataFrame(-utilities, columns=["soup", "curry", "salad"]).rank(axis=1)
    model = RankingRegressor().fit(people[:n_train], ranks[:n_train])
    found = permutation_importance(
        model, people[n_train:], ranks[n_train:], n_repeats=10, random_state=0
    )
    rows = zip(people.columns, found.importances_mean, found.importances_std, strict=True)
    return sorted(rows, key=lambda row: -row[1])


if __name__ == "__main__":
    for name, mean, deviation in importances():
        print(f"{name:8} {mean:6.3f} ± {deviation:.3f}")
