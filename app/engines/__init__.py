"""Readers of stream-processing engines: their answers as topologies and measured loads; one room for each engine."""
