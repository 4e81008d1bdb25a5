"""The objectives of plans: one file for each, and the list of them in `offered`."""
