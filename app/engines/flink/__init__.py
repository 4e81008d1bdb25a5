"""Flink's REST interface, read as topologies and loads, and the change of a running job."""
