"""How the service speaks HTTP: bodies, problems, security, documentation."""
