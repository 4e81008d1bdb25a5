"""Calibration: factors of modelled waits from measured waits, operator by operator."""
