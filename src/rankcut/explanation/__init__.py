"""What models learned: effects of places, pairs and being listed; which covariates matter."""
