"""Targets: limits of E[T], or of a quantile or a mean of drawn times, behind one protocol."""
