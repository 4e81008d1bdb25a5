"""Decisions about all topologies that share a budget, made together."""
