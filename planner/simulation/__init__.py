"""Discrete-event simulation in compiled code; every formula of the planner is checked against it."""
