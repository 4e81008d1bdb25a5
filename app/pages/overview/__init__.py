"""/v1/overview: every topology in a line, the one that needs somebody most first."""
