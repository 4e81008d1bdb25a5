"""Stored topologies: revisions, ETags, and no lost update."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from app.load.bodies.topology import FPD
from tests.app.web.refusals import ONE, assert_refused


def test_a_stored_topology_reads_back_as_it_was_sent(client: httpx.Client, name: str):
    created = client.post("/v1/topologies", json=FPD | {"name": name})
    assert created.status_code == 201
    assert created.headers["Location"] == f"/v1/topologies/{name}"
    read = client.get(created.headers["Location"])
    assert read.json() == created.json()
    assert read.headers["ETag"] == created.headers["ETag"]
    assert read.json()["edges"] == FPD["edges"]
    assert read.json()["revision"] == 1
    assert read.json()["source"] == "posted"


def test_a_taken_name_is_refused_and_nothing_changes(client: httpx.Client, stored: str):
    before = client.get(f"/v1/topologies/{stored}")
    again = client.post("/v1/topologies", json={"name": stored, "operators": [{"name": "other"}]})
    assert again.status_code == 409
    assert again.json()["type"] == "topology-exists"
    assert client.get(f"/v1/topologies/{stored}").json() == before.json()


def test_put_makes_a_revision_and_older_ones_stay_readable(client: httpx.Client, stored: str):
    changed = client.put(f"/v1/topologies/{stored}", json={"name": stored, "operators": [{"name": "only"}]})
    assert changed.status_code == 200
    assert changed.json()["revision"] == 2
    assert client.get(f"/v1/topologies/{stored}").json()["operators"][0]["name"] == "only"
    assert client.get(f"/v1/topologies/{stored}?revision=1").json()["edges"] == FPD["edges"]
    missing = client.get(f"/v1/topologies/{stored}?revision=3")
    assert (missing.status_code, missing.json()["type"]) == (404, "unknown-revision")


def test_an_answer_can_be_edited_and_sent_back(client: httpx.Client, stored: str):
    document = client.get(f"/v1/topologies/{stored}").json()
    document["operators"][2]["max_processors"] = 4
    assert client.put(f"/v1/topologies/{stored}", json=document).json()["revision"] == 2
    # Sent a second time it is one revision behind, and would undo what others did since.
    again = client.put(f"/v1/topologies/{stored}", json=document)
    assert (again.status_code, again.json()["type"]) == (412, "revision-conflict")


def test_if_match_lets_only_one_of_many_writers_win(client: httpx.Client, stored: str):
    etag = client.get(f"/v1/topologies/{stored}").headers["ETag"]

    def change(count: int) -> int:
        body = {"name": stored, "operators": [{"name": "only", "min_processors": count}]}
        return client.put(f"/v1/topologies/{stored}", json=body, headers={"If-Match": etag}).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = sorted(pool.map(change, range(1, 9)))
    assert statuses == [200] + [412] * 7
    assert client.get(f"/v1/topologies/{stored}").json()["revision"] == 2


def test_if_match_takes_lists_and_stars_but_no_weak_tags(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}"
    body = {"name": stored, "operators": [{"name": "only"}]}
    etag = client.get(url).headers["ETag"]
    assert client.put(url, json=body, headers={"If-Match": f"W/{etag}"}).status_code == 412
    assert client.put(url, json=body, headers={"If-Match": f'"x", {etag}'}).status_code == 200
    assert client.put(url, json=body, headers={"If-Match": "*"}).status_code == 200


def test_an_unchanged_topology_is_not_sent_again(client: httpx.Client, stored: str):
    etag = client.get(f"/v1/topologies/{stored}").headers["ETag"]
    for sent in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        unchanged = client.get(f"/v1/topologies/{stored}", headers={"If-None-Match": sent})
        assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert client.get(f"/v1/topologies/{stored}", headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_topology_deleted_and_made_again_is_another(client: httpx.Client, stored: str):
    etag = client.get(f"/v1/topologies/{stored}").headers["ETag"]
    stale = client.delete(f"/v1/topologies/{stored}", headers={"If-Match": '"0-0"'})
    assert stale.status_code == 412
    assert client.delete(f"/v1/topologies/{stored}", headers={"If-Match": etag}).status_code == 204
    assert client.get(f"/v1/topologies/{stored}").json()["type"] == "unknown-topology"
    made_again = client.post("/v1/topologies", json=FPD | {"name": stored})
    assert made_again.headers["ETag"] != etag
    assert client.get(f"/v1/topologies/{stored}/snapshots").json()["items"] == []


def test_the_list_has_every_topology_once_across_pages(client: httpx.Client, name: str):
    names = [f"{name}-{position}" for position in range(5)]
    for one in names:
        client.post("/v1/topologies", json={"name": one, "operators": [{"name": "a"}]})
    url, found = "/v1/topologies?limit=2", []
    while url:
        page = client.get(url).json()
        assert len(page["items"]) <= 2
        found += [item["name"] for item in page["items"]]
        url = page["next"]
    assert found == sorted(found)
    assert [one for one in found if one in names] == names


def test_names_may_hold_what_platforms_put_into_them(client: httpx.Client, name: str):
    odd = f"Zähler v2.1 ({name}) & more?#%"
    created = client.post(
        "/v1/topologies", json={"name": odd, "operators": [{"name": "Source: Kafka -> Map/1"}]}
    )
    assert created.status_code == 201
    assert client.get(created.headers["Location"]).json()["name"] == odd


def test_put_cannot_rename(client: httpx.Client, stored: str):
    refused = client.put(f"/v1/topologies/{stored}", json=FPD | {"name": "another"})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "#/name"


def test_changing_or_deleting_what_is_not_there_is_404(client: httpx.Client, name: str):
    for answer in (
        client.get(f"/v1/topologies/{name}"),
        client.put(f"/v1/topologies/{name}", json=FPD | {"name": name}),
        client.delete(f"/v1/topologies/{name}"),
    ):
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["type"] == "unknown-topology"


def test_a_name_that_is_nearly_stored_is_answered_with_the_one_that_is(client: httpx.Client, stored: str):
    wrong = stored.replace("topology", "topolgy")
    for path in (f"/v1/topologies/{wrong}", f"/v1/topologies/{wrong}/snapshots"):
        problem = client.get(path).json()
        assert problem["type"] == "unknown-topology"
        assert problem["detail"].endswith(f"Did you mean {stored!r}?")
    assert "Did you mean" not in client.get("/v1/topologies/like-no-other").json()["detail"]
    load = {"observed_at": "2026-11-18T00:00:00Z", "external_rate": 1, "operators": {"detecter": {}}}
    problem = client.post(f"/v1/topologies/{stored}/snapshots", json=load).json()
    assert problem["detail"].endswith("Did you mean 'detector'?")


@pytest.mark.parametrize("tag", ['"', "garbage", '""', "W/*", '"1-1', "*, *", "\x7f", "ÿ", "x" * 5000, ","])
def test_an_if_match_that_names_no_revision_changes_nothing(client: httpx.Client, stored: str, tag: str):
    address = f"/v1/topologies/{stored}"
    before = client.get(address).json()
    headers = [(b"If-Match", tag.encode("latin-1"))]
    answer = client.put(address, json=ONE | {"name": stored}, headers=headers)
    assert answer.status_code in {400, 412}  # 400: a byte that HTTP itself refuses
    assert client.get(address).json() == before


@pytest.mark.parametrize("revision", ["0", "-1", "1.5", "x", "", "2147483648", "9" * 5000])
def test_revisions_that_cannot_be_are_refused(client: httpx.Client, stored: str, revision: str):
    assert_refused(client.get(f"/v1/topologies/{stored}?revision={revision}"), ["?revision"])
