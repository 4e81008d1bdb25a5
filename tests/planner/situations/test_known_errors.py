"""The table of known errors is whole, and as models of queues would have it."""

from itertools import product

from planner.queueing.queueings import QUEUEINGS
from planner.situations.known_errors import ENTRIES, EVERYWHERE, KNOWN_ERRORS, SCVS, find_error


def test_every_kind_has_an_error_of_every_answer():
    assert set(KNOWN_ERRORS) == set(product(QUEUEINGS, ("calm", "bursty")))
    quantiles = {f"{time}, {level}" for time in ("total", "completion") for level in ("p50", "p95", "p99")}
    for row in KNOWN_ERRORS.values():
        assert {f"E[T], {knowledge}" for knowledge in (EVERYWHERE, ENTRIES, SCVS)} | quantiles <= set(row)
        assert all(0.0 < error < 1.0 for error in row.values())


def test_bursts_cost_truth_and_measuring_them_gives_it_back():
    for queueing in QUEUEINGS:
        calm, bursty = KNOWN_ERRORS[queueing, "calm"], KNOWN_ERRORS[queueing, "bursty"]
        assert all(calm[answer] < bursty[answer] for answer in calm)
        assert bursty[f"E[T], {EVERYWHERE}"] < bursty[f"E[T], {SCVS}"]


def test_the_worst_queueing_has_the_error():
    answer = "total, p99"
    found = find_error(["random", "keyed"], "calm", answer)
    assert found == max(KNOWN_ERRORS[queueing, "calm"][answer] for queueing in ("random", "keyed"))
