"""Checks of a load: every value that does not fit is refused with its pointer."""

from math import inf, nan

import pytest

from planner.errors import InvalidLoad
from planner.topology.flow import arrival_rates
from planner.values import IdcPoint, InstanceLoad, Load, OperatorLoad, ServiceBucket
from tests.planner.graphs import CHAIN, load_chain


@pytest.mark.parametrize(
    ("load", "pointer", "said"),
    [
        (load_chain(-1.0), "/external_rate", "-1"),
        (load_chain(nan), "/external_rate", "nan"),
        (load_chain(inf), "/external_rate", "inf"),
        (load_chain(10.0, **{"x/~y": OperatorLoad(1.0)}), "/operators/x~1~0y", "x/~y"),
        (load_chain(b=OperatorLoad(), c=OperatorLoad(arrival_rate=1.0)), "/operators", "b, c"),
        (Load(1.0, {}), "/operators", "a, b, c"),
        (load_chain(b=OperatorLoad(0.0)), "/operators/b/service_rate", "'b'"),
        (load_chain(b=OperatorLoad(nan)), "/operators/b/service_rate", "nan"),
        (load_chain(b=OperatorLoad(1.0, arrival_rate=-2.0)), "/operators/b/arrival_rate", "-2"),
        (load_chain(b=OperatorLoad(1.0, arrival_scv=inf)), "/operators/b/arrival_scv", "inf"),
        (load_chain(b=OperatorLoad(1.0, service_scv=-0.1)), "/operators/b/service_scv", "-0.1"),
        (load_chain(b=OperatorLoad(1.0, processors=0)), "/operators/b/processors", "0"),
        (load_chain(b=OperatorLoad(5e-324)), "/operators/b/service_rate", "5e-324"),
        (load_chain(b=OperatorLoad(1.0, wait_factor=1e308)), "/operators/b/wait_factor", "1e+308"),
        (
            load_chain(b=OperatorLoad(1.0, arrival_idc=(IdcPoint(5e-324, 1.0),))),
            "/operators/b/arrival_idc/0",
            "windows",
        ),
        (
            load_chain(b=OperatorLoad(1.0, instances=(InstanceLoad("x", 5e-324),))),
            "/operators/b/instances/0/share",
            "'x'",
        ),
        (
            load_chain(b=OperatorLoad(1.0, instances=(InstanceLoad("x", 0.0),))),
            "/operators/b/instances",
            "share",
        ),
        (
            load_chain(b=OperatorLoad(1.0, service_histogram=(ServiceBucket(1.0, 0),))),
            "/operators/b/service_histogram",
            "no service",
        ),
        (
            load_chain(0.0, b=OperatorLoad(1.0, arrival_rate=1.0)),
            "/operators/b/arrival_rate",
            "external_rate",
        ),
        (load_chain(1e10), "/operators/a/service_rate", "Check the units"),
        (Load(1.0, load_chain().operators, measured_sojourn_seconds=-1.0), "/measured_sojourn_seconds", "-1"),
    ],
)
def test_a_load_that_does_not_fit_is_refused_with_its_pointer(load: Load, pointer: str, said: str) -> None:
    with pytest.raises(InvalidLoad) as caught:
        arrival_rates(CHAIN, load)
    assert caught.value.pointer == pointer
    assert said in str(caught.value)
