"""The experiments of "The Graph Cut Kernel for Ranked Data", run again.

``python -m reproduction`` runs them and writes a report; README.md says what a part is.
"""
