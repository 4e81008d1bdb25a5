"""/v1/topologies/{name}/past-forecasts: rates that decisions expected, beside the rates that were measured later."""
