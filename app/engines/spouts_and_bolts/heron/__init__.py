"""Heron's tracker: plans and metrics of a topology."""
