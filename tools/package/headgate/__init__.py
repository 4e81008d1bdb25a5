"""Tells stream-processing platforms how much to run, where, and why: `headgate --help`, and `headgate.client`."""
