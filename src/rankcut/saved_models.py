"""Fitted models in skops files: safe to load, because loading runs no code from the file.

A file may contain types of scikit-learn, NumPy and SciPy that skops trusts, and those of this
library listed here; any other is refused. The file names our types by the names below, not by
their modules, and numbers its objects in order: it survives moving a module, and the same model
gives the same bytes.
"""

import io
import json
import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from rankcut.blocs.estimator import RankingBlocs
from rankcut.completion.estimator import RankingCompleter
from rankcut.cuts.graph_cut_transformer import GraphCutFeatures
from rankcut.errors import RankingFileError
from rankcut.files.drafts import atomic_file
from rankcut.files.streams import Source, pack_archive, read_all, source_name, unpack_archive
from rankcut.label_ranking.estimator import RankingRegressor
from rankcut.regression.classifier import RankingClassifier
from rankcut.regression.view_features import ViewFeatures

# The version of the file format, which changes whenever fitted attributes of our types do.
_FORMAT = 4
_HEADER = "rankcut.json"

_OURS = [
    "rankcut.blocs.descriptions.Differences",
    "rankcut.blocs.order_vectors.OrderVectors",
    "rankcut.completion.factors.FactorPopulation",
    "rankcut.completion.population.Population",
    "rankcut.completion.presence.Presence",
    "rankcut.completion.sharpness.Sharpness",
    "rankcut.kernels.chosen_features.ChosenFeatures",
    "rankcut.gp.classifier.GPClassifier",
    "rankcut.label_ranking.covariates.CategoryColumn",
    "rankcut.label_ranking.covariates.CovariateEncoder",
    "rankcut.label_ranking.covariates.NumberColumn",
    "rankcut.gp.gaussian.Gaussian",
    "rankcut.gp.regressor.WeightPosterior",
    "rankcut.gp.regressor.GPRegressor",
    "rankcut.gp.weight_space.FeaturePredictor",
    "rankcut.cuts.graph_cut_transformer.GraphCutFeatures",
    "rankcut.regression.classifier.RankingClassifier",
    "rankcut.blocs.order_vectors.Encoder",
    "rankcut.blocs.estimator.RankingBlocs",
    "rankcut.completion.estimator.RankingCompleter",
    "rankcut.label_ranking.estimator.RankingRegressor",
    "rankcut.label_ranking.calibration.Calibration",
    "rankcut.label_ranking.combination.Combination",
    "rankcut.label_ranking.forest.ForestModel",
    "rankcut.label_ranking.kernel_ridge.KernelModel",
    "rankcut.label_ranking.kernel_ridge.KernelModels",
    "rankcut.label_ranking.kernel_ridge.NormalScale",
    "rankcut.label_ranking.kernel_ridge.StandardScale",
    "rankcut.regression.view_features.ViewFeatures",
    "rankcut.regression.views.ViewRegression",
    "rankcut.regression.views.LevelViews",
    "rankcut.graphs.item_graph.LowRankApproximation",
    "rankcut.graphs.item_graph.NeighborApproximation",
    "rankcut.graphs.derived.DissimilarityGraph",
    "rankcut.graphs.derived.NormalizedGraph",
    "rankcut.graphs.learned.AgreementGraph",
    "rankcut.graphs.learned.CoListingGraph",
    "rankcut.graphs.item_features.ItemFeatures",
    "rankcut.graphs.item_graph.ItemGraph",
    "rankcut.graphs.low_rank.LowRankGraph",
    "rankcut.graphs.recipes.DistanceGraph",
    "rankcut.graphs.recipes.NeighborGraph",
    "rankcut.graphs.recipes.SimilarityGraph",
    "rankcut.graphs.weights.CompleteWeights",
    "rankcut.graphs.weights.DenseWeights",
    "rankcut.graphs.weights.SparseWeights",
    "rankcut.graphs.weights.StructuredWeights",
    "rankcut.cuts.completions.Completions",
    "rankcut.cuts.smoothing.Smoother",
    "rankcut.cuts.smoothing.Smoothing",
]

# In a file a type has a name that stays when its module moves: rankcut.GPClassifier.
_HOMES = {home.rpartition(".")[2]: home.rpartition(".")[0] for home in _OURS}

# Sparse graphs: skops trusts SciPy's sparse matrices, and does not know its sparse arrays.
_TRUSTED = [*_OURS, "scipy.sparse._csr.csr_array"]


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A fitted model with its items and what it predicts.

    Attributes
    ----------
    classifier : Pipeline or RankingRegressor
        From rankings to classes or numbers; the first step of a pipeline is a GraphCutFeatures,
        a ViewFeatures or a RankingClassifier. Or from covariates to rankings.
    items : tuple
        The items that it knows, in the order of its columns.
    target : str
        What it predicts.
    columns : tuple of str
        The covariates that rankings are predicted from.
    """

    classifier: Any
    items: tuple[Any, ...]
    target: str
    columns: tuple[str, ...] = ()

    @property
    def kind(self) -> Literal["classes", "numbers", "rankings"]:
        """What the model predicts."""
        if isinstance(self.classifier, RankingRegressor):
            return "rankings"
        return "classes" if is_classifier(self.classifier) else "numbers"

    @property
    def features(self) -> GraphCutFeatures | ViewFeatures | RankingClassifier:
        """The first step of the classifier, which knows rankings."""
        features: GraphCutFeatures | ViewFeatures | RankingClassifier = self.classifier[0]
        return features

    @property
    def needs_all_items(self) -> bool:
        """Whether a ranking may leave out no item."""
        return isinstance(self.features, GraphCutFeatures) and self.features.unranked == "error"


@dataclass(frozen=True, eq=False)
class SavedCompleter:
    """A fitted completer, and the items that it knows in the order of its columns."""

    completer: RankingCompleter
    items: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class SavedBlocs:
    """Fitted blocs, and the items that they are about in the order of the columns."""

    blocs: RankingBlocs
    items: tuple[Any, ...]


def write_model(
    model: SavedModel | SavedCompleter | SavedBlocs, target: str | os.PathLike[str]
) -> None:
    """Write a model, whole or not at all."""
    skops = import_skops()
    parts = {**vars(model), "items": list(model.items)}
    if isinstance(model, SavedModel):
        parts["columns"] = list(model.columns)
    content = _stable(skops.dumps(parts))
    with atomic_file(target) as file:
        file.write(content)


def read_model(source: Source) -> SavedModel | SavedCompleter | SavedBlocs:
    """Read a model that :func:`write_model` wrote; types that are not trusted are refused."""
    skops = import_skops()
    name = source_name(source)
    content = read_all(source)
    try:
        content = _restored(unpack_archive(content, name), name)
        foreign = [kind for kind in skops.get_untrusted_types(data=content) if kind not in _TRUSTED]
        if foreign:
            raise RankingFileError(
                f"contains {foreign[0]}, which is neither scikit-learn's nor rankcut's, and is "
                "not loaded",
                name,
            )
        parts = skops.load(io.BytesIO(content), trusted=_TRUSTED)
        parts["items"] = _checked_items(tuple(parts["items"]))
        if "completer" in parts:
            return _checked_completer(SavedCompleter(**parts))
        if "blocs" in parts:
            return _checked_blocs(SavedBlocs(**parts))
        parts["columns"] = tuple(parts["columns"])
        return _checked(SavedModel(**parts))
    except RankingFileError:
        raise
    except Exception as problem:
        # A damaged file may make skops raise anything; it is not a model.
        said = " ".join(str(problem).split())[:200]
        raise RankingFileError(
            f"not a model that rankcut saved ({type(problem).__name__}: {said})", name
        ) from None


def _checked_blocs(model: SavedBlocs) -> SavedBlocs:
    known = getattr(model.blocs, "n_features_in_", None)
    if not isinstance(model.blocs, RankingBlocs) or known != len(model.items):
        raise ValueError("the blocs have other items")
    return model


def _stable(content: bytes) -> bytes:
    """The archive that skops made, with our names for types and nothing that changes by chance."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    schema = json.loads(members.pop("schema.json"))
    numbers: dict[int, int] = {}
    files: dict[str, str] = {}
    for node in _nodes(schema):
        if "__id__" in node:
            node["__id__"] = numbers.setdefault(node["__id__"], len(numbers) + 1)
        if isinstance(node.get("file"), str):
            suffix = os.path.splitext(node["file"])[1]
            node["file"] = files.setdefault(node["file"], f"{len(files) + 1}{suffix}")
        kind = node.get("__class__")
        if kind in _HOMES and node["__module__"] == _HOMES[kind]:
            node["__module__"] = "rankcut"
    return pack_archive(
        {
            _HEADER: json.dumps({"format": _FORMAT}).encode(),
            "schema.json": json.dumps(schema, indent=1).encode(),
            **{new: members[old] for old, new in files.items()},
        }
    )


def _restored(members: dict[str, bytes], name: str) -> bytes:
    """The archive as skops reads it: our types by the modules that they are in now."""
    schema = json.loads(members["schema.json"])
    version = json.loads(members.pop(_HEADER, b'{"format": 1}'))["format"]
    if version < _FORMAT:
        raise RankingFileError(
            "this model was written by an earlier version of rankcut and can no longer be read",
            name,
            remedy="train it again",
        )
    if version > _FORMAT:
        raise RankingFileError(
            "this model was written by a later version of rankcut", name, remedy="update rankcut"
        )
    for node in _nodes(schema):
        if node.get("__module__") == "rankcut" and node.get("__class__") in _HOMES:
            node["__module__"] = _HOMES[node["__class__"]]
    return pack_archive(members | {"schema.json": json.dumps(schema).encode()})


def _nodes(part: Any) -> Iterator[dict[str, Any]]:
    """Every object of a schema, from the top."""
    waiting = [part]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting.extend(reversed(part.values()))
        elif isinstance(part, list):
            waiting.extend(reversed(part))


def _checked_items(items: tuple[Any, ...]) -> tuple[Any, ...]:
    if not items or not all(isinstance(item, str | int | float) for item in items):
        raise TypeError("the items have no names")
    if len(set(items)) < len(items):
        raise ValueError("two items have the same name")
    return items


def _checked_completer(model: SavedCompleter) -> SavedCompleter:
    if not isinstance(model.completer, RankingCompleter):
        raise TypeError("the completer is missing")
    ranking = np.arange(1.0, len(model.items) + 1)[None]
    if not np.isfinite(model.completer.transform(ranking)).all():
        raise ValueError("utilities are not finite")
    model.completer.recommend(ranking, 1)
    return model


def _checked(model: SavedModel) -> SavedModel:
    """The model, if it is one: files that skops can load may hold anything else."""
    if not isinstance(model.target, str):
        raise TypeError("the target's name is not text")
    if not isinstance(model.classifier, Pipeline | RankingRegressor):
        raise TypeError("the model is missing")
    if model.kind == "rankings":
        return _checked_columns(model)
    if not (is_classifier(model.classifier) or is_regressor(model.classifier)):
        raise TypeError("the model predicts neither classes nor numbers")
    if not isinstance(model.features, GraphCutFeatures | ViewFeatures | RankingClassifier):
        raise TypeError("the model does not begin with features of rankings")
    check_is_fitted(model.classifier)
    ranking = np.arange(1.0, len(model.items) + 1)[None]
    if model.kind == "numbers":
        regressor: Any = model.classifier
        mean, deviation = regressor.predict(ranking, return_std=True)
        if np.shape(mean) != (1,) or np.shape(deviation) != (1,):
            raise ValueError("predictions are not a number for each ranking")
        return model
    found, expected = (
        np.shape(model.classifier.predict_proba(ranking)),
        (1, *np.shape(model.classifier.classes_)),
    )
    if found != expected:
        raise ValueError(f"probabilities of shape {found} and not {expected}")
    return model


def _checked_columns(model: SavedModel) -> SavedModel:
    """The model, if it knows the covariates that it names."""
    if not model.columns or not all(isinstance(name, str) for name in model.columns):
        raise TypeError("the covariates have no names")
    if model.classifier.n_features_in_ != len(model.columns):
        raise ValueError("the covariates do not match the model")
    if model.classifier.n_items_ != len(model.items):
        raise ValueError("the items do not match the model")
    model.classifier.check_forests()
    return model


def import_skops() -> Any:
    """skops.io, or an error that says how to install it."""
    try:
        import skops.io
    except ImportError:
        raise ModuleNotFoundError('saved models need skops: pip install "rankcut[model]"') from None
    return skops.io
