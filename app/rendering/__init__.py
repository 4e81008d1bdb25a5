"""Draws pictures and charts, and writes reports."""
