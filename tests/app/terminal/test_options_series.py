"""The options that both commands on workloads have are the same options."""

import inspect

from app.forecasts.vms.command import forecast
from app.jobs.backtests.command import backtest
from app.terminal import options


def test_both_commands_take_every_shared_option():
    names = ("WorkloadFile", "MstFile", "AppOption", "MaxVms", "StepSeconds", "IntervalSteps", "StartupSteps")
    shared = [getattr(options, name) for name in names]
    for command in (backtest, forecast):
        taken = [option.annotation for option in inspect.signature(command).parameters.values()]
        assert all(option in taken for option in shared)
