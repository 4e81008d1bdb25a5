"""/v1/decisions/{id}/patch: the request, command or documents that carry out a decision."""
