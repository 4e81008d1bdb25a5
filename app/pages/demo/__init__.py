"""`headgate demo`: a small topology with a day of measurements, for a first look at Headgate."""
