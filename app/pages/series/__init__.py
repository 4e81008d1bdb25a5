"""/v1/topologies/{name}/series: what was measured, expected and recommended over time, for a picture of some width."""
