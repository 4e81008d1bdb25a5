"""Pages of other sites are refused what changes or computes; every answer tells browsers what it may be used for."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from playwright.sync_api import Browser

from app.load.bodies.topology import FPD
from app.web.middleware import is_same_origin
from tests.app.pages.test_documentation import browser  # noqa: F401  # a fixture
from tests.app.processes import Service, StartService

FOREIGN = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "something-new"},
    {"Origin": "null"},
    {"Origin": "http://attacker.example"},
    {"Origin": "http://127.0.0.1:1"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "null"},
]


@pytest.mark.parametrize("headers", FOREIGN)
def test_a_page_of_another_site_changes_and_computes_nothing(
    client: httpx.Client, stored: str, headers: dict[str, str]
):
    address = f"/v1/topologies/{stored}"
    for method, path in (
        ("POST", f"{address}/estimate"),
        ("POST", f"{address}/decisions"),
        ("POST", f"{address}/recommendation"),
        ("PUT", address),
        ("PATCH", address),
        ("DELETE", address),
    ):
        refused = client.request(method, path, headers=headers)
        assert (refused.status_code, refused.json()["type"]) == (403, "forbidden")
    assert client.get(address, headers=headers).status_code == 200


def test_pages_of_its_own_and_programs_pass(client: httpx.Client, stored: str, service: Service):
    own: list[dict[str, str]] = [
        {},
        {"Sec-Fetch-Site": "same-origin", "Origin": service.url},
        {"Sec-Fetch-Site": "none"},
        {"Origin": service.url},
    ]
    for headers in own:
        assert client.post(f"/v1/topologies/{stored}/estimate", headers=headers).status_code == 200


def test_a_key_does_not_help_a_page_of_another_site(
    start_service: StartService, database_url: str, name: str
):
    service = start_service(database_url=database_url, api_keys="the-owners-secret")
    key = {"Authorization": "Bearer the-owners-secret"}
    with httpx.Client(base_url=service.url, timeout=60, headers=key) as client:
        for headers in FOREIGN:
            assert client.post("/v1/topologies", json=FPD, headers=headers).json()["type"] == "forbidden"
        own = {"Sec-Fetch-Site": "same-origin"}
        assert client.post("/v1/topologies", json=FPD | {"name": name}, headers=own).status_code == 201


def test_an_unchanged_answer_leaves_the_policy_of_the_page_as_it_is(client: httpx.Client, stored: str):
    first = client.get(f"/v1/topologies/{stored}")
    assert "default-src 'none'" in first.headers["Content-Security-Policy"]
    again = client.get(f"/v1/topologies/{stored}", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert "Content-Security-Policy" not in again.headers


@pytest.mark.parametrize(
    ("origin", "host", "is_same"),
    [
        ("http://localhost:8000", "localhost:8000", True),
        ("http://localhost:8000", "localhost:8001", False),
        ("http://localhost:8000", "127.0.0.1:8000", False),
        ("http://HEADGATE.example", "headgate.example", True),
        ("http://headgate.example", "headgate.example:80", True),
        ("https://headgate.example", "headgate.example", True),  # a proxy ends TLS
        ("https://headgate.example", "headgate.example:443", True),
        ("https://headgate.example", "headgate.example:80", False),
        ("http://[::1]:8000", "[::1]:8000", True),
        ("http://[::1]:8000", "[0:0:0:0:0:0:0:1]:8000", True),
        ("http://[::1]:8000", "[::2]:8000", False),
        ("http://headgate.example.evil", "headgate.example", False),
        ("http://headgate.example@evil", "evil", False),
        ("http://headgate.example/path", "headgate.example", False),
        ("file://headgate.example", "headgate.example", False),
        ("null", "headgate.example", False),
        ("null", "null", False),
        ("", "", False),
        ("http://", "", False),
        ("http://headgate.example:x", "headgate.example:x", False),
    ],
)
def test_an_origin_is_compared_with_the_host_that_was_called(origin: str, host: str, *, is_same: bool):
    assert is_same_origin(origin, host) is is_same


def test_every_answer_tells_browsers_what_it_may_be_used_for(client: httpx.Client, measured: str):
    policies = {}
    for path, accept in (
        ("/healthz", "*/*"),
        ("/docs", "text/html"),
        ("/docs/start.js", "*/*"),
        ("/nowhere", "*/*"),
        ("/v1/topologies?limit=0", "*/*"),
        (f"/v1/topologies/{measured}/forecasts/workload", "image/svg+xml"),
    ):
        answer = client.get(path, headers={"Accept": accept})
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        policies[path] = answer.headers["Content-Security-Policy"]
        assert policies[path].startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policies[path]
    assert "script-src 'self';" in policies["/docs"]
    assert not any("script-src" in policy for path, policy in policies.items() if path != "/docs")
    assert "<script>" not in client.get("/docs").text


@pytest.fixture
def other_site() -> Iterator[str]:
    """A page on another port of this machine."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("name_of_site", ["127.0.0.1", "localhost"])
def test_a_real_browser_cannot_be_made_to_post_by_a_page_of_another_site(
    browser: Browser,  # noqa: F811  # the fixture
    other_site: str,
    service: Service,
    stored: str,
    name_of_site: str,
):
    address = f"/v1/topologies/{stored}/estimate"
    page = browser.new_page()
    page.goto(other_site.replace("127.0.0.1", name_of_site))
    with page.expect_response(service.url + address) as answered:
        page.evaluate(
            "address => { fetch(address, {method: 'POST', mode: 'no-cors'}) }", service.url + address
        )
    assert answered.value.status == 403
    with page.expect_response(service.url + address) as answered:
        page.evaluate(
            """address => {
                const form = document.createElement("form");
                form.method = "POST";
                form.action = address;
                document.body.append(form);
                form.submit();
            }""",
            service.url + address,
        )
    assert answered.value.status == 403
    page.close()
