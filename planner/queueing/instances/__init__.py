"""Operators with a queue for each processor: which tuples reach which instance, and how long they wait there."""
