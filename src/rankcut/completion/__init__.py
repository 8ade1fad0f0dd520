"""What would a person say of the items not listed? Gaussian utilities behind rankings.

Each person has a utility for each item, u ~ N(μ, Σ); a list shows the order of some. ``lists``
turns places into scores, ``population`` is the model and its EM, ``factors`` that of large
catalogues, ``learning`` finds all that is unknown from lists, and ``prediction`` gives answers.
"""
