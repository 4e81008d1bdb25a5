"""Stored measurements of a topology: its load, its age, its rate over time."""
