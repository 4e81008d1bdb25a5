"""The HTTP interface of the service: bodies, problems, security, sign-in, metrics."""
