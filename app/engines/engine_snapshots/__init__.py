"""/v1/topologies/{name}/snapshots/from/{engine}: measured load out of an engine's own JSON."""
