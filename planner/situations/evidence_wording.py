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
    "mixed queueings": "operators whose tuples queue in different ways",
}
ARRIVALS = {
    "calm": "tuples that arrive without bursts",
    "bursty": "tuples that arrive in bursts",
    UNMEASURED: "tuples whose bursts were not measured",
}


def describe_evidence(kind: str, known_error: float | None) -> str:
    """Returns a sentence on the error of E[T] for inputs of this kind, such as `keyed, calm`."""
    queues, _, arrivals = kind.rpartition(", ")
    inputs = f"{QUEUES.get(queues, queues)}, and {ARRIVALS.get(arrivals, arrivals)}"
    if known_error is None and arrivals == UNMEASURED:
        return f"How far the estimated E[T] is from the true one depends on bursts of arrivals, for {inputs}."
    if known_error is None:
        return f"How far the estimated E[T] is from the true one is not known for {inputs}."
    error = write_percent(known_error)
    return f"The estimated E[T] differs from simulations by {error} on average, for {inputs}."
