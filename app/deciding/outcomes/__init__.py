"""/v1/decisions/{id}/outcome: what a decision led to, as reported by callers and as observed in snapshots."""
