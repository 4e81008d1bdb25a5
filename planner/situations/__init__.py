"""Situations: a topology under a load, its E[T] with evidence, and the diagnostics about both."""
