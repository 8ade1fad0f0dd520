"""Fitted models in skops files, which run no code when they are loaded.

A file may contain public classes of the rooms that models are made in, none of which reads or
writes files, and of scikit-learn the pipelines, scalers and linear models that NumPy computes;
anything else is refused. A file may hold any arrays, so each is checked against what its class
declares (:mod:`rankcut.saved_arrays`) before the first prediction.

The file names our classes without their modules, and numbers its objects in order: it survives
moving a module, and the same model gives the same bytes.
"""

import io
import json
import os
import pkgutil
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Literal

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from rankcut.blocs.estimator import RankingBlocs
from rankcut.completion.estimator import RankingCompleter
from rankcut.cuts.transformers import GraphCutFeatures
from rankcut.errors import RankingFileError, needed
from rankcut.files.disk import atomic_file, pack_archive, unpack_archive
from rankcut.files.text import Source, read_all, source_name
from rankcut.label_ranking.scores import PredictsRankings
from rankcut.regression.estimators import RankingClassifier, ViewFeatures
from rankcut.saved_arrays import check_arrays

# The version of the file format, which changes whenever fitted attributes of our classes do.
_FORMAT = 8
_HEADER = "rankcut.json"

_ROOMS = (
    *("blocs", "comparison", "completion", "cuts", "gp", "graphs", "kernels", "label_ranking"),
    *("ranking_regression", "regression", "results", "strengths"),
)

# Other models of scikit-learn hand their arrays unchecked to compiled code.
_LEARNERS = ("sklearn.linear_model", "sklearn.pipeline", "sklearn.preprocessing")

# skops trusts SciPy's sparse matrices, and does not know its sparse arrays.
_SPARSE = "scipy.sparse._csr.csr_array"


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A fitted model with its items and what it predicts.

    A pipeline predicts classes or numbers from rankings, and begins with a GraphCutFeatures, a
    ViewFeatures or a RankingClassifier; others are a RankingRegressor, StrengthRegression,
    RankingCompleter or RankingBlocs.
    """

    model: Any
    items: tuple[Any, ...]  #: in the order of its columns
    target: str = ""  #: the name of the class or number that it predicts
    columns: tuple[str, ...] = ()  #: the covariates that rankings are predicted from

    @property
    def kind(self) -> Literal["classes", "numbers", "rankings", "completions", "blocs"]:
        """What the model predicts."""
        if isinstance(self.model, PredictsRankings):
            return "rankings"
        if isinstance(self.model, RankingCompleter):
            return "completions"
        if isinstance(self.model, RankingBlocs):
            return "blocs"
        if not isinstance(self.model, Pipeline):
            raise TypeError("the model is missing")
        if is_classifier(self.model):
            return "classes"
        if is_regressor(self.model):
            return "numbers"
        raise TypeError("the model predicts neither classes nor numbers")


def write_model(saved: SavedModel, target: str | os.PathLike[str]) -> None:
    """Write a model, whole or not at all."""
    parts = {**vars(saved), "items": list(saved.items), "columns": list(saved.columns)}
    content = _stable(import_skops().dumps(parts))
    with atomic_file(target) as file:
        file.write(content)


def read_model(source: Source) -> SavedModel:
    """Read a model that :func:`write_model` wrote; types that are not trusted are refused."""
    skops = import_skops()
    name = source_name(source)
    content = read_all(source)
    try:
        content = _restored(unpack_archive(content, name), name)
        trusted = [f"{home}.{kind}" for kind, home in _homes().items()] + [_SPARSE]
        foreign = [kind for kind in skops.get_untrusted_types(data=content) if kind not in trusted]
        foreign += _unchecked_learners(content)
        if foreign:
            raise RankingFileError(
                f"contains {foreign[0]}, which is neither rankcut's nor a pipeline, scaler or "
                "linear model of scikit-learn, and is not loaded",
                name,
            )
        parts = skops.load(io.BytesIO(content), trusted=trusted)
        saved = SavedModel(
            **{**parts, "items": tuple(parts["items"]), "columns": tuple(parts["columns"])}
        )
        _check(saved)
        return saved
    except RankingFileError:
        raise
    except Exception as problem:
        # A damaged file may make skops raise anything; it is not a model.
        reason = " ".join(str(problem).split())[:200]
        raise RankingFileError(
            f"not a model that rankcut saved ({type(problem).__name__}: {reason})", name
        ) from None


@cache
def _homes() -> dict[str, str]:
    """The module of each class that a model may be made of, by the name of the class."""
    homes = {}
    for room in _ROOMS:
        folder = import_module(f"rankcut.{room}").__path__
        for module in pkgutil.iter_modules(folder, f"rankcut.{room}."):
            for name, kind in vars(import_module(module.name)).items():
                defined_here = isinstance(kind, type) and kind.__module__ == module.name
                if defined_here and not name.startswith("_"):
                    homes[name] = module.name
    return homes


def _stable(content: bytes) -> bytes:
    """The archive that skops made, without our modules and what changes by chance."""
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
        if _homes().get(node.get("__class__", "")) == node.get("__module__", ""):
            node["__module__"] = "rankcut"
    return pack_archive(
        {
            _HEADER: json.dumps({"format": _FORMAT}).encode(),
            "schema.json": json.dumps(schema, indent=1).encode(),
            **{new: members[old] for old, new in files.items()},
        }
    )


def _restored(members: dict[str, bytes], name: str) -> bytes:
    """The archive as skops reads it: our classes by the modules that they are in now."""
    schema = json.loads(members["schema.json"])
    version = json.loads(members.pop(_HEADER, b'{"format": 1}'))["format"]
    if version > _FORMAT:
        raise RankingFileError(
            "this model was saved by a later version of rankcut", name, remedy="update rankcut"
        )
    ours = [node for node in _nodes(schema) if node.get("__module__") == "rankcut"]
    if version < _FORMAT or not all(node["__class__"] in _homes() for node in ours):
        raise RankingFileError(
            "this model was saved by an earlier version of rankcut",
            name,
            remedy="fit and save it again, as in 'rankcut classify FILE -o model.skops'",
        )
    for node in ours:
        node["__module__"] = _homes()[node["__class__"]]
    return pack_archive(members | {"schema.json": json.dumps(schema).encode()})


def _unchecked_learners(content: bytes) -> list[str]:
    """The classes of scikit-learn in an archive that are not among those a model is made of."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        nodes = list(_nodes(json.loads(archive.read("schema.json"))))
    kinds = {f"{node.get('__module__')}.{node.get('__class__')}" for node in nodes}
    return sorted(
        kind for kind in kinds if kind.startswith("sklearn.") and not kind.startswith(_LEARNERS)
    )


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


def _check(saved: SavedModel) -> None:
    """Raise unless it is a model that can predict: files that skops can load may hold anything."""
    items, model = saved.items, saved.model
    if not items or not all(isinstance(item, str | int | float) for item in items):
        raise TypeError("the items have no names")
    if len(set(items)) < len(items):
        raise ValueError("two items have the same name")
    if not isinstance(saved.target, str):
        raise TypeError("the target's name is not text")
    if saved.kind == "rankings":
        if not saved.columns or not all(isinstance(name, str) for name in saved.columns):
            raise TypeError("the covariates have no names")
        if (model.n_features_in_, model.n_items_) != (len(saved.columns), len(items)):
            raise ValueError("the covariates or the items do not match the model")
    elif saved.kind == "blocs" and model.n_features_in_ != len(items):
        raise ValueError("the blocs have other items")
    check_arrays(model, len(items))
    ranking = np.arange(1.0, len(items) + 1)[None]
    if saved.kind in ("rankings", "blocs"):
        model.check_restored()
    if saved.kind == "completions":
        if not np.isfinite(model.transform(ranking)).all():
            raise ValueError("utilities are not finite")
        model.recommend(ranking, 1)
    elif saved.kind == "blocs":
        _check_shapes([model.predict_membership(ranking)], (1, model.n_blocs_))
    elif saved.kind != "rankings":
        if not isinstance(model[0], GraphCutFeatures | ViewFeatures | RankingClassifier):
            raise TypeError("the model does not begin with features of rankings")
        check_is_fitted(model)
        if saved.kind == "numbers":
            _check_shapes(model.predict(ranking, return_std=True), (1,))
        else:
            _check_shapes([model.predict_proba(ranking)], (1, len(model.classes_)))


def _check_shapes(predictions: Sequence[Any], expected: tuple[int, ...]) -> None:
    for shape in map(np.shape, predictions):
        if shape != expected:
            raise ValueError(f"predictions of shape {shape} and not {expected}")


def import_skops() -> Any:
    """skops.io, or an error that says how to install it."""
    return needed("skops.io", "saved models")
