"""Reads the input and writes the output of the command line."""
