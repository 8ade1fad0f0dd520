"""The experiments of "The Graph Cut Kernel for Ranked Data", in parts.

:mod:`~rankcut.experiments.paper.part` says what a part is,
:mod:`~rankcut.experiments.paper.parts` lists them, and
:mod:`~rankcut.experiments.paper.reproduction` runs them and writes the report.
"""
