"""While the planner computes a decision or a recommendation, no statement goes to the database."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy.orm import Session

from app.deciding.decisions.schemas import DecisionRequest
from app.deciding.decisions.service import store_decision
from app.deciding.recommendations.schemas import RecommendationRequest
from app.deciding.recommendations.service import store_recommendation
from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from app.machines.profiles.schemas import AZURE_BLOB
from app.machines.vm_catalogues import AZURE_D_SIZES
from app.settings import Settings
from tests.app.planner_watch import watching

START = datetime(2026, 11, 18, tzinfo=UTC)
AT = START + timedelta(minutes=60)
STATE = {
    "key_groups": 128,
    "size_bytes": 1e6,
    "computing_bytes_per_second": [1e8],
    "bandwidth_bytes_per_second": [1e7],
}


@pytest.fixture
def known(client: httpx.Client, name: str) -> str:
    """A topology with an hour of snapshots, a last change, nodes, and a profile and a catalogue in the library."""
    operators = [one | {"profile": name} if one["name"] == "detector" else one for one in FPD["operators"]]  # type: ignore[index, union-attr, operator, call-overload]
    snapshots = [
        FPD_LOAD | {"observed_at": (START + timedelta(minutes=i)).isoformat(), "external_rate": 300.0 + i}
        for i in range(60)
    ]
    snapshots[-1] |= {"nodes": {"n0": {"cpu": 0.5, "memory": 0.4}}}
    for path, body in (
        ("profiles", {"name": name, "points": AZURE_BLOB}),
        ("vm-catalogues", {"name": name, "sizes": AZURE_D_SIZES}),
        ("topologies", FPD | {"name": name, "operators": operators}),
        (f"topologies/{name}/snapshots", snapshots),
    ):
        assert client.post(f"/v1/{path}", json=body).status_code == 201
    policy = {"goal": {"t_max_seconds": 0.1}, "cooldown_seconds": 0, "states": {"detector": STATE}}
    assert client.put(f"/v1/topologies/{name}/policy", json=policy).is_success
    first = client.post(
        f"/v1/topologies/{name}/decisions", json={"at": (AT - timedelta(minutes=9)).isoformat()}
    )
    assert first.json()["action"] != "hold", first.text
    return name


def test_a_decision_reads_first_computes_then_and_stores_last(
    session: Session, known: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watching(session, monkeypatch) as watch:
        store_decision(session, known, DecisionRequest(at=AT), Settings())
    assert watch.statements_while_timed == []
    assert watch.timed == 2  # the forecast of the rate, and the decision
    finding = [one for one in watch.statements if "topology_revisions.definition" in one]
    assert len(finding) == 1, "the topology is read once"


def test_a_recommendation_reads_first_computes_then_and_stores_last(
    session: Session, known: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = RecommendationRequest.model_validate({"at": AT, "placement": {"vm_catalogue": known}})
    with watching(session, monkeypatch) as watch:
        answer = store_recommendation(session, known, body, Settings())
    assert answer.placement is not None
    assert watch.statements_while_timed == []
    assert watch.timed == 3  # and the placement
    assert any("profiles" in one for one in watch.statements)
