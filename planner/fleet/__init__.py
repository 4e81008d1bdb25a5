"""How do many topologies share one budget of processors: who gets the next one, and who loses the first?"""
