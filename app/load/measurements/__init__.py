"""The stored measurements of a topology: its load, the age of its data, and its rate over time."""
