"""The budget that topologies share, and the terms by which they do."""
