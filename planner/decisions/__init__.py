"""Decisions: the change of processors to make now, under a topology's policy."""
