"""The words that `headgate forecast` and `headgate backtest` share."""

import pytest

from app.jobs.backtests.schemas import BacktestRequest
from app.terminal.commands import Refused, refuse
from app.terminal.files import check_body
from app.terminal.series_files import describe_timing, write_verdict
from planner.vms.timing import InvalidQosTarget
from planner.workloads.series import Measurement, regularise_workload


def test_steps_are_told_as_times():
    series = regularise_workload([Measurement(1800.0 * step, 1.0 + step) for step in range(4)], None)
    body = BacktestRequest(interval_steps=10, startup_steps=2)
    assert describe_timing(series, body) == [
        "4 steps of 30 min",
        "decided every 10 steps (5 h)",
        "VMs start within 2 (1 h)",
    ]
    assert describe_timing(series, BacktestRequest(interval_steps=1))[1] == "decided every 1 step (30 min)"


def test_a_field_is_refused_by_the_name_of_its_option():
    with pytest.raises(Refused, match=r"^--startup-steps: ") as refused:
        check_body(BacktestRequest, {"startup_steps": -1})
    assert "#/" not in str(refused.value)
    with pytest.raises(Refused, match=r"^--workload: "):
        check_body(BacktestRequest, {"workload": ["nothing"]})


def test_a_refusal_has_the_type_of_the_problem_over_http():
    assert str(refuse(InvalidQosTarget(2.0))).startswith("invalid-qos-target: ")
    assert str(refuse(OSError("no such file"))) == "no such file"


def test_verdicts_are_words():
    assert [write_verdict(one) for one in (True, False, None)] == ["met", "MISSED", "no target"]
