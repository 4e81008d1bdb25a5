"""VM catalogues over HTTP: versions, and what is refused."""

import httpx


def test_a_catalogue_without_prices_is_refused_by_name(client: httpx.Client, name: str):
    refused = client.post("/v1/vm-catalogues", json={"name": name, "sizes": [{"name": "D1", "slots": 1}]})
    assert (refused.status_code, refused.json()["type"]) == (422, "invalid-catalogue")
    assert refused.json()["sizes"] == ["D1"]
    assert refused.json()["errors"][0]["pointer"] == "#/sizes"


def test_catalogues_have_versions_and_can_be_deleted(client: httpx.Client, name: str):
    for price in (0.1, 0.2):
        sizes = [{"name": "D1", "slots": 1, "hourly_price": price}]
        assert client.post("/v1/vm-catalogues", json={"name": name, "sizes": sizes}).status_code == 201
    assert client.get(f"/v1/vm-catalogues/{name}").json()["sizes"][0]["hourly_price"] == 0.2
    assert name in [item["name"] for item in client.get("/v1/vm-catalogues?limit=1000").json()["items"]]
    assert client.delete(f"/v1/vm-catalogues/{name}").status_code == 204
    assert client.delete(f"/v1/vm-catalogues/{name}").json()["type"] == "unknown-vm-catalogue"
