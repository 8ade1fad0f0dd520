"""The paper in one room: set functions, the feature map, completions, smoothing.

Set functions are graph cuts and alternatives to them:

==================================  ======================================  =============
class                               F(A)                                    symmetric
==================================  ======================================  =============
:class:`GraphCut`                   weight of the edges that leave A        yes
:class:`ConcaveOfCardinality`       g of the number of items in A           if g is
:class:`Coverage`                   weight of what A covers                 no
:class:`Entropy`                    H of the columns A of a table            no
:class:`GaussianEntropy`            ½ log det(2πe·Σ_AA)                     no
:class:`Modular`                    Σ of the items' weights                 no
:class:`SumOfFunctions`             F(A) + G(A)                             if both are
:class:`Multiple`                   c·F(A)                                  if F is
:class:`Complement`                 F(V∖A) − F(V)                           if F is
:class:`FromCallable`               a Python function of a frozenset        if you say so
==================================  ======================================  =============
"""

from rankcut.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
