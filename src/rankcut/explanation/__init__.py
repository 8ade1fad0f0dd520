"""What models learned: effects of places and pairs, and which covariates matter."""
