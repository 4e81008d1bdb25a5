"""What became of a decision: what was observed, and where a report disagrees with it."""
