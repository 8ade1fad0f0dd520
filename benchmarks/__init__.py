"""What the documentation claims of speed and quality, printed by programs, a folder for each room.

``python -m benchmarks.strengths.strengths_coverage`` runs one; ``python benchmarks/record.py
strengths_coverage`` keeps what it prints in ``docs/results``.
"""
