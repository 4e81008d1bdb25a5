"""ARMA models: what they expect, and which one fits a series."""
