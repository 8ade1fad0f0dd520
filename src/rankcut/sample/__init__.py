"""Who stands behind a row of rankings, and sums over people.

:class:`Sample` is the only place that knows people, counts, survey weights and strata. Whatever is
a sum over people (means with their errors, bootstrap samples, exchanged labels, what a sandwich has
in the middle) is made here.
"""

from rankcut.sample.entries import ListEntries as ListEntries
from rankcut.sample.sample import Block as Block
from rankcut.sample.sample import Mean as Mean
from rankcut.sample.sample import Sample as Sample
from rankcut.sample.sample import Vectors as Vectors
from rankcut.sample.sample import weighted_median as weighted_median

__all__ = ["Block", "ListEntries", "Mean", "Sample", "Vectors", "weighted_median"]
