"""Prometheus: answers to queries, each with the role of its query, as measured loads."""
