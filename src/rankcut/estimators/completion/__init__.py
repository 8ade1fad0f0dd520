"""What would a person say of the items not listed? Gaussian utilities behind rankings."""
