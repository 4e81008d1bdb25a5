"""Operators as queues: the wait of a tuple, the gain of one more processor, and E[T] over all operators."""
