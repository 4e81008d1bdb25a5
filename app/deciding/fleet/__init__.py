"""/v1/plans/fleet: one budget of processors for many stored topologies."""
