"""/v1/topologies/{name}/what-if: another load, budget or target, and all allocations between too few and too many."""
