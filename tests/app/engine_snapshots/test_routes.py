"""/v1/topologies/{name}/snapshots/from/{engine}: all that an engine's answers say is stored, or nothing."""

from typing import Any

import httpx
import pytest


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"answers": [{"path": "/jobs"}]}, "#/answers/0"),
        ({"answers": [{"at": "yesterday", "body": {}}]}, "#/answers/0/at"),
    ],
)
def test_an_answer_that_cannot_be_used_is_a_problem_that_names_it(
    client: httpx.Client, name: str, body: dict[str, Any], pointer: str
):
    refused = client.post(f"/v1/topologies/{name}/snapshots/from/flink", json=body)
    assert refused.status_code == 422
    assert [one["pointer"] for one in refused.json()["errors"]] == [pointer]


def test_an_unknown_engine_is_refused_with_the_names_of_those_that_are_known(client: httpx.Client, name: str):
    refused = client.post(f"/v1/topologies/{name}/snapshots/from/samza", json={})
    assert refused.status_code == 422
    assert "storm" in refused.json()["errors"][0]["detail"]
