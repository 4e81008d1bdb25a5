"""How matplotlib is set up in this process, and the lock under which it draws."""

import threading
import warnings

import matplotlib as mpl

mpl.rcdefaults()  # a matplotlibrc on this machine must not change the pictures
mpl.rcParams["svg.hashsalt"] = "headgate"  # without a salt the ids in an SVG are random
mpl.rcParams["svg.fonttype"] = "none"  # text stays text: it can be searched and read aloud, and is small
# A letter that the font lacks is drawn as a box; a warning in the log would help no operator.
warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)

DRAWING = threading.Lock()
"""One picture at a time: matplotlib is not safe for threads."""
