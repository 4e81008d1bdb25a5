"""Placements over HTTP: one task from rate to VM, what is stored, and what is refused."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.described.topology import FPD
from app.placements.schemas import BLOB_TOPOLOGY

GOLDEN = Path(__file__).parents[2] / "golden"
SIZES = [{"name": "D3", "slots": 4, "hourly_price": 0.4}, {"name": "D1", "slots": 1, "hourly_price": 0.1}]
BLOB = [
    {"threads": 1, "peak_rate": 2, "cpu": 0.067, "memory": 0.239},
    {"threads": 50, "peak_rate": 30, "cpu": 0.767, "memory": 0.314},
]
REQUEST: dict[str, Any] = {
    "topology": BLOB_TOPOLOGY,
    "external_rate": 100.0,
    "allocation": "mba",
    "mapping": "sam",
    "routing": "shuffle",
    "profiles": {"blob": BLOB},
    "vm_sizes": SIZES,
}


def place(client: httpx.Client, **changes: Any) -> dict[str, Any]:
    answer = client.post("/v1/placements", json=REQUEST | changes)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def refuse(client: httpx.Client, **changes: Any) -> dict[str, Any]:
    answer = client.post("/v1/placements", json=REQUEST | changes)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    return problem


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((GOLDEN / "model_driven_scheduling.json").read_text("utf-8"))
    return document


def describe(published: dict[str, Any], name: str) -> dict[str, Any]:
    """A published topology as a request has it, its operators naming their profiles."""
    described = published["topologies"][name]
    operators = dict.fromkeys(end for edge in described["edges"] for end in edge)
    profiles = described["profiles"]
    return {
        "operators": [
            {"name": one} | ({"profile": profiles[one]} if one in profiles else {}) for one in operators
        ],
        "edges": [{"source": source, "target": target} for source, target in described["edges"]],
    }


# -- the stateless call ---------------------------------------------------------------------------------------


def test_the_answer_has_allocation_mapping_prediction_and_price(client: httpx.Client):
    answer = place(client)
    assert answer["allocation"]["slots"] == 4
    (task,) = answer["allocation"]["tasks"]
    assert (task["name"], task["rate"], task["threads"]) == ("blob", 100.0, 165)
    assert task["cpu"] == pytest.approx(3 + 0.067 + 0.7 * 14 / 49)
    assert task["memory"] == pytest.approx(3 + 0.239 + 0.075 * 14 / 49)
    mapping = answer["mapping"]
    assert (mapping["slots_used"], mapping["retries"]) == (4, 0)
    (vm,) = mapping["vms"]
    assert (vm["name"], vm["size"]) == ("vm-1", "D3")
    assert [slot["threads"] for slot in vm["slots"]] == [{"blob": 50}] * 3 + [{"blob": 15}]
    assert [(slot["cpu"], slot["memory"]) for slot in vm["slots"][:3]] == [(1.0, 1.0)] * 3
    prediction = answer["prediction"]
    # An equal share to each thread: the slots of 50 sustain 0.6/s for each of the 165.
    assert prediction["rate"] == pytest.approx(165 * 30 / 50)
    assert (prediction["binding_task"], prediction["meets_rate"]) == ("blob", False)
    assert prediction["vms"][0]["name"] == "vm-1"
    assert prediction["vms"][0]["cpu"] == pytest.approx(3 * 0.767 + 0.267)
    assert answer["hourly_price"] == 0.4
    assert place(client, routing="slot-aware")["prediction"]["meets_rate"] is True


def test_the_published_linear_dag_takes_the_published_slots(client: httpx.Client, published: dict[str, Any]):
    common = {
        "topology": describe(published, "linear"),
        "profiles": published["profiles"],
        "vm_sizes": published["vm_sizes"],
    }
    for printed in published["printed"]["linear"]:
        mba = place(client, **common, external_rate=printed["rate"])
        assert mba["mapping"]["slots_used"] == printed["mba_sam"]
        lsa = place(client, **common, external_rate=printed["rate"], allocation="lsa")
        assert lsa["allocation"]["slots"] == printed.get("lsa", lsa["allocation"]["slots"])


def test_a_comparison_has_every_pair_under_both_routings(client: httpx.Client):
    rows = place(client, compare=True)["comparison"]
    assert [(row["allocation"], row["mapping"]) for row in rows] == [
        (allocation, mapping)
        for allocation in ("lsa", "mba")
        for mapping in ("dsm", "rsm", "sam", "collocate")
    ]
    assert all(row["rate_shuffle"] <= row["rate_slot_aware"] for row in rows)
    assert place(client)["comparison"] is None


@pytest.mark.parametrize("mapping", ["dsm", "rsm", "sam", "collocate"])
@pytest.mark.parametrize("allocation", ["lsa", "mba"])
def test_every_pair_places_every_thread(client: httpx.Client, allocation: str, mapping: str):
    answer = place(client, allocation=allocation, mapping=mapping)
    placed = sum(slot["threads"].get("blob", 0) for vm in answer["mapping"]["vms"] for slot in vm["slots"])
    assert placed == answer["allocation"]["tasks"][0]["threads"]


def test_the_same_request_has_the_same_answer(client: httpx.Client):
    first, second = (client.post("/v1/placements", json=REQUEST | {"compare": True}).text for _ in range(2))
    assert first == second


def test_both_ways_to_buy_are_compared_and_either_can_be_taken(client: httpx.Client):
    body = {"external_rate": 130.0}  # 4 full slots and a part: 5 slots
    paper = place(client, **body)["acquisition"]
    assert paper["largest_first"] == {"vms": {"D3": 1, "D1": 1}, "slots": 5, "hourly_price": 0.5}
    dear = [{"name": "D3", "slots": 4, "hourly_price": 0.6}, SIZES[1]]
    cheapest = place(client, **body, vm_sizes=dear, acquisition="cheapest")
    assert cheapest["acquisition"]["cheapest"] == {"vms": {"D1": 5}, "slots": 5, "hourly_price": 0.5}
    assert cheapest["hourly_price"] == 0.5
    assert place(client, **body, vm_sizes=dear)["hourly_price"] == 0.7


def test_vms_that_are_there_are_filled_first(client: httpx.Client):
    vms = [{"name": "old", "slots": 3, "rack": "r1"}]
    answer = place(client, vms=vms)
    assert [(vm["name"], vm["rack"]) for vm in answer["mapping"]["vms"]] == [("old", "r1"), ("vm-1", None)]
    assert answer["hourly_price"] == 0.1
    (said,) = [said for said in answer["diagnostics"] if said["code"] == "prices-unknown"]
    assert "old" in said["detail"]
    priced = place(client, vms=[vms[0] | {"hourly_price": 0.0}])
    assert "prices-unknown" not in {said["code"] for said in priced["diagnostics"]}


def test_a_profile_that_no_operator_names_is_said(client: httpx.Client):
    codes = [said["code"] for said in place(client, profiles={"blob": BLOB, "blop": BLOB})["diagnostics"]]
    assert "unused-profile" in codes


def test_a_source_and_a_sink_alone_take_nothing(client: httpx.Client):
    topology = {
        "operators": [{"name": "a"}, {"name": "b"}],
        "edges": [{"source": "a", "target": "b"}],
    }
    answer = place(client, topology=topology, profiles={})
    assert (answer["allocation"]["slots"], answer["mapping"]["vms"], answer["hourly_price"]) == (0, [], 0)
    assert (answer["prediction"]["rate"], answer["prediction"]["meets_rate"]) == (None, None)
    assert [said["code"] for said in answer["diagnostics"]] == ["no-tasks"]
    vms = [{"name": "vm", "slots": [{"threads": {}}]}]
    predicted = client.post("/v1/predictions", json={"topology": topology, "vms": vms}).json()
    assert (predicted["rate"], predicted["binding_task"]) == (None, None), "no profile, no rate"


@pytest.mark.parametrize(
    ("changes", "kind", "pointer", "fields"),
    [
        ({"profiles": {}}, "missing-profile", "#/profiles", {"task": "blob", "rate": 100.0}),
        ({"profiles": {"blob": []}}, "invalid-profile", "#/profiles/blob", {"task": "blob"}),
        (
            {"profiles": {"blob": [BLOB[0] | {"memory": 1.5}]}},
            "invalid-profile",
            "#/profiles/blob",
            {"task": "blob", "threads": 1, "value": 1.5},
        ),
        (
            {"profiles": {"blob": [BLOB[0], BLOB[1] | {"peak_rate": 0}]}},
            "invalid-profile",
            "#/profiles/blob",
            {"task": "blob", "threads": 50, "value": 0.0},
        ),
        (
            {"vm_sizes": [{"name": "D3", "slots": 4}, SIZES[1]]},
            "invalid-catalogue",
            "#/vm_sizes",
            {"sizes": ["D3"]},
        ),
        (
            {"profiles": {"blob": [BLOB[0] | {"cpu": 4.5}]}, "mapping": "rsm"},
            "vm-too-small",
            "#/vm_sizes",
            {"task": "blob", "needed": 4.5, "capacity": 4.0},
        ),
        (
            {"vm_sizes": None, "vms": [{"name": "a", "slots": 2}]},
            "not-enough-slots",
            "#/vms",
            {"needed": 4, "available": 2},
        ),
        ({"external_rate": 1e14}, "placement-too-large", "#/external_rate", {"task": "blob"}),
        ({"vm_sizes": None}, "invalid-request", "#/vm_sizes", {}),
        ({"vm_sizes": None, "vm_catalogue": "nowhere"}, "invalid-request", "#/vm_catalogue", {}),
        (
            {"vms": [{"name": "a", "slots": 2}, {"name": "a", "slots": 2}]},
            "invalid-request",
            "#/vms/1/name",
            {},
        ),
        (
            {"topology": BLOB_TOPOLOGY | {"edges": [{"source": "blob", "target": "nowhere"}]}},
            "invalid-topology",
            "#/topology/edges/0/target",
            {},
        ),
        ({"external_rate": 0}, "invalid-request", "#/external_rate", {}),
    ],
)
def test_what_cannot_be_placed_is_refused_with_task_number_and_pointer(
    client: httpx.Client, changes: dict[str, Any], kind: str, pointer: str, fields: dict[str, Any]
):
    problem = refuse(client, **changes)
    assert (problem["type"], problem["errors"][0]["pointer"]) == (kind, pointer)
    assert {key: problem[key] for key in fields} == fields


def test_a_task_that_no_tuple_reaches_is_refused(client: httpx.Client):
    edges = [{"source": "source", "target": "blob", "selectivity": 0.0}, {"source": "blob", "target": "sink"}]
    entries = [{"operator": "source"}]
    problem = refuse(client, topology=BLOB_TOPOLOGY | {"edges": edges, "entries": entries})
    assert (problem["type"], problem["task"], problem["rate"]) == ("idle-task", "blob", 0.0)


def test_a_stored_task_that_no_tuple_reaches_is_no_part_of_the_body(client: httpx.Client, name: str):
    edges = [{"source": "source", "target": "blob", "selectivity": 0.0}, {"source": "blob", "target": "sink"}]
    stored = BLOB_TOPOLOGY | {"name": name, "edges": edges, "entries": [{"operator": "source"}]}
    assert client.post("/v1/topologies", json=stored).status_code == 201
    body = {"external_rate": 100.0, "vm_sizes": SIZES, "profiles": {"blob": BLOB}}
    problem = client.post(f"/v1/topologies/{name}/placements", json=body).json()
    assert (problem["type"], problem["errors"][0]["pointer"]) == ("idle-task", "#")


# -- prediction of a mapping that is posted -------------------------------------------------------------------


def test_a_posted_mapping_is_predicted(client: httpx.Client):
    body = {
        "topology": BLOB_TOPOLOGY,
        "profiles": {"blob": BLOB},
        "vms": [{"name": "mine", "slots": [{"threads": {"blob": 50}}, {"threads": {"blob": 1}}]}],
    }
    shuffled = client.post("/v1/predictions", json=body).json()
    assert shuffled["rate"] == pytest.approx(51 * 30 / 50)
    assert shuffled["meets_rate"] is None
    aware = client.post("/v1/predictions", json=body | {"routing": "slot-aware"}).json()
    assert (aware["rate"], aware["binding_task"]) == (32.0, "blob")
    assert [slot["cpu"] for slot in aware["vms"][0]["slots"]] == pytest.approx([0.767, 0.067])


def test_our_own_mapping_posted_back_is_predicted_alike(client: httpx.Client):
    answer = place(client)
    vms = [
        {"name": vm["name"], "slots": [{"threads": slot["threads"]} for slot in vm["slots"]]}
        for vm in answer["mapping"]["vms"]
    ]
    body = {key: REQUEST[key] for key in ("topology", "external_rate", "profiles", "routing")} | {"vms": vms}
    again = client.post("/v1/predictions", json=body).json()
    assert {key: again[key] for key in answer["prediction"]} == answer["prediction"]


def test_a_posted_mapping_of_an_unknown_task_is_refused(client: httpx.Client):
    body = {
        "topology": BLOB_TOPOLOGY,
        "profiles": {"blob": BLOB},
        "vms": [{"name": "mine", "slots": [{"threads": {"blop": 50}}]}],
    }
    problem = client.post("/v1/predictions", json=body)
    assert problem.status_code == 422
    assert problem.json()["errors"][0]["pointer"] == "#/vms/0/slots/0/threads"


# -- the library ----------------------------------------------------------------------------------------------


def test_a_profile_has_versions_that_stay(client: httpx.Client, name: str):
    first = client.post("/v1/profiles", json={"name": name, "points": BLOB, "measured_on": "a D1"})
    assert (first.status_code, first.headers["Location"]) == (201, f"/v1/profiles/{name}")
    second = client.post("/v1/profiles", json={"name": name, "points": BLOB[:1]})
    assert (first.json()["version"], second.json()["version"]) == (1, 2)
    assert len(client.get(f"/v1/profiles/{name}").json()["points"]) == 1
    old = client.get(f"/v1/profiles/{name}", params={"version": 1}).json()
    assert (len(old["points"]), old["measured_on"]) == (2, "a D1")
    assert client.delete(f"/v1/profiles/{name}").status_code == 204
    gone = client.get(f"/v1/profiles/{name}")
    assert (gone.status_code, gone.json()["type"]) == (404, "unknown-profile")


def test_profiles_are_listed_by_name_a_page_at_a_time(client: httpx.Client, name: str):
    names = [f"{name}-{at}" for at in range(3)]
    for one in [*names, names[0]]:
        assert client.post("/v1/profiles", json={"name": one, "points": BLOB}).status_code == 201
    listed, url = [], "/v1/profiles?limit=2"
    while url:
        page = client.get(url).json()
        listed += [(item["name"], item["version"]) for item in page["items"] if item["name"] in names]
        url = page["next"]
    assert listed == [(names[0], 2), (names[1], 1), (names[2], 1)]


def test_a_profile_that_no_slot_has_is_not_stored(client: httpx.Client, name: str):
    refused = client.post("/v1/profiles", json={"name": name, "points": [BLOB[0] | {"memory": 2.0}]})
    assert (refused.status_code, refused.json()["type"]) == (422, "invalid-profile")
    assert refused.json()["errors"][0]["pointer"] == "#/points"
    assert client.get(f"/v1/profiles/{name}").status_code == 404


def test_the_address_of_a_call_is_no_name(client: httpx.Client):
    refused = client.post("/v1/profiles", json={"name": "from-trials", "points": BLOB})
    assert refused.json()["errors"][0]["pointer"] == "#/name"
    assert client.get("/v1/profiles/from-trials").headers["Allow"] == "POST"


def steady(threads: int, rate: float, growth: float) -> dict[str, Any]:
    samples = [[float(at), 0.1 + growth * at] for at in range(0, 60, 10)]
    return {"threads": threads, "rate": rate, "samples": samples, "cpu": rate / 200, "memory": 0.2}


def test_a_profile_is_built_from_trials_with_its_evidence(client: httpx.Client, name: str):
    trials = [steady(1, 100.0, 0.0), steady(1, 110.0, 0.2), steady(4, 150.0, 0.0), steady(4, 160.0, 0.0)]
    built = client.post("/v1/profiles/from-trials", json={"name": name, "trials": trials})
    assert built.status_code == 201
    answer = built.json()
    assert [(point["threads"], point["peak_rate"]) for point in answer["points"]] == [(1, 100.0), (4, 160.0)]
    assert answer["evidence"][0]["smallest_unstable_rate"] == 110.0
    assert answer["evidence"][0]["verdicts"][1]["slope"] == pytest.approx(0.2)
    assert {gap["code"] for gap in answer["gaps"]} == {"peak-not-reached", "threads-not-tried"}
    assert client.get(f"/v1/profiles/{name}").json() == answer


def test_trials_without_a_stable_one_are_refused(client: httpx.Client, name: str):
    refused = client.post("/v1/profiles/from-trials", json={"name": name, "trials": [steady(1, 100.0, 1.0)]})
    assert (refused.status_code, refused.json()["type"]) == (422, "no-stable-point")
    assert (refused.json()["task"], refused.json()["smallest_rate"]) == (name, 100.0)


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


# -- stored topologies ----------------------------------------------------------------------------------------


@pytest.fixture
def placeable(client: httpx.Client, name: str) -> str:
    """A stored topology whose operator names a profile of the library, and a catalogue of the same name."""
    operators = [{"name": "source"}, {"name": "blob", "profile": name}, {"name": "sink"}]
    topology = BLOB_TOPOLOGY | {"name": name, "operators": operators}
    assert client.post("/v1/topologies", json=topology).status_code == 201
    assert client.post("/v1/profiles", json={"name": name, "points": BLOB}).status_code == 201
    assert client.post("/v1/vm-catalogues", json={"name": name, "sizes": SIZES}).status_code == 201
    return name


def test_a_stored_topology_is_placed_by_the_library_and_the_placement_stored(
    client: httpx.Client, placeable: str
):
    url = f"/v1/topologies/{placeable}/placements"
    placed = client.post(url, json={"external_rate": 100.0, "vm_catalogue": placeable})
    assert placed.status_code == 200, placed.text
    answer = placed.json()
    assert answer["profiles"] == [{"task": "blob", "profile": placeable, "version": 1}]
    assert {key: answer[key] for key in ("allocation", "mapping", "prediction", "hourly_price")} == {
        key: place(client)[key] for key in ("allocation", "mapping", "prediction", "hourly_price")
    }
    assert placed.headers["Content-Location"] == f"/v1/placements/{answer['id']}"
    assert client.get(f"/v1/placements/{answer['id']}").json() == answer
    (line,) = client.get(url).json()["items"]
    assert (line["id"], line["slots_used"], line["rate"]) == (answer["id"], 4, answer["prediction"]["rate"])


def test_without_a_rate_the_newest_snapshot_counts(client: httpx.Client, placeable: str):
    url = f"/v1/topologies/{placeable}"
    body = {"vm_catalogue": placeable}
    assert client.post(f"{url}/placements", json=body).json()["type"] == "no-snapshot"
    load = {
        "observed_at": "2026-11-18T00:00:00Z",
        "window_seconds": 60,
        "external_rate": 30.0,
        "operators": {},
    }
    assert client.post(f"{url}/snapshots", json=load).status_code == 201
    assert client.post(f"{url}/placements", json=body).json()["allocation"]["tasks"][0]["threads"] == 50
    silent = load | {"observed_at": "2026-11-18T00:01:00Z", "external_rate": 0.0}
    assert client.post(f"{url}/snapshots", json=silent).status_code == 201
    refused = client.post(f"{url}/placements", json=body)
    assert (refused.status_code, refused.json()["type"]) == (409, "stored-data-unusable")


def test_a_profile_sent_with_the_request_goes_before_the_librarys(client: httpx.Client, placeable: str):
    body = {"external_rate": 100.0, "vm_catalogue": placeable, "profiles": {"blob": BLOB[:1]}}
    answer = client.post(f"/v1/topologies/{placeable}/placements", json=body).json()
    assert answer["profiles"] == [{"task": "blob", "profile": "blob", "version": None}]
    assert answer["allocation"]["tasks"][0]["threads"] == 50


def test_an_operator_that_names_an_unknown_profile_is_pointed_at(client: httpx.Client):
    operators = [{"name": "source"}, {"name": "blob", "profile": "nowhere"}, {"name": "sink"}]
    problem = refuse(client, topology=BLOB_TOPOLOGY | {"operators": operators}, profiles={})
    assert problem["errors"][0]["pointer"] == "#/profiles"
    assert "'nowhere'" in problem["detail"]


def test_placements_of_a_topology_are_paged_newest_first(client: httpx.Client, placeable: str):
    url = f"/v1/topologies/{placeable}/placements"
    made = [
        client.post(url, json={"external_rate": rate, "vm_catalogue": placeable}).json()["id"]
        for rate in (10.0, 20.0, 30.0)
    ]
    listed, page_url = [], f"{url}?limit=2"
    while page_url:
        page = client.get(page_url).json()
        listed += [item["id"] for item in page["items"]]
        page_url = page["next"]
    assert listed == made[::-1]
    unknown = client.get("/v1/placements/00000000-0000-0000-0000-000000000000")
    assert (unknown.status_code, unknown.json()["type"]) == (404, "unknown-placement")
    assert client.get("/v1/placements/abc").status_code == 404  # as with plans: no such address


def test_a_topology_without_profiles_says_which_task_lacks_one(client: httpx.Client, name: str):
    client.post("/v1/topologies", json=FPD | {"name": name})
    body = {"external_rate": 10.0, "vm_sizes": SIZES}
    problem = client.post(f"/v1/topologies/{name}/placements", json=body).json()
    assert (problem["type"], problem["task"]) == ("missing-profile", "detector")
