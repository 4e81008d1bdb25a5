"""The nightly Spark job, which turns raw logs of tuples into rates and SCVs (squared coefficients of
variation) per window.
"""
