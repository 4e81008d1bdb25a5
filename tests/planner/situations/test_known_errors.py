"""The table of known errors is whole, and as models of queues would have it."""

from itertools import product

from planner.queueing.queueings import QUEUEINGS
from planner.situations.known_errors import ENTRIES, EVERYWHERE, KNOWN_ERRORS, QUANTILE_ERRORS, SCVS


def test_every_kind_has_an_error():
    assert set(KNOWN_ERRORS) == set(product(QUEUEINGS, ("calm", "bursty"), (EVERYWHERE, ENTRIES, SCVS)))
    assert all(0.0 < error < 1.0 for error in KNOWN_ERRORS.values())
    assert set(QUANTILE_ERRORS) == set(product(QUEUEINGS, ("calm", "bursty")))
    assert all(0.0 < error < 1.0 for pair in QUANTILE_ERRORS.values() for error in pair)


def test_bursts_cost_truth_and_measuring_them_gives_it_back():
    for queueing in QUEUEINGS:
        for knowledge in (EVERYWHERE, ENTRIES, SCVS):
            assert KNOWN_ERRORS[queueing, "calm", knowledge] < KNOWN_ERRORS[queueing, "bursty", knowledge]
        assert KNOWN_ERRORS[queueing, "bursty", EVERYWHERE] < KNOWN_ERRORS[queueing, "bursty", SCVS]
