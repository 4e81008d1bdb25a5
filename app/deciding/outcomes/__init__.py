"""/v1/decisions/{id}/outcome: the outcome of a decision, reported and observed."""
