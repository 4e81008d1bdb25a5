"""What the clients offer: each function makes a call of the service. docs/guides/platform-engineer.md says what to use.

Topologies, loads, snapshots and policies are mappings in the form of the HTTP interface; further `terms` of a body,
such as k_max=22 or model="mmk", are given by name.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal
from urllib.parse import quote

from app.client.answers import (
    DecisionFields,
    EstimateFields,
    FleetDecisionFields,
    FleetPlanFields,
    GateFields,
    OutcomeFields,
    OverviewFields,
    PlanFields,
    ReplayFields,
    StoredCounts,
    TopologyFields,
    TopologySummaryFields,
    WhatIfFields,
)
from app.client.exchanges import Call

Fields = Mapping[str, Any]
Objective = Literal["min-latency", "min-processors", "tradeoff", "proportional"]


def estimate(topology: Fields, load: Fields, **terms: Any) -> Call[EstimateFields]:
    """How long a tuple takes, with the processors of the load or of `processors`."""
    return Call("POST", "/v1/estimate", {"topology": topology, "load": load, **terms})


def plan(objective: Objective, topology: Fields, load: Fields, **terms: Any) -> Call[PlanFields]:
    """The best split of processors for an objective, such as "min-latency" with k_max=22."""
    return Call("POST", f"/v1/plans/{objective}", {"topology": topology, "load": load, **terms})


def gate(topology: Fields, load: Fields, **terms: Any) -> Call[GateFields]:
    """Whether a deployment carries a load, within t_max_seconds=... and the like."""
    return Call("POST", "/v1/gate", {"topology": topology, "load": load, **terms})


def create_topology(topology: Fields) -> Call[TopologyFields]:
    """Stores a new topology; its name must be free."""
    return Call("POST", "/v1/topologies", topology, stores=True)


def change_topology(name: str, topology: Fields) -> Call[TopologyFields]:
    """Stores a new revision of a topology."""
    return Call("PUT", at(name), topology)


def delete_topology(name: str) -> Call[None]:
    """Deletes a topology with all that is stored of it."""
    return Call("DELETE", at(name))


def topology(name: str) -> Call[TopologyFields]:
    """The newest revision of a topology."""
    return Call("GET", at(name))


def topologies() -> Call[list[TopologySummaryFields]]:
    """All topologies, by name."""
    return Call("GET", "/v1/topologies", is_list=True)


def push(name: str, snapshots: Fields | Sequence[Fields]) -> Call[StoredCounts]:
    """Stores one snapshot of the load, or several; one of the same time is replaced."""
    return Call("POST", f"{at(name)}/snapshots", snapshots, stores=True)


def estimate_stored(name: str, **terms: Any) -> Call[EstimateFields]:
    """As estimate, for the newest snapshot."""
    return Call("POST", f"{at(name)}/estimate", terms)


def plan_stored(name: str, objective: Objective, **terms: Any) -> Call[PlanFields]:
    """As plan, for the newest snapshot; the plan is stored."""
    return Call("POST", f"{at(name)}/plans/{objective}", terms, stores=True)


def gate_stored(name: str, **terms: Any) -> Call[GateFields]:
    """As gate, for the newest snapshot."""
    return Call("POST", f"{at(name)}/gate", terms)


def policy(name: str) -> Call[dict[str, Any]]:
    """The policy of a topology."""
    return Call("GET", f"{at(name)}/policy")


def set_policy(name: str, policy: Fields) -> Call[dict[str, Any]]:
    """Stores what a topology is to keep to, such as {"goal": {"t_max_seconds": 0.3}}."""
    return Call("PUT", f"{at(name)}/policy", policy)


def decide(name: str, *, store: bool = True, **terms: Any) -> Call[DecisionFields]:
    """What should change now, and why; with store=False a trial, which begins nothing."""
    return Call("POST", f"{at(name)}/decisions", {"store": store, **terms}, stores=store)


def decision(decision_id: str) -> Call[DecisionFields]:
    """A stored decision."""
    return Call("GET", f"/v1/decisions/{quote(decision_id, safe='')}")


def patch(decision_id: str, form: str) -> Call[dict[str, Any]]:
    """A decision in the words of an engine: what to send where, for flink, storm, heron, keda, kubernetes, ..."""
    place = f"/v1/decisions/{quote(decision_id, safe='')}/patch"
    return Call("GET", place, query={"format": form})


def record_outcome(decision_id: str, outcome: Fields) -> Call[OutcomeFields]:
    """Tells the service what became of a decision, such as {"state": "applied"}."""
    return Call("PUT", f"/v1/decisions/{quote(decision_id, safe='')}/outcome", outcome)


def overview() -> Call[list[OverviewFields]]:
    """Every topology, the most urgent first."""
    return Call("GET", "/v1/overview", is_list=True)


def plan_fleet(k_max: int | None = None, **terms: Any) -> Call[FleetPlanFields]:
    """What each topology gets of one budget; further terms: topologies={"label": ...}, load_factor=1.3, new=[...]."""
    return Call("POST", "/v1/plans/fleet", ({} if k_max is None else {"k_max": k_max}) | terms)


def fleet_policy() -> Call[dict[str, Any]]:
    """The policy of the fleet: its budget, and who shares it."""
    return Call("GET", "/v1/fleet/policy")


def set_fleet_policy(policy: Fields) -> Call[dict[str, Any]]:
    """Stores the policy of the fleet, such as {"k_max": 500}."""
    return Call("PUT", "/v1/fleet/policy", policy)


def decide_fleet() -> Call[FleetDecisionFields]:
    """Decides about all topologies that share the budget, and stores a decision of each."""
    return Call("POST", "/v1/fleet/decisions", stores=True)


def fleet_decision() -> Call[FleetDecisionFields]:
    """The newest decision of the fleet."""
    return Call("GET", "/v1/fleet/decisions/latest")


def what_if(name: str, **terms: Any) -> Call[WhatIfFields]:
    """What another load, or another number of processors, would mean."""
    return Call("POST", f"{at(name)}/what-if", terms)


def simulate_stored(name: str, **terms: Any) -> Call[dict[str, Any]]:
    """Simulates the newest load tuple by tuple; a long simulation is queued, and the answer says so."""
    return Call("POST", f"{at(name)}/simulations", terms, stores=True)


def replay(name: str, **terms: Any) -> Call[ReplayFields]:
    """What a policy would have done over stored snapshots; `from` is given as **{"from": ...}."""
    return Call("POST", f"{at(name)}/policy/replay", terms)


def report(name: str, form: Literal["markdown", "html"] = "markdown") -> Call[str]:
    """The report on the newest decision, as text."""
    return Call("GET", f"{at(name)}/report", query={"format": form}, is_text=True)


def at(name: str) -> str:
    """The path of a topology."""
    return f"/v1/topologies/{quote(name, safe='')}"
