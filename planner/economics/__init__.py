"""What a change of processors costs, and which processors cost least over the rates to come."""
