"""The sentence on how true an estimate is, from the kind of its input and the known error of that kind."""

from planner.queueing.queueings import KEYED, RANDOM, ROUND_ROBIN
from planner.situations.engine_errors import ENGINE_ERRORS
from planner.values import SHARED
from planner.wording import write_counted, write_percent

UNMEASURED = "bursts not measured"
ON_ENGINE = ", on a real "
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


def join_kind(queues: str, arrivals: str, engine: str) -> str:
    """The name of a kind of input; `engine` is the real engine on which its error was measured, or empty."""
    return f"{queues}, {arrivals}{ON_ENGINE}{engine}" if engine else f"{queues}, {arrivals}"


def split_kind(kind: str) -> tuple[str, str, str]:
    """The queues, the arrivals and the engine of a kind of input."""
    inputs, _, engine = kind.partition(ON_ENGINE)
    queues, _, arrivals = inputs.rpartition(", ")
    return queues, arrivals, engine


def describe_evidence(kind: str, known_error: float | None) -> str:
    """Returns a sentence on the error of E[T] for inputs of this kind, such as `keyed, calm`."""
    queues, arrivals, engine = split_kind(kind)
    where = QUEUES.get(queues, queues)
    if engine and known_error is not None:
        return (
            f"On a real {engine.capitalize()} the estimated E[T] of {write_counted(ENGINE_ERRORS[engine].jobs, 'job')} "
            f"differed from the E[T] that they measured by {write_percent(known_error)} on average, where as much was "
            "known of their services as here."
        )
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
