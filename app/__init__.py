"""The REST service and its command line."""

import atexit
import gc
import sys

# Without this, a process ends with walks of the garbage collector over all that it has loaded: a third of the time of
# a short one.
# DuckDB would report all that it holds as leaked.
atexit.register(lambda: gc.freeze() if "duckdb" not in sys.modules else None)
