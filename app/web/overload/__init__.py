"""What the service does with more requests than it can compute: slots, turns, refusals, a direct route."""
