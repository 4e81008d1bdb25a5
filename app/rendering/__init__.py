"""Pictures of workloads and backtests."""
