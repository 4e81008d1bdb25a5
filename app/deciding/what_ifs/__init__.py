"""/v1/topologies/{name}/what-if: another load, budget or target, and the best allocation of each number of
processors.
"""
