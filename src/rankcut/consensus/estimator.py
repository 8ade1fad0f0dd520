"""One ranking from many, as a scikit-learn estimator."""

from typing import Any, Self

from numpy.typing import ArrayLike

from rankcut.consensus.combining import CombinesRankings
from rankcut.estimators import TakesRankings
from rankcut.results import EstimatorResult


class Consensus(CombinesRankings, EstimatorResult, TakesRankings):
    """One ranking from many of any kind, and how sure each place is.

    A fitted one is a :class:`~rankcut.results.Result`, with the tables ``places`` and ``pairs``.

    Parameters
    ----------
    method : {"auto", "borda", "graph", "copeland", "kemeny", "strengths"}, default="auto"
        "borda" orders items by their mean position: by how many others each beats. "copeland"
        counts the items that each beats by a majority. "kemeny" is the order that agrees most with
        all pairwise comparisons, proven best if time allows. "strengths" is the Plackett–Luce
        model (Bradley–Terry for pairs): what each item is worth, whoever it meets. "graph" is
        Borda's with comparisons weighted by an item graph: the ranking most similar to all of them
        by the graph cut kernel before pooling. "auto" is "strengths" if unranked items may be
        anywhere, or with a graph, and "borda" otherwise.
    graph : graph or recipe, default=None
        The item graph. By strengths, similar items have similar strengths, as far as the evidence
        goes. In ``method="graph"``, None is the complete graph, which is Borda's method.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means: it is an error, it is tied with the others after all ranked
        ones (top-k lists), or its place is unknown: then only comparisons that people made count.
    confidence : float, default=0.95
        Probability with which all intervals hold at once.
    n_bootstraps : int, default=1000
        Number of bootstrap samples of people or, by strengths, of draws of the strengths; 0 leaves
        out what depends on them.
    random_state : int, RandomState or None, default=0
        Seed of these samples.
    time_limit : float, default=60.0
        Seconds after which Kemeny's method returns the best order found, with a bound.
    prior : {"evidence", "none"}, default="evidence"
        For strengths: how far items differ is learned from the data, or maximum likelihood, which
        exists only if wins and losses connect all items.
    ties : {"auto", "davidson", "exact", "efron", "breslow", "half"}, default="auto"
        For strengths: what tied items mean; see :func:`rankcut.strengths.fit_strengths`.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_items,)
        The rank of each item: 1 = best, tied items share the best of their places.
    scores_ : ndarray of shape (n_items,)
        What items are ordered by: the mean vector, the number of pairwise wins (Copeland), or
        strengths. By Kemeny's method the order is not by a score; these are the sums of margins.
    rank_intervals_ : ndarray of shape (n_items, 2) or None
        Best and worst possible place of each item, for all items at once. They are for the places
        that the same method would give if everyone were asked. By the majority methods they are
        wide wherever a majority could go either way; see
        :func:`rankcut.consensus.methods.by_majorities`.
    tiers_ : list of lists or None
        Items by tiers: no two of a tier are surely different.
    clear_ : ndarray of shape (n_items, n_items) or None
        Whether i is surely before j; this holds for all pairs at once.
    mean_ranks_ : ndarray of shape (n_items,)
        1 plus the number of others that are expected before each item, by shares of people or, for
        strengths, by the model. On full rankings it is the mean of the ranks.
    strengths_ : Strengths
        By strengths: ``theta``, ``standard_errors``, ``intervals()``, ``worths``, ``beats()``; see
        :class:`rankcut.strengths.Strengths`.
    method_ : str
        The method that was used.
    winner_shares_ : ndarray of shape (n_items,) or None
        The share of bootstrap samples, or draws of strengths, in which each item is first; items
        tied for first share the sample. By Kemeny's method, if more than ten items beat each other
        in cycles, a sample's best order is searched for by moving single items.
    pairwise_ : ndarray of shape (n_items, n_items)
        The share that prefers i, of those who compare i and j; NaN where nobody does.
    pairwise_counts_ : ndarray of shape (n_items, n_items)
        How many people compare i and j: rank both, not tied.
    pairwise_winner_ : label, int or None
        The item that beats every other one by a majority, if there is one.
    cycle_ : list
        A shortest cycle of items each of which beats the next, or empty.
    agreement_ : Agreement
        ``kendall_w`` with its interval, and the ``p_value`` of the test that all items are equal;
        see :mod:`rankcut.consensus.agreement`.
    optimal_ : bool
        Whether it is proven that no order is better by the method's own measure: True for all but
        Kemeny's method.
    objective_, bound_ : float
        By Kemeny's method: Σ_{i before j} of the mean expected signs, and what no order exceeds.
    best_orders_ : list of lists
        By Kemeny's method, the orders that agree most with all comparisons, up to 12; empty if more
        than ten items beat each other in cycles, or the order is not proven best.
    notes_ : list of str
        What a reader of the result should know, in sentences.
    n_people_, n_effective_ : int and float
        How many people were asked, and how many who count alike would say as much.
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    See Also
    --------
    to_ranking : From a vector to a ranking.
    make_mallows : Rankings to try it on.

    References
    ----------
    M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm. Inference for Ranks with Applications to
    Mobility across Neighbourhoods and Academic Achievement across Countries. Review of Economic
    Studies, 2024.

    H. L. Turner, J. van Etten, D. Firth, I. Kosmidis. Modelling Rankings in R: the PlackettLuce
    Package. Computational Statistics, 2020.

    Examples
    --------
    >>> from rankcut import Consensus, make_mallows
    >>> votes = make_mallows(200, 5, phi=0.6, random_state=0)
    >>> consensus = Consensus().fit(votes.ranks)
    >>> consensus.ranking_
    array([1, 2, 3, 4, 5])
    >>> consensus.rank_intervals_.tolist()
    [[1, 1], [2, 2], [3, 4], [3, 5], [4, 5]]
    """

    items = None

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        people: ArrayLike | None = None,
    ) -> Self:
        """Find the consensus of rankings.

        Parameters
        ----------
        X : array, frame, CSR array or RankingSet of shape (n_rankings, n_items)
            Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
        y : None
            Ignored.
        sample_weight : array of shape (n_rankings,) or None
            Survey weights: how much each ranking counts; each is one person's. None: those of a
            RankingSet, or all alike.
        counts : array of shape (n_rankings,) or None
            How many people each row stands for: 3 is the same as the row three times. None: those
            of a RankingSet, or one each.
        people : array of shape (n_rankings,) or None
            Whose ranking each row is. Rows of the same person are resampled together.

        Returns
        -------
        self
        """
        rankings = self._read(
            X, reset=True, sample_weight=sample_weight, counts=counts, people=people
        )
        return self._combine(rankings)
