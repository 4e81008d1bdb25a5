"""Pictures, charts, plots and reports."""
