"""Processes of the service: start, workers, draining, health, logs and metrics."""
