"""What was known at a step: the newest measurements before it, and none that was filled in."""

from planner.workloads.line_forecasts import HISTORY, KnownRates
from planner.workloads.series import Measurement, regularise_workload


def test_what_was_filled_in_is_not_known():
    rates = [1.0, 2.0, None, 4.0, 5.0]
    known = KnownRates(
        regularise_workload([Measurement(60.0 * i, rate) for i, rate in enumerate(rates)], 60.0)
    )
    assert known.known_at(4) == [Measurement(0.0, 1.0), Measurement(60.0, 2.0), Measurement(180.0, 4.0)]
    assert known.known_at(3) == known.known_at(2)
    assert known.is_measured(0, 2)
    assert not known.is_measured(1, 3)
    assert not known.is_measured(4, 6)


def test_the_newest_measurements_are_known():
    many = [Measurement(60.0 * i, float(i)) for i in range(HISTORY + 10)]
    known = KnownRates(regularise_workload(many, 60.0)).known_at(HISTORY + 5)
    assert (known[0].rate, known[-1].rate, len(known)) == (5.0, HISTORY + 4.0, HISTORY)
