"""What the fields of bodies may hold: a wrong value is refused at its pointer, and nothing is stored."""

import json
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
import yaml
from pydantic import ValidationError

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from app.load.snapshots.schemas import SnapshotBody
from app.web.fields import YEAR_SECONDS, move_time
from tests.app.web.refusals import PLAN, assert_refused, changed, send

BAD_TOPOLOGY: list[tuple[str, object, str]] = [
    ("#/operators", [], "#/operators"),
    ("#/operators", None, "#/operators"),
    ("#/operators", {"name": "a"}, "#/operators"),
    ("#/operators/0", "generator", "#/operators/0"),
    ("#/operators/0/name", "", "#/operators/0/name"),
    ("#/operators/0/name", "x" * 201, "#/operators/0/name"),
    ("#/operators/0/name", "a\x00b", "#/operators/0/name"),
    ("#/operators/0/name", "\ud800", "#/operators/0/name"),
    ("#/operators/0/name", " a", "#/operators/0/name"),
    ("#/operators/0/name", 7, "#/operators/0/name"),
    ("#/operators/0/stateful", "yes", "#/operators/0/stateful"),
    ("#/operators/0/stateful", 1, "#/operators/0/stateful"),
    ("#/operators/2/min_processors", 0, "#/operators/2/min_processors"),
    ("#/operators/2/min_processors", 1.0, "#/operators/2/min_processors"),
    ("#/operators/2/min_processors", True, "#/operators/2/min_processors"),
    ("#/operators/2/max_processors", 10**9 + 1, "#/operators/2/max_processors"),
    ("#/operators/2/max_processors", 10**30, "#/operators/2/max_processors"),
    ("#/operators/2/max_processors", "8", "#/operators/2/max_processors"),
    ("#/edges/0/selectivity", -1, "#/edges/0/selectivity"),
    ("#/edges/0/selectivity", float("nan"), "#/edges/0/selectivity"),
    ("#/edges/0/selectivity", float("inf"), "#/edges/0/selectivity"),
    ("#/edges/0/selectivity", "4", "#/edges/0/selectivity"),
    ("#/edges/0/selectivity", False, "#/edges/0/selectivity"),
    ("#/edges/0/selectivity", None, "#/edges/0/selectivity"),
    ("#/edges/0/weight", 1, "#/edges/0/weight"),
    ("#/entries/0/share", 0, "#/entries/0/share"),
    ("#/entries/0/share", "all", "#/entries/0/share"),
    ("#/entries/0/part", 1, "#/entries/0/part"),
    ("#/operators/1/state~ful/x", True, "#/operators/1/state~0ful~1x"),
    ("#/operator", [], "#/operator"),
    ("#/\ud800", [], "#"),
    ("#/name", "a/b", "#/name"),
    ("#/name", "..", "#/name"),
    ("#/name", None, "#/name"),
]


@pytest.mark.parametrize(("where", "value", "pointer"), BAD_TOPOLOGY)
def test_a_malformed_topology_is_refused_at_the_part_at_fault(
    client: httpx.Client, name: str, where: str, value: object, pointer: str
):
    if where == "#/operators/1/state~ful/x":
        body = FPD | {"name": name, "operators": [{"name": "generator"}, {"name": "b", "state~ful/x": True}]}
    else:
        body = changed(FPD | {"name": name}, where, value)
    assert_refused(send(client, "/v1/topologies", json.dumps(body)), [pointer])
    assert client.get(f"/v1/topologies/{name}").status_code == 404


BAD_LOAD: list[tuple[str, object, str]] = [
    ("#/external_rate", -1, "#/external_rate"),
    ("#/external_rate", None, "#/external_rate"),
    ("#/external_rate", float("nan"), "#/external_rate"),
    ("#/external_rate", float("-inf"), "#/external_rate"),
    ("#/external_rate", "320", "#/external_rate"),
    ("#/external_rate", True, "#/external_rate"),
    ("#/window_seconds", 0, "#/window_seconds"),
    ("#/observed_at", "2026-11-18T00:00:00", "#/observed_at"),
    ("#/observed_at", "yesterday", "#/observed_at"),
    ("#/observed_at", None, "#/observed_at"),
    ("#/measured_sojourn_seconds", -1, "#/measured_sojourn_seconds"),
    ("#/operators/detector/service_rate", 0, "#/operators/detector/service_rate"),
    ("#/operators/detector/service_rate", "130", "#/operators/detector/service_rate"),
    ("#/operators/detector/service_scv", -0.1, "#/operators/detector/service_scv"),
    ("#/operators/detector/arrival_scv", float("inf"), "#/operators/detector/arrival_scv"),
    ("#/operators/detector/processors", 1.5, "#/operators/detector/processors"),
    ("#/operators/detector/processors", 10**9 + 1, "#/operators/detector/processors"),
    ("#/operators/detector/speed", 1, "#/operators/detector/speed"),
    ("#/operators/detector", [], "#/operators/detector"),
    ("#/operators/stranger", {"service_rate": 1}, "#/operators/stranger"),
    ("#/operators/\ud800", {"service_rate": 1}, "#/operators"),
    ("#/operators", [], "#/operators"),
    ("#/rate", 3, "#/rate"),
]


@pytest.mark.parametrize(("where", "value", "pointer"), BAD_LOAD)
def test_a_malformed_snapshot_is_refused_at_the_part_at_fault(
    client: httpx.Client, stored: str, where: str, value: object, pointer: str
):
    before = client.get(f"/v1/topologies/{stored}/snapshots").json()
    path = f"/v1/topologies/{stored}/snapshots"
    bad = changed(FPD_LOAD, where, value)
    assert_refused(send(client, path, json.dumps(bad)), [pointer])
    good = FPD_LOAD | {"observed_at": "2026-11-18T01:00:00Z"}
    assert_refused(send(client, path, json.dumps([good, bad])), [pointer.replace("#", "#/1")])
    assert client.get(path).json() == before


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "Infinity", "-Infinity"])
def test_numbers_that_are_none_are_refused(client: httpx.Client, number: str):
    body = json.dumps(PLAN).replace('"external_rate": 1', f'"external_rate": {number}')
    assert_refused(send(client, "/v1/plans/min-latency", body), ["#/load/external_rate"])


@pytest.mark.parametrize(
    "moment", ["yesterday", "2026-11-18T00:00:00", "2026-11-18T00:00:00 00:00", "%00", ""]
)
def test_times_without_a_zone_are_refused(client: httpx.Client, stored: str, moment: str):
    assert_refused(client.get(f"/v1/topologies/{stored}/snapshots?from={moment}"), ["?from"])


def test_a_time_is_text_with_a_zone(client: httpx.Client, stored: str):
    """Pydantic would take 1731888000 for seconds and 1731888000000 for milliseconds."""
    for moment in (1731888000, 1731888000000, 0.5, "1731888000", "2026-11-18"):
        answer = client.post(f"/v1/topologies/{stored}/snapshots", json=FPD_LOAD | {"observed_at": moment})
        assert_refused(answer, ["#/observed_at"])


@pytest.mark.parametrize("odd", ["\x00", "a\x00b", "a\nb", "..", ".", " ", "x" * 201, "\ud800", "\ufffe"])
def test_names_that_no_topology_can_have_are_refused_in_addresses(client: httpx.Client, odd: str):
    address = "/v1/topologies/" + quote(odd, safe="", errors="surrogatepass").replace(".", "%2E")
    for method in ("GET", "DELETE"):
        assert client.request(method, address).status_code in {404, 422}
    assert client.request("GET", f"{address}/snapshots").status_code in {404, 422}


@pytest.mark.parametrize(
    ("schema", "field", "most"),
    [
        *[("Load", field, YEAR_SECONDS) for field in ("window_seconds", "covered_seconds")],
        *[("SnapshotBody", field, YEAR_SECONDS) for field in ("window_seconds", "covered_seconds")],
        *[
            ("PolicyBody", field, YEAR_SECONDS)
            for field in (
                "cooldown_seconds",
                "scale_down_window_seconds",
                "horizon_seconds",
                "catch_up_seconds",
            )
        ],
        ("PolicyBody", "max_snapshot_age_seconds", 1e9),
    ],
)
def test_a_length_of_time_that_the_calendar_must_hold_names_its_bound(schema: str, field: str, most: float):
    schemas = yaml.load(Path("openapi.yaml").read_text(), yaml.CSafeLoader)["components"]["schemas"]
    described = schemas[schema]["properties"][field]
    if "$ref" in described:
        described = schemas[described["$ref"].rpartition("/")[2]]
    kinds = [described, *described.get("anyOf", [])]
    assert [kind["maximum"] for kind in kinds if "maximum" in kind] == [most]


def test_a_measurement_is_not_of_before_1970_and_not_of_more_than_a_year():
    body = {"observed_at": "1970-01-01T00:00:00Z", "external_rate": 1.0, "operators": {}}
    assert SnapshotBody.model_validate(body | {"window_seconds": YEAR_SECONDS}).window_seconds == YEAR_SECONDS
    for refused in ({"window_seconds": YEAR_SECONDS + 1.0}, {"observed_at": "1969-12-31T23:59:59Z"}):
        with pytest.raises(ValidationError):
            SnapshotBody.model_validate(body | refused)


def test_a_time_beyond_the_calendar_is_unknown():
    first = datetime(1, 1, 1, tzinfo=UTC)
    assert move_time(first, -1.0) is None
    assert move_time(first, 1e15) is None
    assert move_time(first, 1.5) == datetime(1, 1, 1, 0, 0, 1, 500000, UTC)
