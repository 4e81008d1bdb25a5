"""The topology and the load in a request, and the estimate computed from them: shared by several nouns."""
