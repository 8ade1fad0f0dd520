"""Item features as plain arrays, and the points whose distances make a graph."""

import re
from collections.abc import Hashable, Mapping, Sized
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut.errors import InputError
from rankcut.parameters import ROUNDING, WithParameters, check_size, within_floats
from rankcut.rankings import as_frame, object_array
from rankcut.rankings.labels import order_by_name
from rankcut.rankings.stored import check_csr
from rankcut.saved_arrays import Saved

if TYPE_CHECKING:
    import narwhals as nw

# Words begin with a letter, so that numbers in a column of categories are not text.
_WORD = re.compile(r"[^\W\d_]\w*")

# Texts with more words than this, over all items, become points of this many topics.
_MOST_WORDS, _TOPICS = 1000, 100


@dataclass(frozen=True, eq=False, repr=False)
class ItemFeatures:
    """An array, or the columns of a frame, in NumPy arrays: what a recipe keeps and saves."""

    #: The features, unless they came as a frame
    matrix: Annotated[Any, Saved("*", "*", dtype=None)] = None
    #: Numbers, with NaN where there is none, or objects, with None
    columns: Annotated[tuple[NDArray[Any], ...], Saved("*", dtype=None)] = ()
    names: tuple[Hashable, ...] = ()  #: of the columns
    #: "numbers", "text", "categories", never read as text, or another type
    kinds: tuple[str, ...] = ()
    labels: tuple[Hashable, ...] | None = None  #: of the items, as from the index of a pandas frame

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of items and of columns."""
        if self.matrix is not None:
            return tuple(np.shape(self.matrix))
        return len(self.columns[0]) if self.columns else 0, len(self.columns)

    def __repr__(self) -> str:
        shape = self.shape
        return f"<{shape[0]} items × {shape[1]} columns>" if len(shape) == 2 else f"<{shape}>"


def as_item_features(features: Any) -> ItemFeatures | None:
    """Item features as plain arrays; values are not checked yet.

    >>> as_item_features([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    <3 items × 2 columns>
    """
    if features is None or isinstance(features, ItemFeatures):
        return features
    if sparse.issparse(features):
        if features.format in ("csr", "csc"):
            check_csr(features)
        return ItemFeatures(features)
    if isinstance(features, Mapping):
        return _named_columns(features, None)
    if isinstance(getattr(features, "features", None), Mapping):
        return _named_columns(features.features, tuple(features.items))
    frame = as_frame(features)
    if frame is None:
        try:
            return ItemFeatures(np.asarray(features))
        except ValueError:
            # Rows of different lengths: building the graph says so.
            return ItemFeatures(features)
    import narwhals as nw

    index = nw.maybe_get_index(frame)
    labels = None if index is None else tuple(index)
    # Not frame[name]: the columns of a pandas frame may be called 0, 1, …
    columns = tuple(frame.iter_columns())
    return ItemFeatures(
        columns=tuple(_plain_column(column) for column in columns),
        names=tuple(column.name for column in columns),
        kinds=tuple(_kind(column) for column in columns),
        labels=None if labels == tuple(range(frame.shape[0])) else labels,
    )


def _named_columns(
    features: Mapping[Hashable, Any], labels: tuple[Hashable, ...] | None
) -> ItemFeatures:
    """The columns of a dictionary, as loaders give them, or of a table with the items' names."""
    columns = [np.asarray(values) for values in features.values()]
    lengths = {column.shape for column in columns}
    if len(lengths) > 1 or any(len(shape) != 1 for shape in lengths):
        raise InputError(
            "the columns of the item features have different lengths, or are no columns",
            remedy="give each feature one value for each item",
        )
    numeric = [column.dtype.kind in "fiub" for column in columns]
    return ItemFeatures(
        columns=tuple(
            column if numbers else object_array(column.tolist())
            for column, numbers in zip(columns, numeric, strict=True)
        ),
        names=tuple(features),
        kinds=tuple("numbers" if numbers else "text" for numbers in numeric),
        labels=labels,
    )


def _kind(column: "nw.Series[Any]") -> str:
    import narwhals as nw

    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        return "numbers"
    if column.dtype in (nw.Categorical, nw.Enum):
        return "categories"
    if column.dtype.is_temporal() or column.dtype.is_nested():
        return str(column.dtype)
    return "text"


def _plain_column(column: "nw.Series[Any]") -> NDArray[Any]:
    """Numbers, with NaN where there is none, or objects, with None."""
    gaps = column.is_null().to_numpy().astype(bool)
    if column.dtype.is_float():
        gaps |= column.is_nan().fill_null(True).to_numpy().astype(bool)
    if _kind(column) == "numbers" and not gaps.any():
        numbers = column.to_numpy()
        return numbers if numbers.dtype.kind in "iub" else numbers.astype(np.float64)
    values = [None if gap else value for value, gap in zip(column.to_list(), gaps, strict=True)]
    if _kind(column) != "numbers":
        return object_array(values)
    return np.array([np.nan if value is None else float(value) for value in values])


class FeatureRecipe(WithParameters):
    """A recipe that builds a graph from ``item_features``, kept as :class:`ItemFeatures`."""

    scale: bool
    items: str | None

    @property
    def item_features(self) -> ItemFeatures | None:
        """The features of each item, as plain arrays."""
        return self._item_features

    @item_features.setter
    def item_features(self, item_features: Any) -> None:
        self._item_features = as_item_features(item_features)

    def points(self) -> tuple[NDArray[np.float64], tuple[Hashable, ...] | None]:
        """One point for each item, and the items' labels."""
        return item_points(self.item_features, self.items, self.scale)


def item_points(
    features: Any, label: str | None, scale: bool = True
) -> tuple[NDArray[np.float64], tuple[Hashable, ...] | None]:
    """One point for each item, and the items' labels if the table has them.

    An array is used unchanged. In a frame, numeric columns are scaled to mean 0 and variance 1,
    unless ``scale`` is False. Text, which is strings of several words, becomes the TF-IDF of its
    words; everything else is one-hot encoded.
    """
    table = as_item_features(features)
    if table is None:
        raise InputError("the graph needs item features: one row for each item")
    if table.matrix is not None:
        return _array_points(table.matrix, label), table.labels
    items = _labels(table, label)
    columns = [
        (name, values, kind)
        for name, values, kind in zip(table.names, table.columns, table.kinds, strict=True)
        if label is None or name != label
    ]
    if table.shape[0] == 0 or not columns:
        raise InputError(
            f"the item features have {table.shape[0]} rows and {len(columns)} columns beside the "
            "labels; they need items and columns"
        )
    blocks = [
        encoded(_checked(values, name, items, kind), scale, text=kind == "text")
        for name, values, kind in columns
    ]
    return np.hstack(blocks), items


def _array_points(matrix: Any, label: str | None) -> NDArray[np.float64]:
    if label is not None:
        raise InputError(
            f"names column {label!r}, but the item features are an array, which has no named "
            "columns",
            parameter="items",
        )
    if sparse.issparse(matrix):
        raise InputError(
            "the item features are sparse, but this graph compares all pairs of items",
            remedy='NeighborGraph(item_features, metric="cosine") keeps them sparse',
        )
    from sklearn.utils.validation import check_array

    with within_floats("the item features"):
        points = np.asarray(check_array(matrix, dtype=np.float64, input_name="the item features"))
    check_size(points, "the item features")
    return points


def _labels(features: ItemFeatures, label: str | None) -> tuple[Hashable, ...] | None:
    if label is None:
        items = features.labels
    elif label in features.names:
        items = tuple(features.columns[features.names.index(label)].tolist())
    else:
        raise InputError(
            f"should name the column with the items' labels; got {label!r}, and the columns are "
            f"{', '.join(map(repr, features.names))}",
            parameter="items",
        )
    if items is not None and len(set(items)) < len(items):
        twice = next(name for i, name in enumerate(items) if name in items[:i])
        raise InputError("has two rows of features; each item needs one", item=twice)
    return items


def _checked(
    values: NDArray[Any], name: Hashable, items: tuple[Hashable, ...] | None, kind: str
) -> NDArray[Any]:
    """A column of finite numbers, or of categories."""

    def refuse(row: int, problem: str, remedy: str) -> InputError:
        return InputError(problem, item=row if items is None else items[row], remedy=remedy)

    missing = np.array([value is None or value != value for value in values], dtype=bool)
    if missing.any():
        raise refuse(
            int(np.argmax(missing)),
            f"has no value in column {name!r}",
            "fill it in or drop the column",
        )
    if kind not in ("numbers", "text", "categories"):
        raise InputError(
            f"column {name!r} of the item features holds {kind}, neither numbers nor categories",
            remedy="make it numbers or text, or drop it",
        )
    if values.dtype == object:
        for row, value in enumerate(values):
            if isinstance(value, Sized) and not isinstance(value, str | bytes):
                raise refuse(
                    row,
                    f"has a {type(value).__name__} in column {name!r}",
                    "join its words to one text, which is compared word by word",
                )
        if not all(isinstance(value, Real) for value in values):
            return values
        # A frame keeps Python numbers as objects if one of them has very many digits.
        with within_floats(f"column {name!r} of the item features"):
            values = values.astype(np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        raise refuse(row, f"has the value {values[row]} in column {name!r}", "use finite numbers")
    return values


def encoded(values: NDArray[Any], scale: bool = True, text: bool = True) -> NDArray[np.float64]:
    """The coordinates that a feature adds: scaled numbers, TF-IDF of words, or one-hot.

    >>> encoded(np.array(["roll", "nigiri", "roll"], dtype=object))
    array([[0., 1.],
           [1., 0.],
           [0., 1.]])
    >>> encoded(np.array(["tuna roll", "eel roll", "eel"], dtype=object)).round(2)
    array([[0.  , 0.61, 0.8 ],
           [0.71, 0.71, 0.  ],
           [1.  , 0.  , 0.  ]])
    """
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    column = values.reshape(-1, 1)
    if values.dtype.kind in "fiub":
        if not scale:
            return np.asarray(column)
        check_size(values, "the item features")
        return np.asarray(StandardScaler().fit_transform(column.astype(np.float64)))
    if text and all(isinstance(value, str) for value in values):
        words = [_WORD.findall(value) for value in values]
        if all(words) and max(map(len, words)) > 1:
            return _word_weights(values)
    return np.asarray(OneHotEncoder(sparse_output=False).fit_transform(column))


def _word_weights(texts: NDArray[Any]) -> NDArray[np.float64]:
    """TF-IDF of the words of each text, of unit length; many words become fewer topics."""
    # Commands that need no graph of texts start sooner without these.
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    weights = TfidfVectorizer(token_pattern=_WORD.pattern).fit_transform(texts)
    if min(weights.shape) <= _MOST_WORDS:
        return np.asarray(weights.toarray())
    return np.asarray(TruncatedSVD(_TOPICS, random_state=0).fit_transform(weights))


def aligned_points(
    recipe: FeatureRecipe, items: tuple[Hashable, ...] | None
) -> NDArray[np.float64]:
    """The features that a recipe has for these items, as comparable numbers.

    Columns are scaled to mean 0 and variance 1; many columns, or sparse ones, become the first
    hundred principal directions.

    >>> from rankcut import NeighborGraph
    >>> aligned_points(NeighborGraph([[1.0], [2.0], [3.0]], n_neighbors=1), None).ravel().round(2)
    array([-1.22,  0.  ,  1.22])
    """
    features = recipe.item_features
    matrix: Any = None if features is None else features.matrix
    labels = None
    if not sparse.issparse(matrix):
        matrix, labels = item_points(features, recipe.items)
        matrix = matrix - matrix.mean(axis=0)
        spread = matrix.std(axis=0)
        matrix = matrix / np.where(
            spread > ROUNDING * np.abs(matrix).max(initial=1.0), spread, np.inf
        )
    if min(matrix.shape) > _TOPICS or sparse.issparse(matrix):
        from sklearn.decomposition import TruncatedSVD

        rank = max(1, min(_TOPICS, *(size - 1 for size in matrix.shape)))
        matrix = TruncatedSVD(rank, random_state=0).fit_transform(matrix)
    order = order_by_name(labels, items, "the item features", "the rankings")
    return np.asarray(matrix if order is None else matrix[order], dtype=np.float64)
