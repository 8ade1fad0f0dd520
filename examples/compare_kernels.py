# %% [markdown]
# # Which kernel suits the labels? Each in a Gaussian process, judged on rankings left out

# %%
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from rankcut import GPClassifier, GraphCutFeatures, KendallKernel, MallowsKernel, make_food

MODELS = {
    "places": make_pipeline(GraphCutFeatures(), GPClassifier()),
    "Kendall": make_pipeline(
        Nystroem(kernel=KendallKernel(normalize=True), n_components=20), GPClassifier()
    ),
    "Mallows": make_pipeline(Nystroem(kernel=MallowsKernel(0.2), n_components=20), GPClassifier()),
}


def losses(n_rankings=100, n_folds=5):
    """The log-loss of each kernel in each fold; all kernels have the same folds."""
    food = make_food(n_rankings, noise=0.3, random_state=0)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    return {
        name: -cross_val_score(model, food.ranks, food.target, cv=folds, scoring="neg_log_loss")
        for name, model in MODELS.items()
    }


if __name__ == "__main__":
    found = losses()
    first = found["places"]
    for name, loss in found.items():
        # Folds share rankings, so this error is a little too small.
        error = (loss - first).std(ddof=1) / len(loss) ** 0.5
        print(f"{name:8} {loss.mean():.3f}, {(loss - first).mean():+.3f} ± {error:.3f} from places")
