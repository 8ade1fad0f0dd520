"""The experiments of "The Graph Cut Kernel for Ranked Data", run again.

``python -m reproduction`` runs them and writes a report. :mod:`reproduction.parts` says what a
part is and lists them; :mod:`reproduction.report` runs them and writes the pages.
"""
