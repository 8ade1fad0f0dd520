"""What would a person say about unlisted items? A Gaussian model of utilities behind rankings.

Each person has a utility for each item, u ~ N(μ, Σ); a list shows the order of some. ``lists``
turns places into scores, ``population`` is the model with its priors, ``presence`` says who lists
what, ``recipe`` fits them to lists, and ``estimator`` gives answers.
"""
