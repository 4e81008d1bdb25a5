"""The REST service and its command line."""
