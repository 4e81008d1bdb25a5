"""Bursts: how variable arrivals are at the length of time that matters, and how bursts travel."""
