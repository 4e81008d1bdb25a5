"""The basis of an answer: which stored data it was computed from."""

import httpx

from tests.app.load.snapshots.test_routes import snapshot


def test_the_basis_names_the_revision_and_the_snapshots(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}"
    client.post(f"{url}/snapshots", json=[snapshot(minute) for minute in range(1, 5)])
    document = client.get(url).json()
    client.put(url, json=document)
    for call, terms in (("estimate", {}), ("plans/min-latency", {"k_max": 22}), ("gate", {"k_max": 22})):
        age = {"max_snapshot_age_seconds": 1e9} if call == "gate" else {}
        body = {"smoothing": {"kind": "window", "size": 3}} | terms | age
        answer = client.post(f"{url}/{call}", json=body)
        assert answer.status_code == (201 if call.startswith("plans/") else 200), answer.text
        assert answer.json()["basis"] == {
            "topology": stored,
            "revision": 2,
            "snapshots": 3,
            "first_observed_at": "2026-11-18T00:02:00Z",
            "last_observed_at": "2026-11-18T00:04:00Z",
        }


def test_what_was_found_in_the_data_comes_before_what_was_found_in_the_estimate(
    client: httpx.Client, stored: str
):
    smaller = {"name": stored, "operators": [{"name": "generator"}, {"name": "detector"}]}
    assert client.put(f"/v1/topologies/{stored}", json=smaller).status_code == 200
    answer = client.post(f"/v1/topologies/{stored}/estimate").json()
    codes = [one["code"] for one in answer["diagnostics"]]
    assert codes[:2] == ["operator-not-in-topology", "old-snapshots"]
    assert "scv-assumed" in codes[2:]
