"""Spark Structured Streaming: the progress of a query, batch by batch."""
