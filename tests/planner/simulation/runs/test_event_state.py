"""The records of a simulation event by event."""

import numpy as np

from planner.simulation.runs import event_state


def test_records_are_columns_of_eight_bytes_without_gaps():
    """Compiled code then reads each field at an aligned place."""
    for name in ("STATION", "LINK", "QUEUE", "SENDER", "ITEM", "VISIT"):
        kind: np.dtype[np.void] = getattr(event_state, name)
        assert kind.names is not None
        assert {kind[field] for field in kind.names} <= {np.dtype(np.int64), np.dtype(np.float64)}
        assert kind.itemsize == 8 * len(kind.names)
