"""Placements over HTTP: one task from rate to VM, and what is refused."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.machines.predictions import BLOB_TOPOLOGY
from tests.app.placement_examples import BLOB, REQUEST, SIZES, place, refuse

GOLDEN = Path(__file__).parents[3] / "golden"


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
