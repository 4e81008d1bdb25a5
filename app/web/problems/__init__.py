"""Errors: the exceptions, the table of problem types, and the answers that they become."""
