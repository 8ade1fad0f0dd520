"""Reports: what is in a file of rankings, and how well a classifier learns from it."""
