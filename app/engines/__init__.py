"""What stream-processing engines answer, read as topologies and measured loads; one room for each engine."""
