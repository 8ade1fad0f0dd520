"""Fitted classifiers in skops files: safe to load, since nothing in them is run.

A file may contain types of scikit-learn, NumPy and SciPy that skops trusts, and those of this
library listed here; any other is refused.
"""

import io
import os
from dataclasses import dataclass
from typing import Any

from rankcut.files.atomic import atomic_file
from rankcut.files.errors import RankingFileError
from rankcut.files.opening import read_all

_OURS = [
    "rankcut.estimators.gp.classifier.GPClassifier",
    "rankcut.estimators.gp.gaussian.Gaussian",
    "rankcut.estimators.gp.predictions.FeaturePredictor",
    "rankcut.estimators.graph_cut.GraphCutFeatures",
    "rankcut.graphs.item_graph.ItemGraph",
    "rankcut.graphs.recipes.NeighborGraph",
    "rankcut.graphs.recipes.SimilarityGraph",
]


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A fitted classifier and what it is about.

    Attributes
    ----------
    classifier : estimator
        From rankings to classes.
    items : tuple
        The items that it knows, in the order of its columns.
    target : str
        What it predicts.
    """

    classifier: Any
    items: tuple[Any, ...]
    target: str


def write_model(model: SavedModel, target: str | os.PathLike[str]) -> None:
    """Write a model, whole or not at all."""
    skops = _skops()
    parts = {
        "classifier": model.classifier,
        "items": list(model.items),
        "target": model.target,
    }
    content = skops.dumps(parts)
    with atomic_file(target) as file:
        file.write(content)


def read_model(source: str | os.PathLike[str]) -> SavedModel:
    """Read a model that :func:`write_model` wrote; types that are not trusted are refused."""
    skops = _skops()
    name = os.fspath(source)
    content = read_all(source)
    try:
        foreign = [kind for kind in skops.get_untrusted_types(data=content) if kind not in _OURS]
        if foreign:
            raise RankingFileError(
                f"contains {foreign[0]}, which is neither scikit-learn's nor rankcut's, and is "
                "not loaded",
                name,
            )
        parts = skops.load(io.BytesIO(content), trusted=_OURS)
        return SavedModel(parts["classifier"], tuple(parts["items"]), parts["target"])
    except RankingFileError:
        raise
    except Exception as problem:
        # Whatever a damaged file brings skops to raise, it is no model.
        raise RankingFileError(
            f"not a model that 'rankcut classify' saved ({type(problem).__name__}: {problem})", name
        ) from None


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise ModuleNotFoundError('saved models need skops: pip install "rankcut[model]"') from None
    return skops.io
