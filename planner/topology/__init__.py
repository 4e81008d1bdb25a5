"""The topology: the graph, its cycles, the traffic equations and the measured load."""
