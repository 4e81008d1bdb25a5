"""While the planner computes for a noun's call, no statement goes to the database."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy.orm import Session

from app.forecasts.vms.schemas import StoredVmForecastRequest
from app.forecasts.vms.service import forecast_stored as forecast_vms
from app.forecasts.workload.service import AccuracyTerms, WorkloadForecastTerms, judge_stored
from app.forecasts.workload.service import forecast_stored as forecast_workload
from app.jobs.backtests.service import trace_run
from app.load.throughput_samples.service import fit_stored
from app.machines.placements.schemas import PlacementRequest, StoredPlacementRequest
from app.machines.placements.service import place_described, place_stored
from app.machines.predictions import BLOB_TOPOLOGY, PredictionRequest, predict_rate
from app.settings import Settings
from tests.app.placement_examples import BLOB, SIZES
from tests.app.planner_watch import watching
from tests.app.series_examples import BEGAN

RATE = 100.0


@pytest.fixture
def placeable(client: httpx.Client, name: str) -> dict[str, Any]:
    """A stored topology whose operator names a stored profile, and a stored catalogue of the same name."""
    operators = [{"name": "source"}, {"name": "blob", "profile": name}, {"name": "sink"}]
    topology = BLOB_TOPOLOGY | {"operators": operators}
    for path, body in (
        ("topologies", topology | {"name": name}),
        ("profiles", {"name": name, "points": BLOB}),
        ("vm-catalogues", {"name": name, "sizes": SIZES}),
    ):
        assert client.post(f"/v1/{path}", json=body).status_code == 201
    return topology


PLACEMENTS: dict[str, Callable[[Session, str, dict[str, Any]], object]] = {
    "described": lambda session, name, topology: place_described(
        session,
        PlacementRequest.model_validate({"topology": topology, "external_rate": RATE, "vm_catalogue": name}),
        Settings(),
    ),
    "stored": lambda session, name, _: place_stored(
        session,
        name,
        StoredPlacementRequest.model_validate({"external_rate": RATE, "vm_catalogue": name, "compare": True}),
    ),
    "predicted": lambda session, _, topology: predict_rate(
        PredictionRequest.model_validate(
            {"topology": topology, "vms": [{"name": "a", "slots": [{"threads": {"blob": 50}}]}]}
        ),
        session,
        Settings(),
    ),
}


@pytest.mark.parametrize("call", PLACEMENTS)
def test_placements_and_predictions_read_before_they_compute(
    session: Session, name: str, placeable: dict[str, Any], call: str, monkeypatch: pytest.MonkeyPatch
):
    with watching(session, monkeypatch) as watch:
        PLACEMENTS[call](session, name, placeable)
    assert watch.statements_while_timed == []
    assert watch.timed == 1
    assert len([one for one in watch.statements if "profiles" in one]) == 1, "all profiles in one query"


FORECASTS: dict[str, Callable[[Session, str], object]] = {
    "vms": lambda session, name: forecast_vms(session, name, StoredVmForecastRequest(policy="mst+ua")),
    "workload": lambda session, name: forecast_workload(
        session, name, WorkloadForecastTerms(5, 0.9, 100, 50), BEGAN + timedelta(minutes=300)
    ),
    "accuracy": lambda session, name: judge_stored(session, name, AccuracyTerms((1, 4), 5, 0.9, 0.9), None),
    "model": lambda session, name: fit_stored(session, name, 64),
}


@pytest.mark.parametrize("call", FORECASTS)
def test_forecasts_read_before_they_compute(
    session: Session, grep_week: str, call: str, monkeypatch: pytest.MonkeyPatch
):
    with watching(session, monkeypatch) as watch:
        FORECASTS[call](session, grep_week)
    assert watch.statements_while_timed == []
    assert watch.timed == 1
    finding = [one for one in watch.statements if "topology_revisions" in one]
    assert len(finding) == 1, "the topology is read once"


def test_a_run_is_read_before_it_is_replayed(
    session: Session, finished: str, monkeypatch: pytest.MonkeyPatch
):
    with watching(session, monkeypatch) as watch:
        trace_run(session, UUID(finished.rpartition("/")[2]), "mst", 0)
    assert watch.statements_while_timed == []
    assert watch.timed == 1
