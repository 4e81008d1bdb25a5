"""Prometheus: answers to queries, each with the role that it plays, as measured loads."""
