"""The real service, as a bridge speaks to it."""

from math import inf

import httpx
import pytest

from app.bridge.http_clients import Unanswered
from app.bridge.service_link import NotDecided, ServiceLink, contains
from app.bridge.stopping import Stop
from app.load.bodies.load import FPD_LOAD
from tests.app.bridge.flink_stand_in import FlinkStandIn, serving
from tests.app.processes import Service

POLICY = {"goal": {"t_max_seconds": 0.5}}


def make_link(client: httpx.Client, topology: str) -> ServiceLink:
    return ServiceLink(client, topology, Stop())


def test_a_policy_is_stored_once_and_another_one_is_told(client: httpx.Client, known: str):
    link = make_link(client, known)
    assert link.ensure_policy(POLICY) is None
    assert link.ensure_policy(POLICY) is None
    other = link.ensure_policy({"goal": {"t_max_seconds": 0.1}})
    assert other is not None
    assert other["goal"]["t_max_seconds"] == 0.5


def test_a_policy_that_cannot_be_is_refused_with_what_to_change(client: httpx.Client, known: str):
    with pytest.raises(NotDecided, match="#/goal"):
        make_link(client, known).ensure_policy({"goal": {}})


def test_why_there_is_no_decision_is_told(client: httpx.Client, known: str, name: str):
    with pytest.raises(NotDecided, match="policy"):
        make_link(client, known).decide()
    with pytest.raises(NotDecided, match="No topology"):
        make_link(client, f"{name}-other").decide()


def test_old_measurements_are_no_outage_of_the_service(client: httpx.Client, stored: str):
    link = make_link(client, stored)
    link.ensure_policy(POLICY)
    with pytest.raises(NotDecided, match="newest snapshot") as caught:
        link.decide()
    assert caught.value.kind == "stale-snapshots"


def test_a_decision_is_made_and_found_again(client: httpx.Client, stored: str):
    link = make_link(client, stored)
    assert link.find_last_change() is None
    assert make_link(client, "nowhere").find_last_change() is None
    link.ensure_policy({"goal": {"k_max": 23}, "max_snapshot_age_seconds": 1e9})
    made = link.decide()
    assert made.action != "hold"
    found = link.find_last_change()
    assert found is not None
    assert (found.id, found.processors) == (made.id, made.processors)
    assert link.record(made.id, {"state": "refused"})
    assert link.find_last_change() is None, "what was refused is no change"


def test_what_goes_on_waits_for_no_cooldown(client: httpx.Client, stored: str):
    link = make_link(client, stored)
    terms = {"goal": {"k_max": 23}, "max_snapshot_age_seconds": 1e9, "cooldown_seconds": 1e6}
    link.ensure_policy(terms)
    assert link.decide().action != "hold"
    later = FPD_LOAD | {"observed_at": "2026-11-18T00:01:00Z"}
    client.post(f"/v1/topologies/{stored}/snapshots", json=later)
    assert [one.code for one in link.decide().reasons][-1:] == ["cooldown"]
    assert link.decide(goes_on=True).action != "hold"


def test_e_t_is_estimated_for_what_runs(client: httpx.Client, stored: str):
    link = make_link(client, stored)
    now = link.estimate("ggk-whitt")
    assert now is not None
    assert 0.0 < now < 10.0
    crowded = FPD_LOAD | {"observed_at": "2026-11-18T00:01:00Z", "external_rate": 3200.0}
    client.post(f"/v1/topologies/{stored}/snapshots", json=crowded)
    assert link.estimate("ggk-whitt") == inf
    assert make_link(client, "nowhere").estimate("ggk-whitt") is None


def test_a_service_without_outcomes_is_noticed(client: httpx.Client, known: str):
    assert (
        make_link(client, known).record("00000000-0000-4000-8000-000000000000", {"state": "applied"}) is False
    )


def test_a_service_that_is_another_program_is_told(service: Service, known: str):
    with httpx.Client(base_url=service.url) as client:
        link = make_link(client, known)
        link.at = "/healthz?x="
        with pytest.raises(Unanswered, match="is it Headgate"):
            link.find_last_change()


def test_an_address_without_the_service_is_told_with_the_option():
    with (
        serving(FlinkStandIn()) as url,
        httpx.Client(base_url=url) as client,
        pytest.raises(
            Unanswered, match=r"answers 404 at /readyz\. Not found\. Is it Headgate\? Check --service"
        ),
    ):
        make_link(client, "t").reach()


def test_a_service_that_answers_is_reached(client: httpx.Client, known: str):
    make_link(client, known).reach()


def test_a_document_contains_another_one_where_it_says_all_of_it():
    assert contains({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 1}})
    assert not contains({"a": {"b": 1}}, {"a": {"b": 2}})
    assert not contains({"a": 1}, {"b": 1})
