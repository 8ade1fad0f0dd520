"""Feature maps with flat options, and with a knob that only tests turn.

``algorithm`` says how cuts are computed; what belongs to completions or to smoothing is gathered
into their objects.
"""

from rankcut import Completions, GraphCutFeatures, Smoothing
from rankcut.cuts import FeatureMap, GraphCut

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


def flat_features(graph=None, *, algorithm="auto", **flat):
    """A GraphCutFeatures, to be fitted."""
    model = GraphCutFeatures(graph, **grouped(**flat))
    fit_map = model._fit_map

    def by_algorithm(*rankings):
        made = fit_map(*rankings)
        cut = GraphCut(model.graph_, algorithm)
        return FeatureMap(cut, made.options, smoothing_graph=made.smoothing_graph)

    if algorithm != "auto":
        model._fit_map = by_algorithm
    return model


def flat_vectors(X, graph=None, **flat):
    """Vectors of rankings, as by graph_cut_features."""
    return flat_features(graph, **flat).fit(X).transform(X)
