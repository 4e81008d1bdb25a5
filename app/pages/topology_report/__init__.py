"""/v1/topologies/{name}/report: the newest decision as one page for a ticket."""
