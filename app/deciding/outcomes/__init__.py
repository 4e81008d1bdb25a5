"""/v1/decisions/{id}/outcome: what became of a decision."""
