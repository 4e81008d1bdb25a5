"""The objectives of plans, one file for each, and their list in `offered`."""
