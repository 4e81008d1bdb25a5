"""Processes of the service: start, workers, draining."""
