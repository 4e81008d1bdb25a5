"""Quantiles of total and completion time, from external tuples drawn at random."""
