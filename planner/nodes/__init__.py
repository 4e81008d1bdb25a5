"""Nodes and instances: load, packing, moves and redirect weights."""
