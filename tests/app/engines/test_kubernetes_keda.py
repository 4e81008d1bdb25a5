"""ScaledObjects: valid by KEDA's schema, within bounds, and asking this service."""

from typing import Any
from urllib.parse import unquote, urlsplit

from app.engines.kubernetes import KedaTerms, make_keda_patch
from tests.app.engines.kubernetes_schemas import check

TERMS = KedaTerms("50% of it", "https://headgate.example/base/", {"a/b": (2, 9), "big": (1, None)})


def make(needs_key: bool = False) -> list[Any]:  # noqa: FBT001, FBT002
    terms = TERMS if not needs_key else KedaTerms(TERMS.topology, TERMS.service_url, TERMS.bounds, needs_key)
    body = make_keda_patch({"a/b": 7, "big": 80}, terms).body
    assert isinstance(body, list)
    return body


def test_keda_takes_every_object():
    for one in make() + make(needs_key=True):
        check(one)
        assert one["spec"]["triggers"][0]["metadata"].keys() >= {"url", "valueLocation", "targetValue"}


def test_replicas_lie_within_the_bounds_of_the_operator_and_never_reach_zero():
    specs = [one["spec"] for one in make()]
    assert [(one["minReplicaCount"], one["maxReplicaCount"]) for one in specs] == [(2, 9), (1, 160)]
    assert "big" in " ".join(make_keda_patch({"a/b": 7, "big": 80}, TERMS).notes)
    nobody = KedaTerms("t", "http://h", {})
    assert make_keda_patch({"x": 1}, nobody).body[0]["spec"]["maxReplicaCount"] == 100  # type: ignore[index,call-overload]


def test_the_address_is_that_of_the_operator():
    url = urlsplit(make()[0]["spec"]["triggers"][0]["metadata"]["url"])
    assert (url.scheme, url.netloc) == ("https", "headgate.example")
    assert url.path == "/base/v1/topologies/50%25%20of%20it/keda/a%2Fb"
    assert unquote(url.path).endswith("/50% of it/keda/a/b")


def test_a_service_with_keys_is_asked_with_one():
    trigger = make(needs_key=True)[0]["spec"]["triggers"][0]
    assert trigger["metadata"]["authMode"] == "bearer"
    assert trigger["authenticationRef"] == {"name": "headgate-key"}
    assert "authenticationRef" not in make()[0]["spec"]["triggers"][0]


def test_a_service_without_a_number_leaves_the_replicas_that_run_and_every_step_counts():
    for one, (least, count) in zip(make(), [(2, 7), (1, 80)], strict=True):
        fallback = one["spec"]["fallback"]
        assert fallback == {"failureThreshold": 3, "replicas": count, "behavior": "currentReplicas"}
        assert least <= fallback["replicas"] <= one["spec"]["maxReplicaCount"]
        rules = one["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
        assert [rules[way]["tolerance"] for way in ("scaleUp", "scaleDown")] == [0, 0]
    notes = " ".join(make_keda_patch({"a/b": 7}, TERMS).notes)
    assert "KEDA 2.17" in notes
    assert "HPAConfigurableTolerance" in notes
