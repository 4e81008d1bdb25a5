"""/v1/topologies/{name}/past-forecasts: what decisions expected of the rate, beside what came."""
