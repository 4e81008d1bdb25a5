"""Nodes and instances: their load, the packing of instances onto nodes, moves of instances, and redirect weights."""
