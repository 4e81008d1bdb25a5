"""docs/examples/grafana: a dashboard asks only for metrics and labels that /metrics really has."""

import json
import re
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.load.bodies.topology import FPD
from tests.app.decision_calls import ENOUGH, RATES, TARGET, put_policy
from tests.docs.consoles import ROOT

DASHBOARD: dict[str, Any] = json.loads((ROOT / "docs/examples/grafana/headgate.json").read_text())
TARGETS = [target for panel in DASHBOARD["panels"] for target in panel.get("targets", [])]
QUERIES = [target["expr"] for target in TARGETS] + [
    one["definition"] for one in DASHBOARD["templating"]["list"] if "definition" in one
]


@pytest.fixture(scope="module")
def metrics(client: httpx.Client) -> dict[str, set[str]]:
    """The labels of every sample on /metrics, of a service that decided about a topology."""
    name = "seen-in-grafana"
    client.post("/v1/topologies", json=FPD | {"name": name})
    began = datetime.now(UTC) - timedelta(seconds=61)
    operators = {one: {"service_rate": mu, "processors": ENOUGH[one]} for one, mu in RATES.items()}
    load = {"observed_at": began.isoformat(), "external_rate": 320.0, "measured_sojourn_seconds": 0.07}
    client.post(f"/v1/topologies/{name}/snapshots", json=load | {"operators": operators})
    put_policy(client, name, TARGET)
    assert client.post(f"/v1/topologies/{name}/decisions").status_code == 201
    found: dict[str, set[str]] = defaultdict(set)
    for family in text_string_to_metric_families(client.get("/metrics").text):
        for sample in family.samples:
            found[sample.name] |= sample.labels.keys()
    return found


@pytest.mark.parametrize("query", QUERIES)
def test_every_metric_and_label_of_a_query_is_on_metrics(query: str, metrics: dict[str, set[str]]):
    named = re.findall(r"headgate_\w+", query)
    assert named
    assert set(named) <= metrics.keys()
    labels = set().union(*(metrics[name] for name in named))
    grouped = re.findall(r"(?:by|ignoring) \(([^)]*)\)", query)
    asked = {one for group in grouped for one in re.split(r", ", group)}
    asked |= set(re.findall(r"(\w+)=~?\"", query))
    assert asked <= labels
    assert query.count("(") == query.count(")")


def test_legends_name_labels_that_their_query_keeps(metrics: dict[str, set[str]]):
    for target in TARGETS:
        named = re.findall(r"headgate_\w+", target["expr"])
        kept = set().union(*(metrics[name] for name in named))
        if grouped := re.search(r"by \(([^)]*)\)", target["expr"]):
            kept &= set(grouped[1].split(", "))
        assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= kept, target["expr"]


def test_panels_have_ids_of_their_own_and_do_not_overlap():
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    places = [panel["gridPos"] for panel in panels]
    assert all(place["x"] + place["w"] <= 24 for place in places)
    for one, other in combinations(places, 2):
        beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        above = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
        assert beside or above


def test_every_panel_asks_the_chosen_prometheus():
    names = {one["name"] for one in DASHBOARD["templating"]["list"]}
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(DASHBOARD)))
    assert used == names
    assert all(target["datasource"]["uid"] == "${datasource}" for target in TARGETS)
