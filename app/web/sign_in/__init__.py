"""/v1/session: what the caller may do; a browser signs in and out."""
