"""The topology and the load that a request describes, and the estimate computed from them: shared by several nouns."""
