"""What would a person say about unlisted items? A Gaussian model of utilities behind rankings.

Each person has a utility for each item, u ~ N(μ, Σ); a list shows the order of some. ``lists``
turns places into scores, ``prior`` is what is assumed beforehand, ``population`` the model and its
EM, ``factors`` the model for large catalogues, ``recipe`` fits them to lists, ``sharpness`` and
``presence`` adjust what they say, and ``prediction`` gives answers.
"""
