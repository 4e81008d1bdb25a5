"""/docs in a real browser, and every example of the OpenAPI document as it stands."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from app.load.throughput_samples.schemas import SAMPLES
from tests.app.browsing import Watched, open_browser, watch_page
from tests.app.processes import Service, StartService

Operation = dict[str, Any]


@pytest.fixture(scope="module")
def document(client: httpx.Client) -> dict[str, Any]:
    described: dict[str, Any] = client.get("/openapi.json").json()
    return described


def follow(document: dict[str, Any], part: Any) -> Any:
    """The part with every reference to a response or an example replaced by what it names."""
    if isinstance(part, dict):
        kind, _, name = part.get("$ref", "").removeprefix("#/components/").partition("/")
        if kind in {"responses", "examples"}:
            return follow(document, document["components"][kind][name])
        return {key: follow(document, value) for key, value in part.items()}
    return [follow(document, value) for value in part] if isinstance(part, list) else part


@pytest.fixture(scope="module")
def operations(document: dict[str, Any]) -> list[tuple[str, str, Operation]]:
    """Method, path and operation, its references to responses and examples followed."""
    return [
        (method, path, follow(document, operation))
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


def open_groups(page: Page) -> None:
    """Opens every group of calls: at first they are closed."""
    closed = page.locator('.opblock-tag[data-is-open="false"]')
    expect(closed.first).to_be_visible()
    expect(page.locator(".opblock")).to_have_count(0)
    for _ in range(closed.count()):
        closed.first.click()
    expect(closed).to_have_count(0)


@pytest.fixture(scope="module")
def docs(browser: Browser, service: Service) -> Iterator[Watched]:
    """The opened page, the addresses it asked for, and what it complained about."""
    with watch_page(browser, viewport={"width": 1280, "height": 1800}) as watched:
        watched.page.goto(f"{service.url}/docs")
        open_groups(watched.page)
        yield watched


def test_docs_render_every_operation_from_this_machine_alone(
    docs: Watched, operations: list[tuple[str, str, Operation]], service: Service
):
    expect(docs.page.locator(".opblock")).to_have_count(len(operations))
    for method, path, operation in operations:
        block = docs.page.locator(f".opblock-{method}", has=docs.page.locator(f'[data-path="{path}"]'))
        expect(block).to_contain_text(operation["summary"])
    assert docs.complaints == []
    hosts = {urlsplit(address).netloc for address in docs.asked if not address.startswith("data:")}
    assert hosts == {urlsplit(service.url).netloc}


@pytest.mark.parametrize("path", ["/v1/estimate", "/v1/plans/min-latency"])
def test_try_it_out_answers_200_with_the_example_as_it_stands(docs: Watched, path: str):
    block = docs.page.locator(".opblock-post", has=docs.page.locator(f'[data-path="{path}"]'))
    block.locator(".opblock-summary-control").click()
    block.get_by_role("button", name="Execute").click()
    answer = block.locator(".live-responses-table .response")
    expect(answer.locator(".response-col_status")).to_contain_text("200")
    expect(answer).to_contain_text("expected_sojourn_seconds")
    assert docs.complaints == []


def list_examples(operation: Operation) -> list[object]:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return [example["value"] for example in body.get("examples", {}).values()]


def test_every_operation_says_what_it_does_what_it_takes_and_how_it_refuses(
    operations: list[tuple[str, str, Operation]],
):
    for method, path, operation in operations:
        where = f"{method} {path}"
        assert operation["summary"], where
        assert operation["description"], where
        assert "requestBody" not in operation or list_examples(operation), where
        # `default` stands for what any call may be refused with: 401, 403, 413, 415, 422 and 503.
        expected = {"default"} if path.startswith("/v1") else set()
        expected |= {"404"} if "{" in path else set()
        assert expected <= operation["responses"].keys(), where
        for status, response in operation["responses"].items():
            if status >= "400":
                problem = response["content"]["application/problem+json"]
                assert problem["schema"] == {"$ref": "#/components/schemas/Problem"}, f"{where} {status}"


def test_every_example_runs_as_it_stands(
    start_service: StartService, empty_database_url: str, operations: list[tuple[str, str, Operation]]
):
    service = start_service(database_url=empty_database_url, demo_minutes="5")
    ran = 0
    with httpx.Client(base_url=service.url, timeout=60) as client:
        for method, path, operation in operations:
            for example in list_examples(operation):
                prepare(client, path)
                address = path.replace("{name}", "fpd").replace("{engine}", "storm")
                answer = client.request(method, name_decision(client, address), json=example)
                assert answer.is_success, f"{method} {path} {json.dumps(example)}: {answer.text}"
                ran += 1
    assert ran >= 9


def name_decision(client: httpx.Client, path: str) -> str:
    """The path with a decision of the example's topology, where it needs one."""
    if "{decision_id}" not in path:
        return path
    prepare(client, "{name}")
    body = {"at": "2026-11-18T00:01:00Z", "policy": {"goal": {"t_max_seconds": 0.5}}}
    decided = client.post("/v1/topologies/fpd/decisions", json=body)
    return path.replace("{decision_id}", decided.json()["id"])


def prepare(client: httpx.Client, path: str) -> None:
    """The topology that the examples speak of, measured; not there yet for the call that creates it."""
    client.delete("/v1/topologies/fpd")
    if path == "/v1/demo/live":
        assert client.post(path).status_code == 201
    if "{name}" in path or path == "/v1/backtests":
        assert client.post("/v1/topologies", json=FPD).status_code == 201
        assert client.post("/v1/topologies/fpd/snapshots", json=FPD_LOAD).status_code == 201
        assert client.post("/v1/topologies/fpd/mst-samples", json=SAMPLES).status_code == 201
    if path == "/v1/backtests":
        first = datetime.fromisoformat(str(FPD_LOAD["observed_at"]))
        day = [
            FPD_LOAD
            | {"observed_at": (first + timedelta(minutes=minute)).isoformat(), "external_rate": 300 + minute}
            for minute in range(100)
        ]
        assert client.post("/v1/topologies/fpd/snapshots", json=day).status_code == 201
        again = SAMPLES[0] | {"observed_at": FPD_LOAD["observed_at"], "throughput": 44.0}
        assert client.post("/v1/topologies/fpd/mst-samples", json=again).status_code == 201


def test_docs_begin_with_topologies_can_be_filtered_and_follow_the_look(browser: Browser, service: Service):
    with watch_page(browser, color_scheme="dark") as watched:
        page = watched.page
        page.goto(f"{service.url}/docs")
        expect(page.locator(".opblock-tag").first).to_contain_text("topologies")
        expect(page.locator(".info")).to_contain_text("Start here: store a topology")
        expect(page.locator("html")).to_have_class("dark-mode")
        page.get_by_placeholder("Filter by words").fill("replay POLICY stored snapshots")
        expect(page.locator(".opblock")).to_have_count(1)
        expect(page.locator(".opblock")).to_contain_text("/policy/replay")
        page.get_by_placeholder("Filter by words").fill("")
        expect(page.locator(".opblock")).to_have_count(0)
        page.get_by_role("link", name="set a goal").click()
        expect(page.locator(".opblock.is-open")).to_contain_text("Store the policy")
        page.evaluate("localStorage.setItem('headgate-look', 'light')")
        page.reload()
        expect(page.locator("html")).not_to_have_class("dark-mode")
        assert watched.complaints == []
