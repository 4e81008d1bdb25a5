"""Pass or fail of a deployment, with headroom and suggestion."""
