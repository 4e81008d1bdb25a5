"""The REST service and its command line."""

import atexit
import gc

# Without this, a process ends with walks of the garbage collector over all that it has loaded: a third of the time of
# a short one.
atexit.register(gc.freeze)
