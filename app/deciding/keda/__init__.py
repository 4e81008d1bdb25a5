"""/v1/topologies/{name}/keda/{operator}: the processors of one operator, as KEDA asks for them."""
