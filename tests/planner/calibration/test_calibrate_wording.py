"""Calibrations in words."""

from planner.calibration.calibrate import WaitCalibration, describe_calibration, describe_calibrations
from planner.values import Operator, Topology

TOPOLOGY = Topology((Operator("said", queueing="random"), Operator("unsaid")))
OWN = WaitCalibration("said", 1.3, 1.34, 12, 0, 11, 0.21, 0.91)


def test_a_factor_says_what_was_measured_and_what_is_kept():
    assert describe_calibration(OWN) == (
        "The measured wait is 1.34 times the modelled one in 12 intervals, scattered by 21%; 91% of the difference is "
        "kept, the rest may be chance."
    )
    rest = WaitCalibration("unsaid", 8.0, 30.0, 1, shrinkage=1.0, is_bounded=True, is_of_total=True)
    said = describe_calibration(rest)
    assert said.startswith(
        "The rest of the measured total time is 30 times the modelled one in one interval;"
    )
    assert said.endswith("No factor is above 8 or below 1/8: the difference has another cause.")


def test_factors_and_what_was_measured_in_vain_are_two_diagnostics():
    unsaid = WaitCalibration("unsaid", 2.0, 2.0, 1)
    factors, vain = describe_calibrations(TOPOLOGY, [unsaid, WaitCalibration("said", gap="unstable")])
    assert (factors.code, factors.operators) == ("waits-calibrated", ("unsaid",))
    assert "unsaid 2." in factors.detail
    assert "The queueing of unsaid is not stated" in factors.detail
    assert (vain.code, vain.operators) == ("waits-not-calibrated", ("said",))
    assert "said (by the model it could not keep up)" in vain.detail
    (only,) = describe_calibrations(TOPOLOGY, [OWN, WaitCalibration("unsaid", gap="not-measured")])
    assert "queueing" not in only.detail
    assert describe_calibrations(TOPOLOGY, [WaitCalibration("unsaid", gap="not-measured")]) == ()


def test_of_many_operators_some_are_named():
    many = [WaitCalibration(f"o{place}", 1.5, 1.5, 1) for place in range(25)]
    (said,) = describe_calibrations(
        Topology(tuple([Operator(one.operator, queueing="keyed") for one in many])), many
    )
    assert said.detail.endswith("o19 1.5 and 5 more.")
    assert len(said.operators) == 25
