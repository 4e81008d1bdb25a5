"""The processes that compute queued jobs: backtests and simulations."""
