"""What the routes, the command line and the OpenAPI document need to know of an objective."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.load.bodies.terms import Described, Measured
from planner.quantiles.spread import add_spread
from planner.values import Load, Plan, Topology


class TermOption(NamedTuple):
    """A field of the request that is an option of `headgate plan NAME`."""

    field: str
    flags: tuple[str, ...]
    help: str


@dataclass(frozen=True)
class PlanObjective:
    """One objective: its requests, its texts and its planner call.

    `plan` takes a body of either request type, beside the topology and the load that the body describes or that are
    stored. `problems` are the problem types that this objective has beside those of every plan.
    """

    name: str
    summary: str
    description: str
    command_help: str
    request: type[Described]
    stored_request: type[Measured]
    plan: Callable[[Topology, Load, Any], Plan]
    options: tuple[TermOption, ...]
    problems: tuple[str, ...] = ()

    def compute(self, topology: Topology, load: Load, body: Any) -> Plan:
        """The plan, with the quantiles that the body asks for."""
        found = self.plan(topology, load, body)
        if body.quantiles is None or found.estimate.total is not None:
            return found
        return found._replace(
            estimate=add_spread(
                topology, load, found.estimate, body.quantiles, body.roots, body.seed, is_open=True
            )
        )

    @property
    def call(self) -> str:
        """The name as Python and the metrics write it: min_latency."""
        return self.name.replace("-", "_")
