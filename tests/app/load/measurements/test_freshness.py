"""The age of measurements: said with an estimate or a plan."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from tests.app.load.snapshots.test_routes import snapshot

SPLIT = {"k_max": 22}


@pytest.mark.parametrize(("call", "body"), [("estimate", {}), ("plans/min-latency", SPLIT)])
def test_old_measurements_answer_and_their_age_is_said(
    client: httpx.Client, stored: str, call: str, body: dict[str, Any]
):
    url = f"/v1/topologies/{stored}"
    old = client.post(f"{url}/{call}", json=body)
    assert old.status_code == (200 if call == "estimate" else 201)
    said = next(one for one in old.json()["diagnostics"] if one["code"] == "old-snapshots")
    assert "15 min" in said["detail"]
    client.post(f"{url}/snapshots", json=snapshot(0, observed_at=datetime.now(UTC).isoformat()))
    new = client.post(f"{url}/{call}", json=body).json()
    assert "old-snapshots" not in [one["code"] for one in new["diagnostics"]]
