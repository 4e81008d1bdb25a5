"""/v1/topologies/{name}/report: the standing decision as one page for a ticket."""
