"""The sentence on how true an estimate is, from the kind of its input and the known error of that kind."""

from planner.queueing.queueings import KEYED, RANDOM, ROUND_ROBIN
from planner.values import SHARED
from planner.wording import write_percent

UNMEASURED = "bursts not measured"
QUEUES = {
    SHARED: "operators whose processors share one queue",
    ROUND_ROBIN: "operators with a queue at each processor, to which tuples go in turn",
    RANDOM: "operators with a queue at each processor, to which tuples go at random",
    KEYED: "operators with a queue at each processor, to which tuples go by their key",
    "mixed queueings": "topologies whose operators queue in different ways",
}
ARRIVALS = {
    "calm": "tuples that arrive without bursts that make queues long",
    "bursty": "tuples that arrive in bursts",
}


def describe_evidence(kind: str, known_error: float | None) -> str:
    """Returns a sentence on the error of E[T] for inputs of this kind, such as `keyed, calm`."""
    queues, _, arrivals = kind.rpartition(", ")
    where = QUEUES.get(queues, queues)
    if known_error is None and arrivals == UNMEASURED:
        return (
            "How far the estimated E[T] is off is known only where E[T] was measured too: it depends on bursts of "
            "arrivals, which were not measured."
        )
    inputs = f"{where}, and {ARRIVALS.get(arrivals, arrivals)}"
    if known_error is None:
        return f"How far the estimated E[T] is from the true one is not known for {inputs}."
    error = write_percent(known_error)
    return f"The estimated E[T] differs from simulations by {error} on average, for {inputs}."
