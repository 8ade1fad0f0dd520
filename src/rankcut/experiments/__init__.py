"""Experiments: whole pieces of work, from data to a table and a picture."""
