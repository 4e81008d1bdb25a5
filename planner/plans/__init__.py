"""Estimates and plans of a whole topology, with explanations."""
