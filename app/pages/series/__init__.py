"""/v1/topologies/{name}/series: measurements, estimates and recommendations over time."""
