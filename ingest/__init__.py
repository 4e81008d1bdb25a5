"""The nightly Spark job: raw per-tuple logs become windowed rates and SCVs."""
