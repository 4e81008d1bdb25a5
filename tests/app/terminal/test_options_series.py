"""The options that both commands on workloads have are the same options."""

import inspect

from app.forecasts.vms.command import forecast
from app.jobs.backtests.command import backtest
from app.terminal import series


def test_both_commands_take_every_shared_option():
    shared = [
        value
        for name, value in vars(series).items()
        if name[0].isupper() and name not in {"Annotated", "Path"}
    ]
    assert len(shared) == 7
    for command in (backtest, forecast):
        taken = [option.annotation for option in inspect.signature(command).parameters.values()]
        assert all(option in taken for option in shared)
