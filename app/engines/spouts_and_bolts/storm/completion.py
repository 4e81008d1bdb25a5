"""Storm's complete latency: the mean time from a spout's emit until the whole tree of the tuple was acknowledged."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from app.engines.numbers import divide, read_number
from app.engines.spouts_and_bolts.storm.components import Component
from app.engines.spouts_and_bolts.storm.fields import Page, read_milliseconds, read_window
from app.engines.spouts_and_bolts.storm.pages import StormPage, list_rows


class Completion(NamedTuple):
    """Mean seconds until a tuple's tree is done (None: not measured), tuples that failed, and the message timeout."""

    seconds: float | None
    failed: float
    timeout: float | None


def find_completion(topology: StormPage | None, components: Mapping[str, Component]) -> Completion:
    """By the spouts or their executors, by what was acknowledged; else by the topology's own row of the window.

    A latency of 0 was not measured: tuples without a message id, or no ackers, count as acknowledged at once.
    """
    spouts = [one for one in components.values() if one.kind == "spout"]
    row = find_window_row(topology)
    failed = read_number(row.get("failed")) or sum([one.failed or 0.0 for one in spouts])
    timeout = read_number(topology.body.get("msgTimeout")) if topology else None
    seconds = weigh([(one.acked, one.complete_latency) for one in spouts])
    if seconds is None:
        seconds = weigh([pair for one in spouts for pair in one.completions])
    if seconds is None:
        seconds = weigh([(read_number(row.get("acked")), read_milliseconds(row.get("completeLatency")))])
    return Completion(seconds, failed, timeout)


def find_window_row(topology: StormPage | None) -> Page:
    """The row of topologyStats of the page's window."""
    for row in list_rows(topology, "topologyStats"):
        if topology and topology.window is not None and read_window(row.get("window")) == topology.window:
            return row
    return {}


def weigh(acked: Iterable[tuple[float | None, float | None]]) -> float | None:
    """The mean latency over all that was acknowledged with a latency above 0."""
    known = [(count, latency) for count, latency in acked if count and latency]
    return divide(sum([count * latency for count, latency in known]), sum([count for count, _ in known]))
