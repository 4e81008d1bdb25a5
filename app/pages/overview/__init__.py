"""/v1/overview: one row for each topology, the most urgent first."""
