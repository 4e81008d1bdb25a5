"""How the time of an external tuple spreads: p50, p95 and p99 of its total and of its completion."""
