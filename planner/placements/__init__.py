"""Placements: the threads of each operator, mapped to slots of VMs."""
