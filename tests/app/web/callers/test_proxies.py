"""What a proxy says of its client counts only if the proxy is trusted, and no answer repeats a foreign Host."""

import http.client
import json

import httpx
import pytest

from app.load.bodies.topology import FPD
from app.settings import Settings, parse_networks
from app.web.callers.proxies import TrustedProxies
from tests.app.processes import StartService, connect

SECRET = "a-secret-of-ci-01"
EVIL = "evil.example"


async def answer_nothing(*_: object) -> None:
    """An application that is never called."""


def test_the_client_is_the_nearest_address_that_is_no_trusted_proxy():
    proxies = TrustedProxies(answer_nothing, parse_networks("10.0.0.0/8, 2001:db8::7"))
    for chain, client in (
        ("203.0.113.9", "203.0.113.9"),
        ("1.2.3.4, 203.0.113.9, 10.1.1.1", "203.0.113.9"),
        ("1.2.3.4, [2001:db8::8], 2001:db8::7", "2001:db8::8"),
        ("10.2.2.2, 10.1.1.1", "10.2.2.2"),
        ("nonsense, 10.1.1.1", "10.1.1.1"),
        ("nonsense", None),
        ("", None),
    ):
        assert proxies.find_client([part.strip() for part in chain.split(",")]) == client, chain


def test_a_setting_that_is_no_network_is_refused():
    with pytest.raises(ValueError, match=r"10\.0\.0\.0/8"):
        Settings(trusted_proxies="the-proxy")


def forward(cookies: httpx.Response) -> str:
    """The cookie of an answer."""
    return cookies.headers["Set-Cookie"]


def test_only_a_trusted_proxy_speaks_for_its_client(start_service: StartService, empty_database_url: str):
    service = start_service(
        database_url=empty_database_url, api_keys=f"ci={SECRET}", trusted_proxies="127.0.0.2"
    )
    headers = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https", "X-Forwarded-Host": EVIL}
    for own, is_trusted in (("127.0.0.2", True), ("127.0.0.1", False)):
        with httpx.Client(transport=httpx.HTTPTransport(local_address=own), base_url=service.url) as proxy:
            cookie = forward(proxy.post("/v1/session", json={"key": SECRET}, headers=headers))
            assert cookie.startswith("__Host-headgate=" if is_trusted else "headgate=")
            assert ("Secure" in cookie) is is_trusted
            page = {"Origin": f"https://{EVIL}", "Authorization": f"Bearer {SECRET}"}
            changed = proxy.delete("/v1/topologies/none", headers=headers | page)
            assert changed.status_code == (404 if is_trusted else 403), (
                "the Host of the proxy's client counts"
            )
    behind = {"X-Forwarded-For": "203.0.113.9", "Authorization": "Bearer wrong"}
    with httpx.Client(
        transport=httpx.HTTPTransport(local_address="127.0.0.2"), base_url=service.url
    ) as proxy:
        while proxy.get("/v1/topologies", headers=behind).status_code == 401:
            pass
        assert proxy.get("/v1/topologies", headers=behind).status_code == 429
        behind["X-Forwarded-For"] = "203.0.113.10"
        assert proxy.get("/v1/topologies", headers=behind).status_code == 401, "another client of the proxy"


def test_no_answer_repeats_a_foreign_host(start_service: StartService, empty_database_url: str):
    service = start_service(database_url=empty_database_url, api_keys=f"ci={SECRET}")
    connection = connect(service.url)

    def ask(method: str, path: str, host: str, body: object = None) -> http.client.HTTPResponse:
        connection.putrequest(method, path, skip_host=True)
        content = b"" if body is None else json.dumps(body).encode()
        for name, value in (
            ("Host", host),
            ("X-Forwarded-Host", EVIL),
            ("Authorization", f"Bearer {SECRET}"),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(content))),
        ):
            connection.putheader(name, value)
        connection.endheaders(content)
        return connection.getresponse()

    for number, host in enumerate((EVIL, f"{EVIL}/v1", "[", f"x@{EVIL}", f"{EVIL}:99999")):
        for method, path, body in (
            ("POST", "/v1/topologies", FPD | {"name": f"t{number}"}),
            ("GET", "/v1/topologies?limit=1", None),
            ("GET", "/ui", None),
            ("GET", "/nowhere", None),
            ("PATCH", "/v1/topologies", None),
            ("POST", "/v1/topologies", {}),
        ):
            answer = ask(method, path, host, body)
            said = answer.read().decode() + str(answer.getheaders())
            assert answer.status < 500, (host, path, said)
            assert EVIL not in said, (host, path)
    connection.close()


def test_without_keys_a_proxy_on_this_machine_lets_no_stranger_in(client: httpx.Client):
    for header in (
        {"X-Forwarded-For": "203.0.113.9"},
        {"X-Real-IP": "203.0.113.9"},
        {"Forwarded": "for=203.0.113.9"},
        {"Host": "["},
        {"Host": f"{EVIL}/x"},
    ):
        assert client.get("/v1/topologies", headers=header).status_code == 403, header
    assert client.get("/v1/topologies", headers={"X-Forwarded-For": "127.0.0.1"}).status_code == 200
