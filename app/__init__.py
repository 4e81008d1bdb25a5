"""The REST service of Headgate and its command line."""

import atexit
import gc
import sys

# At its end a process lets the garbage collector walk over all that it has loaded: a third of the time of a short
# process. Frozen objects are left out of these walks. Where DuckDB is loaded nothing is frozen: its bindings would
# report every object that is still there as leaked.
atexit.register(lambda: gc.freeze() if "duckdb" not in sys.modules else None)
