"""PrefLib files as a data set."""

from sklearn.utils import Bunch

from rankcut.files.opening import Source
from rankcut.files.preflib import read_preflib


def load_preflib(path: Source, *, expand: bool = False, sparse: bool | None = None) -> Bunch:
    r"""A PrefLib file: soc, soi, toc, toi or cat, with a current or an old header.

    The files are at https://preflib.org, each with the citation that it asks for.

    Parameters
    ----------
    path : path or file object
        Plain or gzip.
    expand : bool
        Give each voter a row, instead of a count to each order.
    sparse : bool or None
        Ranks as a CSR array or as a dense one; None makes them dense unless too empty for that.

    Returns
    -------
    Bunch
        ``ranks``, ``counts`` (how many voters each row stands for), ``item_names``, ``title``
        and ``metadata`` (the fields of the header).

    Examples
    --------
    >>> import io
    >>> old = "3\n1,toro\n2,uni\n3,ika\n5,5,2\n4,2,1,3\n1,3,1,2\n"
    >>> votes = load_preflib(io.StringIO(old))
    >>> votes.ranks
    array([[2., 1., 3.],
           [2., 3., 1.]])
    >>> votes.counts
    array([4, 1])
    """
    rankings = read_preflib(path, expand=expand, sparse=sparse)
    return Bunch(
        ranks=rankings.ranks,
        counts=rankings.counts,
        item_names=list(rankings.items),
        title=rankings.title,
        metadata=dict(rankings.metadata),
    )
