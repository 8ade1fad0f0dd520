"""Rankings predicted from covariates, as a scikit-learn estimator."""

from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter
from threadpoolctl import threadpool_limits

from rankcut._loops.types import Floats
from rankcut.errors import InputError, amount
from rankcut.estimators import as_matrices, take_rows
from rankcut.label_ranking.covariates import fit_encoder
from rankcut.label_ranking.models import Combination, fit_combination
from rankcut.label_ranking.scores import (
    Calibration,
    PredictsRankings,
    calibrate,
    differences,
    pair_targets,
    scores_of_pairs,
)
from rankcut.parameters import seed_from
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import colour
from rankcut.rankings import Rankings, Unranked
from rankcut.rankings.orders import to_ranking
from rankcut.results import EstimatorResult, Table
from rankcut.saved_arrays import Saved


class RankingRegressor(EstimatorResult, PredictsRankings):
    """Predict a ranking from covariates.

    Rankings become vectors, a regression predicts the vectors, and the order of the predicted
    vector is the ranking. By default the vectors are the expected signs of all pairs of items, and
    the regression is a combination of extremely randomised trees and a kernel ridge regression,
    weighted by how well they predict held-out rows; there is nothing to tune.

    Parameters
    ----------
    estimator : regressor or None, default=None
        A multi-output regressor of your own, such as ``Ridge()`` or a pipeline. It gets the
        covariates as they are, frames included. None is the combination described above.
    features : transformer or None, default=None
        Turns a ranking into the vector to predict, which has a coordinate for each item, such as
        ``GraphCutFeatures(graph)``. None is the expected sign of each pair (the mean
        position of each item where there are more than 16).
    unranked : {"error", "last", "anywhere"}, default="error"
        Meaning of an item that a training ranking does not rank: it is an error, it comes after
        all ranked items (top-k lists), or its place is unknown. Nothing is learned about an item
        from rankings that do not rank it.
    random_state : int, RandomState or None, default=0
        Seed of the trees and of the folds.
    n_jobs : int or None, default=None
        Number of threads; the result is the same for any number.

    Attributes
    ----------
    estimator_ : object
        The fitted regression.
    model_weights_ : dict
        Weight of each model of the default regression.
    calibration_ : Calibration
        How predicted signs become probabilities.
    mean_scores_ : ndarray of shape (n_items,)
        The mean over all rankings of what items are ordered by: one ranking for all.
    items_ : tuple or None
        The items' labels, if they have any.
    n_items_ : int
        Number of items.
    n_features_in_ : int
        Number of covariates.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the covariates, if they are strings given by a frame.

    Notes
    -----
    Covariates of a frame may be numbers, dates, texts, categories and truth values, with missing
    values. A missing number is replaced by the median, and an indicator says so; a category
    becomes indicators of its 30 most frequent values.

    Examples
    --------
    >>> import numpy as np
    >>> from rankcut import RankingRegressor
    >>> rng = np.random.default_rng(0)
    >>> age = rng.uniform(20, 80, (200, 1))
    >>> utilities = np.hstack([age / 20, np.full_like(age, 2.5), 4 - age / 20])
    >>> ranks = (-utilities + rng.normal(0, 0.5, (200, 3))).argsort().argsort() + 1
    >>> model = RankingRegressor().fit(age, ranks)
    >>> model.predict([[25.0], [75.0]])
    array([[3., 2., 1.],
           [1., 2., 3.]])
    >>> model.predict_pairs([[25.0], [75.0]], pairs=[(0, 2)]).round(1)
    array([[0.],
           [1.]])
    """

    feature_names_in_: Annotated[Any, Saved("*", dtype=None)]
    mean_scores_: Annotated[Floats, Saved("items")]

    def __init__(
        self,
        estimator: Any = None,
        features: Any = None,
        *,
        unranked: Unranked = "error",
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.features = features
        self.unranked = unranked
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, *, sample_weight: ArrayLike | None = None) -> Self:
        """Learn rankings from covariates.

        Parameters
        ----------
        X : array or frame of shape (n_rankings, n_covariates)
            Covariates.
        y : array, frame, CSR array or RankingSet of shape (n_rankings, n_items)
            Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
        sample_weight : array of shape (n_rankings,) or None
            How often each ranking counts. None: the counts of a RankingSet, or once.
        """
        table, rankings = self._read_both(X, y, sample_weight=sample_weight)
        rows, weights = np.flatnonzero(rankings.counts), rankings.counts
        if self.estimator is None:
            self._encoder = fit_encoder(take_rows(table, rows), weights[rows])
            table = self._encoder.encode(table)
            rows, weights = _merge_equal(np.column_stack([table, rankings.groups()]), weights)
        if len(rows) < len(weights):
            y = take_rows(np.asarray(y) if isinstance(y, list | tuple) else y, rows)
            table, rankings, weights = take_rows(table, rows), rankings.rows(rows), weights[rows]
        seed = seed_from(self.random_state)
        self.items_ = rankings.items
        self.n_items_ = rankings.shape[1]
        # With more items, one target for each pair would be too many.
        self._by_pairs = self.features is None and 1 < self.n_items_ <= 16
        pairs = pair_targets(rankings, self.n_jobs)
        if not pairs.listed.any():
            raise InputError("no ranking ranks any item, so there is nothing to learn")
        first, second = np.triu_indices(self.n_items_, 1)
        targets, observed = pairs.signs, pairs.listed[:, first] | pairs.listed[:, second]
        if self.features is not None:
            targets = self._vectors(y, rankings, weights)
            observed = np.ones(targets.shape, dtype=bool)
        elif not self._by_pairs:
            targets, observed = scores_of_pairs(pairs.signs, self.n_items_), pairs.listed
        self.mean_scores_ = np.average(self._scores(targets), axis=0, weights=weights)
        self._scale = 1.0
        if not self._by_pairs and self.n_items_ > 1:
            squares = (differences(targets) ** 2).mean(axis=1)
            self._scale = float(np.sqrt(np.average(squares, weights=weights))) or 1.0
        left_out: Floats | None
        if self.estimator is None:
            # Trees are grown in threads of their own; those of linear algebra would wait for them.
            with threadpool_limits(1, "blas"):
                self.estimator_: Any
                self.estimator_, left_out = fit_combination(
                    table, targets, observed, weights, seed=seed, n_jobs=self.n_jobs
                )
            shares = self.estimator_.weights.tolist()
            self.model_weights_ = dict(zip(("trees", "kernel"), shares, strict=True))
        else:
            uneven = None if rankings.weights is None else weights
            left_out = self._fit_estimator(table, targets, uneven, seed)
        self.calibration_ = Calibration()
        if left_out is not None:
            ranked = np.nonzero(pairs.both_ranked)
            self.calibration_ = calibrate(
                self._signs(left_out)[ranked],
                (pairs.signs[ranked] + 1.0) / 2.0,
                weights[ranked[0]],
                seed,
            )
        return self

    def _fit_estimator(
        self, table: Any, targets: Floats, weights: Floats | None, seed: int
    ) -> Floats | None:
        """Fit the user's own model; returns its predictions of held-out rows, if there are many."""
        model = clone(self.estimator)
        named = {} if weights is None else _weights_for(model, weights)
        left_out = None
        folds = KFold(shuffle=True, random_state=seed)
        if len(targets) >= 2 * folds.get_n_splits():
            predictions = cross_val_predict(model, table, targets, cv=folds, params=named)
            left_out = np.asarray(predictions).reshape(targets.shape)
        self.estimator_ = model.fit(table, targets, **named)
        return left_out

    def _vectors(self, y: Any, rankings: Rankings, weights: Floats) -> Floats:
        """The vectors of the user's features, which have a coordinate for each item."""
        self.features_ = clone(self.features)
        counted = has_fit_parameter(self.features_, "sample_weight")
        fitted = self.features_.fit(y, **({"sample_weight": weights} if counted else {}))
        vectors = np.asarray(fitted.transform(y), dtype=np.float64)
        if vectors.shape != rankings.shape:
            raise InputError(
                f"gives vectors of {vectors.shape[1]} coordinates for {rankings.shape[1]} items; "
                "there must be one for each item",
                parameter="features",
            )
        return vectors

    def _check_covariates(self, X: Any, *, reset: bool, **checks: Any) -> Any:
        checks = {"ensure_all_finite": "allow-nan"}
        if self.estimator is not None:
            checks = {"accept_sparse": True, "dtype": None, "ensure_all_finite": False}
        return super()._check_covariates(X, reset=reset, **checks)

    def _predicted(self, X: Any) -> Floats:
        """The predicted vectors."""
        check_is_fitted(self)
        table = self._check_covariates(X, reset=False)
        if isinstance(self.estimator_, Combination):
            return self.estimator_.predict(self._encoder.encode(table), self.n_jobs)
        predictions = np.asarray(self.estimator_.predict(table))
        return predictions.reshape(len(predictions), -1)

    def _signs(self, vectors: Floats) -> Floats:
        """The predicted sign of each pair i < j, from −1 to 1."""
        if self._by_pairs:
            return np.clip(vectors, -1.0, 1.0)
        return np.tanh(differences(vectors) / self._scale)

    def _scores(self, vectors: Floats) -> Floats:
        return scores_of_pairs(vectors, self.n_items_) if self._by_pairs else vectors

    def predict_scores(self, X: Any) -> Floats:
        """The scores that items are ordered by, for each row of covariates: larger = preferred.

        They are the expected share of the other items that each item beats, minus the share that
        beat it, from −1 to 1; or the predicted vectors of ``features``.
        """
        return self._scores(self._predicted(X))

    def _pair_matrices(self, X: Any) -> Floats:
        """Calibrated on held-out rows."""
        signs = self._signs(self._predicted(X))
        return as_matrices(self.calibration_.probabilities(signs), self.n_items_)

    def sentences(self) -> list[str]:
        """What rankings are predicted from, and by which models."""
        check_is_fitted(self)
        sentences = [
            f"Rankings of {amount(self.n_items_, 'item')} are predicted from "
            f"{amount(self.n_features_in_, 'covariate')}."
        ]
        if self.estimator is None:
            each = (f"{name} {100 * w:.0f} %" for name, w in self.model_weights_.items())
            sentences.append(f"Weights of the models: {', '.join(each)}.")
        return sentences

    def tables(self) -> dict[str, Table]:
        """The items by their mean scores, best first: the one ranking that covariates refine."""
        check_is_fitted(self)
        order = np.argsort(-self.mean_scores_, kind="stable")
        labels = range(self.n_items_) if self.items_ is None else self.items_
        scores = self.mean_scores_[order]
        columns = {
            "place": to_ranking(scores[None])[0],
            "item": [labels[i] for i in order],
            "mean_score": scores,
        }
        return {"items": Table(columns)}

    def picture(self) -> Picture:
        """The mean scores of the items."""
        return dot_chart(
            "One ranking for all",
            "Dots: mean scores, which covariates refine.",
            [
                Row(str(row["item"]), [Dot(row["mean_score"], colour(0))])
                for row in self.tables()["items"]
            ],
            "mean score (share of the other items beaten, less the share that beat it)",
        )

    def check_restored(self) -> None:
        """Raise ValueError if a model that was read from a file is damaged: its trees, or sizes."""
        if isinstance(self.estimator_, Combination):
            row = self._encoder.encode(np.zeros((1, self.n_features_in_)))
            self.estimator_.forest.check(row.shape[1])
            signs = self._signs(self.estimator_.predict(row, self.n_jobs))
            if signs.shape != (1, self.n_items_ * (self.n_items_ - 1) // 2):
                raise ValueError("the predictions are not those of the pairs of items")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.estimator is None:
            tags.input_tags.allow_nan = True
        else:
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def _merge_equal(rows: Floats, weights: Floats) -> tuple[NDArray[np.intp], Floats]:
    """The first of each set of equal rows, and weights with those of the others added to it.

    A row that counts twice and two equal rows are then the same problem.
    """
    _, first, same = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    merged = np.zeros(len(weights))
    merged[first] = np.bincount(same.ravel(), weights)
    return np.flatnonzero(merged), merged


def _weights_for(model: Any, weights: Floats) -> dict[str, Floats]:
    """The weights by the name that the model's fit takes."""
    if isinstance(model, Pipeline):
        name, last = model.steps[-1]
        if has_fit_parameter(last, "sample_weight"):
            return {f"{name}__sample_weight": weights}
    elif has_fit_parameter(model, "sample_weight"):
        return {"sample_weight": weights}
    raise InputError(
        f"cannot be used: fit of {type(model).__name__} takes no weights",
        parameter="sample_weight",
    )
