"""Do groups rank differently, and where? Permutation tests for rankings of any kind."""
