"""/v1/topologies/{name}/snapshots/from/{engine}: measured load from an engine's own JSON."""
