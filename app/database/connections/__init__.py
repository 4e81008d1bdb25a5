"""Connections to Postgres: transactions, deadlines, and how many there may be."""
