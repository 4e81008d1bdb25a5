"""`headgate demo`: a small topology with a day of measurements, to look at in the first minute."""
