"""Storm and Heron: one reader of spouts and bolts, and what is particular to each engine in its folder."""
