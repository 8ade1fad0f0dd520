"""Which kernel explains the labels best: the evidence of each, and its loss on other people."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.gaussian_process.kernels import Kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

from rankcut._loops.types import Floats
from rankcut.comparison.tables import Table
from rankcut.errors import InputError, amount
from rankcut.gp import GPClassifier
from rankcut.rankings import weights_of

# A kernel needs matrices of rankings × rankings.
_MOST_ROWS = 5_000

# Half the width, in standard errors, of the interval of a difference of losses.
_WIDTH = 1.96

# A gap of this size in log evidence is odds of twenty to one.
_CLEAR = float(np.log(20.0))


@dataclass(frozen=True, repr=False)
class KernelComparison:
    """How well each kernel explains the labels, the best by evidence first.

    Attributes
    ----------
    kernels : Table
        For each kernel its ``elbo`` (a lower bound on the log evidence), ``behind`` (how far that
        is behind the best), ``log_loss`` on held-out rankings, ``loss_difference`` from the best
        by evidence (positive is worse) and its 95 % interval, ``low`` and ``high``.
    n_rankings : int
        Number of rankings.
    """

    kernels: Table
    n_rankings: int

    def summary(self) -> str:
        """What was found, in words.

        Examples
        --------
        >>> from rankcut import GraphCutFeatures, compare_kernels, make_food
        >>> from rankcut.kernels import KendallFeatures
        >>> food = make_food(60, noise=0.3, random_state=0)
        >>> kernels = {"places": GraphCutFeatures(), "pairs": KendallFeatures()}
        >>> print(compare_kernels(food.ranks, food.target, kernels, n_folds=2).summary())
        places has the most evidence; pairs is 1.3 behind (odds of 4 to 1).
        On held-out rankings: no kernel is clearly worse than places.
        The evidence is a bound: gaps count if all kernels see the same rankings, labels and link,
        and none has many more parameters to learn than the others.
        """
        best, *others = self.kernels
        first = f"{best['kernel']} has the most evidence"
        if others:
            second = others[0]
            first += f"; {second['kernel']} is {second['behind']:.1f} behind ({_odds(second)})"
        worse = [row["kernel"] for row in others if row["low"] > 0]
        better = [row["kernel"] for row in others if row["high"] < 0]
        loss = f"no kernel is clearly worse than {best['kernel']}"
        if better:
            loss = f"{_listed(better)} clearly better than {best['kernel']}: trust these"
        elif worse:
            loss = f"{_listed(worse)} clearly worse than {best['kernel']}"
        return (
            f"{first}.\nOn held-out rankings: {loss}.\n"
            "The evidence is a bound: gaps count if all kernels see the same rankings, labels and "
            "link,\nand none has many more parameters to learn than the others."
        )

    def to_frame(self, backend: str | None = None) -> Any:
        """The table as a pandas or Polars frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None
            Which library; None is the one that is installed, pandas first.
        """
        return self.kernels.to_frame(backend)

    def __repr__(self) -> str:
        return repr(self.kernels)

    def _repr_html_(self) -> str:
        words = html.escape(self.summary()).replace("\n", "<br>")
        return f"{self.kernels._repr_html_()}<p>{words}</p>"


def compare_kernels(
    ranks: Any,
    y: ArrayLike,
    kernels: Mapping[str, Any] | Sequence[Any],
    *,
    model: GPClassifier | None = None,
    n_folds: int = 5,
    random_state: int = 0,
) -> KernelComparison:
    """Compare kernels by their evidence, and by their loss on rankings left out.

    Each kernel is fitted in a Gaussian process classifier. Its ELBO says how well it explains all
    labels at once, without a test set; the log-loss says how well it predicts labels it has not
    seen. Both usually agree. Where they do not, trust the loss.

    ELBOs may be compared if everything but the kernel is the same: rankings, labels, link. Each is
    a lower bound, within about 1 of the log evidence for probit and logit links. With fixed
    parameters, a gap of d means odds of exp(d) to 1 for kernels that were equally likely before.
    Learned parameters raise the ELBO a little, each by about half a unit.

    Parameters
    ----------
    ranks : array, frame, RankingSet or CSR array of shape (n_rankings, n_items)
        The rankings.
    y : array of shape (n_rankings,)
        Their labels, of two or more classes.
    kernels : mapping of names to kernels, or sequence of kernels
        Kernel objects, such as ``MallowsKernel(0.1)``, or estimators of vectors, such as
        ``GraphCutFeatures(graph)``, which stand for the inner products of their vectors and are
        quicker with many rankings.
    model : GPClassifier or None
        The classifier, without a kernel; None is ``GPClassifier()``.
    n_folds : int
        Number of folds for the loss.
    random_state : int
        Seed of the folds.

    Returns
    -------
    KernelComparison
        A table, with ``summary()`` and ``to_frame()``.

    Examples
    --------
    >>> from rankcut import GraphCutFeatures, compare_kernels, make_food
    >>> from rankcut.kernels import KendallFeatures
    >>> food = make_food(60, noise=0.3, random_state=0)
    >>> kernels = {"places": GraphCutFeatures(), "pairs": KendallFeatures()}
    >>> found = compare_kernels(food.ranks, food.target, kernels, n_folds=2)
    >>> found.kernels["kernel"]
    ['places', 'pairs']
    """
    named = _named(kernels)
    codes, labels = _read_labels(y)
    n_rankings = len(ranks) if not hasattr(ranks, "shape") else ranks.shape[0]
    if n_rankings != len(codes):
        raise InputError(
            f"there are {amount(n_rankings, 'ranking')} and {amount(len(codes), 'label')}"
        )
    if weights_of(ranks, None) is not None:
        raise InputError(
            "the rows have counts, and each row would count once",
            remedy="pass ranks.expanded(), and a label for each of its rankings",
        )
    rarest = int(np.bincount(codes).min())
    if not 2 <= n_folds <= rarest:
        raise InputError(
            f"must be from 2 to {rarest}, the size of the smallest class; got {n_folds}",
            parameter="n_folds",
        )
    rows = _rows(ranks)
    folds = list(
        StratifiedKFold(n_folds, shuffle=True, random_state=random_state).split(
            np.zeros(len(codes)), codes
        )
    )
    bounds, losses = [], []
    for name, kernel in named.items():
        classifier = _classifier(name, kernel, model, n_rankings)
        bounds.append(float(_final(clone(classifier).fit(ranks, labels)).elbo_))
        losses.append(_losses(classifier, rows, labels, codes, folds))
    return _compared(list(named), np.array(bounds), np.array(losses))


def _named(kernels: Any) -> dict[str, Any]:
    named = (
        dict(kernels)
        if isinstance(kernels, Mapping)
        else {repr(kernel): kernel for kernel in kernels}
    )
    if not named:
        raise InputError("must hold at least one kernel", parameter="kernels")
    return named


def _read_labels(y: ArrayLike) -> tuple[NDArray[np.intp], NDArray[Any]]:
    labels = np.asarray(y)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise InputError("has one class; there is nothing to explain", parameter="y")
    return codes, labels


def _rows(ranks: Any) -> Any:
    """What selects rankings by their numbers."""
    if hasattr(ranks, "iloc"):
        return ranks.iloc.__getitem__
    array = ranks if hasattr(ranks, "__getitem__") and hasattr(ranks, "shape") else np.array(ranks)
    return array.__getitem__


def _classifier(name: str, kernel: Any, model: GPClassifier | None, n_rankings: int) -> Any:
    own = GPClassifier() if model is None else clone(model)
    if isinstance(kernel, Kernel):
        if n_rankings > _MOST_ROWS:
            raise InputError(
                f"{name} needs matrices of {n_rankings:,} × {n_rankings:,} numbers",
                parameter="kernels",
                remedy=f"take at most {_MOST_ROWS:,} rankings, or an estimator of vectors",
            )
        return own.set_params(kernel=clone(kernel))
    if isinstance(kernel, BaseEstimator) and hasattr(kernel, "fit_transform"):
        return make_pipeline(clone(kernel), own)
    raise InputError(
        f"must be kernel objects or estimators of vectors; {name!r} is {kernel!r}",
        parameter="kernels",
    )


def _final(fitted: Any) -> Any:
    return fitted[-1] if hasattr(fitted, "steps") else fitted


def _losses(
    classifier: Any, rows: Any, labels: NDArray[Any], codes: NDArray[np.intp], folds: Any
) -> Floats:
    """−log of the probability of each label, by a model that has not seen it."""
    losses = np.empty(len(codes))
    for training, held_out in folds:
        fitted = clone(classifier).fit(rows(training), labels[training])
        found = fitted.predict_proba(rows(held_out))
        own = found[np.arange(len(held_out)), codes[held_out]]
        losses[held_out] = -np.log(np.maximum(own, np.finfo(np.float64).tiny))
    return losses


def _compared(names: list[str], bounds: Floats, losses: Floats) -> KernelComparison:
    order = np.argsort(-bounds, kind="stable")
    difference = losses[order] - losses[order[0]]
    mean = difference.mean(axis=1)
    error = difference.std(axis=1, ddof=1) / np.sqrt(difference.shape[1])
    table = Table(
        {
            "kernel": [names[number] for number in order],
            "elbo": bounds[order].tolist(),
            "behind": (bounds[order[0]] - bounds[order]).tolist(),
            "log_loss": losses[order].mean(axis=1).tolist(),
            "loss_difference": mean.tolist(),
            "low": (mean - _WIDTH * error).tolist(),
            "high": (mean + _WIDTH * error).tolist(),
        }
    )
    return KernelComparison(table, losses.shape[1])


def _odds(row: dict[str, Any]) -> str:
    if row["behind"] > _CLEAR:
        return "odds of more than 20 to 1"
    return f"odds of {np.exp(row['behind']):.0f} to 1"


def _listed(names: Sequence[str]) -> str:
    verb = "is" if len(names) == 1 else "are"
    return f"{', '.join(names[:-1])}{' and ' if len(names) > 1 else ''}{names[-1]} {verb}"
