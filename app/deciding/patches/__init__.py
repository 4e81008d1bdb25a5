"""/v1/decisions/{id}/patch: a decision as what to send to the platform."""
