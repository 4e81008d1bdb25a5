"""Rates over time: series, ARMA models and forecasts."""
