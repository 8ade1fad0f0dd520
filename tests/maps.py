"""Feature maps with flat options, and with the knobs that only tests turn.

``sampler`` says how completions are drawn, ``algorithm`` how cuts are computed; what belongs to
completions or to smoothing is gathered into their objects.
"""

from rankcut import Completions, GraphCutFeatures, Smoothing
from rankcut.cuts import GraphCut
from rankcut.cuts.feature_map import FeatureMap
from rankcut.cuts.graph_cut import fit_map
from rankcut.rankings import read_rankings

DRAWS = ("n_draws", "tolerance", "random_state")


def grouped(**flat):
    """Keyword arguments of GraphCutFeatures."""
    options = {name: value for name, value in flat.items() if name not in DRAWS}
    draws = {name: flat[name] for name in DRAWS if name in flat}
    if draws:
        options["completions"] = Completions(flat.get("completions", "auto"), **draws)
    if "smoothing_graph" in options:
        options["smoothing"] = Smoothing(flat.get("smoothing", 0), options.pop("smoothing_graph"))
    return options


def flat_features(graph=None, *, sampler="controlled", algorithm="auto", **flat):
    """A GraphCutFeatures, to be fitted."""
    model = GraphCutFeatures(graph, **grouped(**flat))

    def make_map(seed):
        made = fit_map(model.graph, read_rankings([range(model.graph_.n_items)]), model._options())
        return FeatureMap(
            GraphCut(model.graph_, algorithm),
            model._options(),
            smoother=made.smoother,
            sampler=sampler,
            seed=seed,
        )

    if (sampler, algorithm) != ("controlled", "auto"):
        model._make_map = make_map
    return model


def flat_vectors(X, graph=None, **flat):
    """Vectors of rankings, as by graph_cut_features."""
    return flat_features(graph, **flat).fit(X).transform(X)
