"""Storm and Heron: one reader of spouts and bolts, and a folder with the particulars of each engine."""
