"""Processes that compute queued jobs: backtests and simulations."""
