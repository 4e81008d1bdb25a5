"""The physics of the live demo: tuples, queues, pauses and incidents; it knows no database."""
