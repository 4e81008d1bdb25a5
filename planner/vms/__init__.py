"""Virtual machines ahead of time: throughput models, policies, schedules and backtests."""
