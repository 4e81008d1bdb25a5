"""Draws pictures, charts and plots, and writes reports."""
