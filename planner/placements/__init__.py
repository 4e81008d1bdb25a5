"""Threads on slots and VMs."""
