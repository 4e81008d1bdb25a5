"""How service times vary at operators of which the topology says it, where nothing was measured: the owner's word.

Engines such as Flink measure how long services take on average, and not how they vary. What was measured wins.
"""

from dataclasses import replace

from planner.values import Load, Topology


def take_said_services(topology: Topology, load: Load) -> Load:
    """The load with the service_scv that the topology says, at operators where none was measured."""
    said = {
        operator.name: operator.service_scv
        for operator in topology.operators
        if operator.service_scv is not None
    }
    unmeasured = {
        name: one._replace(service_scv=said[name], is_scv_said=True)
        for name, one in load.operators.items()
        if name in said and one.service_scv is None
    }
    return replace(load, operators={**load.operators, **unmeasured}) if unmeasured else load
