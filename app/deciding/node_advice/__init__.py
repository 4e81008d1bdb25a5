"""The JSON of a decision's advice on nodes, instances and streams."""
