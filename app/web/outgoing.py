"""Requests that the service sends: to hosts that the operator names, at public addresses unless the operator says more.

A name is looked up once, each of its addresses is judged, and the request goes to one of these addresses: what the name
means a moment later changes nothing. Redirects are not followed.
"""

import hmac
import json
import socket
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

import httpx

from app.settings import Settings

TIMEOUT_SECONDS = 5.0
PORTS = {"http": 80, "https": 443}


class NotSent(Exception):
    """The error that a request was not sent, or was not answered with success; its text says why."""


class Destination(NamedTuple):
    """An address that was looked up and may be called, and the URL that it stands for."""

    address: str
    url: SplitResult


def split_address(url: str) -> SplitResult:
    """The parts of an http or https address without user and password."""
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable or parts.username is not None or parts.password is not None:
        raise ValueError(
            "give an address such as https://hooks.example.org/headgate, without user and password"
        )
    return parts


def find_fault(settings: Settings, url: str) -> str | None:
    """Says why the operator does not allow an address; None: it is allowed, if it is a public one."""
    host = (split_address(url).hostname or "").lower()
    if not settings.webhook_signing_key.get_secret_value():
        return "The service sends no webhooks: its operator sets HEADGATE_WEBHOOK_SIGNING_KEY and _HOSTS."
    allowed = [one.strip().lower() for one in settings.webhook_hosts.split(",") if one.strip()]
    if host in allowed or any(host.endswith(one) for one in allowed if one.startswith(".")):
        return None
    return f"The host {host} is not one of HEADGATE_WEBHOOK_HOSTS: ask the operator of the service to add it."


def find_destination(settings: Settings, url: str) -> Destination:
    """Looks an address up, and returns where to send; raises NotSent if any address of the host is not allowed."""
    if fault := find_fault(settings, url):
        raise NotSent(fault)
    parts = split_address(url)
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise NotSent(f"the host {host} cannot be looked up: {error}") from error
    addresses = [str(one[4][0]) for one in found]
    for address in addresses:
        if not may_call(settings, address):
            raise NotSent(
                f"the host {host} has the address {address}, which is in no network of HEADGATE_WEBHOOK_NETWORKS"
            )
    return Destination(addresses[0], parts)


def may_call(settings: Settings, address: str) -> bool:
    """Whether an address is public, or in a network that the operator names."""
    found = ip_address(address.partition("%")[0])
    found = getattr(found, "ipv4_mapped", None) or found
    is_public = found.is_global and not found.is_multicast
    return is_public or any(found in network for network in settings.webhook_list)


def send_signed(settings: Settings, url: str, body: Mapping[str, Any], name: str, sent_at: int) -> None:
    """Sends a body as JSON, once; raises NotSent unless it is answered with success.

    The signature is the HMAC of `sent_at`, a point and the body, by which a receiver knows sender, content and time.
    """
    destination = find_destination(settings, url)
    content = json.dumps(body, ensure_ascii=False).encode()
    secret = settings.webhook_signing_key.get_secret_value().encode()
    signature = hmac.digest(secret, f"{sent_at}.".encode() + content, "sha256").hex()
    parts = destination.url
    host = f"[{destination.address}]" if ":" in destination.address else destination.address
    called = parts._replace(netloc=f"{host}:{parts.port or PORTS[parts.scheme]}", fragment="")
    headers = {
        "Host": parts.netloc,
        "Content-Type": "application/json",
        "Headgate-Event": name,
        "Headgate-Timestamp": str(sent_at),
        "Headgate-Signature": f"sha256={signature}",
    }
    named = {"sni_hostname": parts.hostname}
    try:
        with (
            httpx.Client(timeout=TIMEOUT_SECONDS, trust_env=False) as http,
            http.stream(
                "POST", called.geturl(), content=content, headers=headers, extensions=named
            ) as answer,
        ):
            status = answer.status_code
    except httpx.HTTPError as error:
        raise NotSent(f"{parts.hostname} does not answer: {error}") from error
    if not httpx.codes.is_success(status):
        raise NotSent(f"{parts.hostname} answered {status}")
