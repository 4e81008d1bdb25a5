"""How true an estimate is, in a sentence without the words of its kind."""

import pytest

from planner.queueing.queueings import QUEUEINGS
from planner.situations.evidence_wording import ARRIVALS, QUEUES, UNMEASURED, describe_evidence


def test_every_kind_of_input_has_words():
    assert set(QUEUES) == {*QUEUEINGS, "mixed queueings"}
    for queues, arrivals in ((queues, arrivals) for queues in QUEUES for arrivals in (*ARRIVALS, UNMEASURED)):
        said = describe_evidence(f"{queues}, {arrivals}", None)
        assert (QUEUES[queues] in said) == (arrivals in ARRIVALS)
        assert ARRIVALS.get(arrivals, "bursts of arrivals, which were not measured") in said


@pytest.mark.parametrize(
    ("kind", "error", "said"),
    [
        (
            "mixed queueings, bursts not measured",
            None,
            (
                "How far the estimated E[T] is off is known only where E[T] was measured too: it depends on bursts of "
                "arrivals, which were not measured."
            ),
        ),
        (
            "keyed, calm",
            None,
            (
                "How far the estimated E[T] is from the true one is not known for operators with a queue at each "
                "processor, to which tuples go by their key, and tuples that arrive without bursts that make "
                "queues long."
            ),
        ),
        (
            "shared, calm",
            0.029,
            (
                "The estimated E[T] differs from simulations by 2.9% on average, for operators whose processors share "
                "one queue, and tuples that arrive without bursts that make queues long."
            ),
        ),
    ],
)
def test_the_error_is_said_of_its_inputs(kind: str, error: float | None, said: str):
    assert describe_evidence(kind, error) == said
