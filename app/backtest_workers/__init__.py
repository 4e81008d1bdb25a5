"""Processes that compute queued backtests."""
