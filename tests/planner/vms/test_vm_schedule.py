"""VM schedules: the fewest VMs that meet the target together, with reasons that add up."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.vms.timing import Timing
from planner.vms.vm_schedule import VmQuestion, choose_together, forecast_vms, windows_ahead
from planner.workloads.errors import ConstantWorkload, InvalidSchedule, WorkloadTooShort
from planner.workloads.series import Measurement, regularise_workload
from planner.workloads.window import Window
from tests.planner.imai import training_samples, worldcup_week

falling = st.lists(st.integers(0, 64), min_size=4, max_size=4).map(
    lambda counts: [count / 64 for count in sorted(counts, reverse=True)]
)


@settings(max_examples=60)
@given(shares=st.lists(falling, min_size=1, max_size=3), allowed=st.floats(0.0, 0.9))
def test_the_schedule_meets_the_target_and_no_single_vm_can_go(
    shares: list[list[float]], allowed: float
) -> None:
    unserved = np.array(shares)
    chosen = choose_together(unserved, allowed)

    def mean_share(counts: tuple[int, ...]) -> float:
        return float(np.mean([row[count - 1] for row, count in zip(unserved, counts, strict=True)]))

    possible = [
        counts for counts in product(range(1, 5), repeat=len(shares)) if mean_share(counts) <= allowed
    ]
    if not possible:
        assert mean_share(tuple(chosen)) == mean_share((4,) * len(shares))
        return
    assert mean_share(tuple(chosen)) <= allowed
    # A common price finds the best schedule up to what one interval can save.
    best = min(sum(counts) for counts in possible)
    assert sum(chosen) <= best + 3
    if len(shares) == 1:
        assert sum(chosen) == best


def ask(policy: str, **fields: object) -> VmQuestion:
    rates = worldcup_week()[500:1100] / 10.0
    measurements = [Measurement(60.0 * i, float(rate)) for i, rate in enumerate(rates)]
    return VmQuestion(regularise_workload(measurements), training_samples("grep"), policy, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("policy", ["headgate", "mst", "mst+ua", "mst+ua;arma", "5"])
def test_every_reason_adds_up(policy: str) -> None:
    forecast = forecast_vms(ask(policy, intervals=4))
    for interval in forecast.intervals:
        reason = interval.reason
        assert reason.vms == reason.vms_for_mean + reason.vms_for_model + reason.vms_for_forecast
        assert min(reason.vms_for_mean, reason.vms_for_model, reason.vms_for_forecast) >= 0
        assert reason.meets_target
    assert forecast.intervals[0].from_seconds == 60.0 * 601
    assert forecast.intervals[3].to_seconds == 60.0 * 641


def test_doubt_costs_more_the_further_ahead_it_looks() -> None:
    one = forecast_vms(ask("mst;arma", intervals=6)).intervals
    widths = [interval.reason.vms_for_forecast for interval in one]
    assert widths[0] <= widths[-1]
    assert one[0].reason.vms_for_model == 0


def test_the_first_interval_begins_when_vms_asked_for_now_are_ready() -> None:
    question = ask("mst", timing=Timing(5, 3), intervals=2)
    assert windows_ahead(question) == [Window(3, 7), Window(8, 12)]
    assert windows_ahead(ask("mst", timing=Timing(5, 0)))[0] == Window(1, 5)


def test_extrapolation_is_said() -> None:
    question = ask("mst+ua;arma", qos_target=0.999, intervals=1)
    scaled = regularise_workload(
        [Measurement(60.0 * i, rate * 1.5) for i, rate in enumerate(question.workload.rates)]
    )
    forecast = forecast_vms(VmQuestion(scaled, question.samples, "mst+ua;arma", 0.999))
    assert forecast.intervals[0].reason.vms > 24
    assert "mst-extrapolated" in {one.code for one in forecast.diagnostics}


@pytest.mark.parametrize("policy", ["headgate", "mst;arma"])
def test_policies_that_forecast_need_a_series_that_varies(policy: str) -> None:
    short = regularise_workload([Measurement(60.0 * i, float(i)) for i in range(99)])
    constant = regularise_workload([Measurement(60.0 * i, 3.0) for i in range(200)])
    with pytest.raises(WorkloadTooShort):
        forecast_vms(VmQuestion(short, training_samples("grep"), policy))
    with pytest.raises(ConstantWorkload):
        forecast_vms(VmQuestion(constant, training_samples("grep"), policy))
    assert forecast_vms(VmQuestion(constant, training_samples("grep"), "mst")).intervals[0].reason.vms == 4


@pytest.mark.parametrize("intervals", [0, 25])
def test_as_many_intervals_as_nobody_waits_for_are_refused(intervals: int) -> None:
    with pytest.raises(InvalidSchedule, match="1 to 24"):
        forecast_vms(ask("mst", intervals=intervals))
