"""What the service sends goes to hosts that the operator names, at addresses that may be called, signed and once."""

import hashlib
import hmac

import pytest
from pydantic import SecretStr

from app.settings import Settings
from app.web.outgoing import NotSent, find_destination, find_fault, may_call, send_signed, split_address
from tests.app.receivers import open_receiver

SECRET = "a-secret-of-the-operator"


def make_settings(hosts: str = "127.0.0.1, localhost", networks: str = "", secret: str = SECRET) -> Settings:
    return Settings(webhook_hosts=hosts, webhook_networks=networks, webhook_signing_key=SecretStr(secret))


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "192.168.0.9", "172.16.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "224.0.0.1",
     "::1", "fe80::1", "fc00::1", "::ffff:10.0.0.1", "fe80::1%eth0"],
)  # fmt: skip
def test_an_address_that_is_not_public_needs_a_network(address: str):
    assert not may_call(make_settings(), address)
    assert may_call(make_settings(networks="0.0.0.0/0,::/0"), address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888"])
def test_a_public_address_may_be_called(address: str):
    assert may_call(make_settings(), address)


@pytest.mark.parametrize(
    ("hosts", "url", "is_allowed"),
    [
        ("hooks.slack.com", "https://hooks.slack.com/services/T/B/X", True),
        ("hooks.slack.com", "https://HOOKS.slack.com:443/a", True),
        ("hooks.slack.com", "https://evil.hooks.slack.com/a", False),
        (".example.org", "https://one.example.org/a", True),
        (".example.org", "https://example.org.evil.net/a", False),
        (".example.org", "https://badexample.org/a", False),
        ("", "https://example.org/a", False),
    ],
)
def test_only_hosts_that_the_operator_names_are_allowed(hosts: str, url: str, *, is_allowed: bool):
    assert (find_fault(make_settings(hosts), url) is None) is is_allowed


def test_without_a_secret_nothing_is_allowed():
    assert "HEADGATE_WEBHOOK_SIGNING_KEY" in str(find_fault(make_settings(secret=""), "http://localhost/"))


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a/b",
        "file:///etc/passwd",
        "https://user:word@a/b",
        "http://",
        "a/b",
        "http://[::1",
        "http://a:0/",
    ],
)
def test_other_addresses_are_refused(url: str):
    with pytest.raises(ValueError, match="https://hooks"):
        split_address(url)


def test_a_name_that_means_a_private_address_is_not_called():
    with open_receiver("localhost") as receiver:
        with pytest.raises(NotSent, match="HEADGATE_WEBHOOK_NETWORKS"):
            send_signed(make_settings(), receiver.url, {"a": 1}, "event-1", 1_700_000_000)
        assert receiver.asked == []
    assert find_destination(make_settings(networks="127.0.0.0/8,::1"), receiver.url).address in {
        "127.0.0.1",
        "::1",
    }


def test_what_is_sent_is_signed_with_its_time():
    with open_receiver() as receiver:
        send_signed(
            make_settings(networks="127.0.0.0/8"), receiver.url, {"text": "é"}, "event-1", 1_700_000_000
        )
    [headers], [body] = receiver.headers, receiver.bodies
    signed = hmac.new(SECRET.encode(), b"1700000000." + body, hashlib.sha256).hexdigest()
    assert headers["Headgate-Signature"] == f"sha256={signed}"
    assert (headers["Headgate-Event"], headers["Headgate-Timestamp"]) == ("event-1", "1700000000")
    assert headers["Host"] == receiver.url.split("/")[2]
    assert body.decode() == '{"text": "é"}'


@pytest.mark.parametrize("status", [302, 307, 404, 500])
def test_an_answer_without_success_is_an_error_and_no_redirect_is_followed(status: int):
    with open_receiver() as receiver:
        receiver.status = status
        with pytest.raises(NotSent, match=f"127.0.0.1 answered {status}"):
            send_signed(make_settings(networks="127.0.0.0/8"), receiver.url, {}, "event-1", 0)
        assert receiver.asked == ["/hook"]


def test_nobody_there_is_an_error():
    with open_receiver() as receiver:
        url = receiver.url
    with pytest.raises(NotSent, match="does not answer"):
        send_signed(make_settings(networks="127.0.0.0/8"), url, {}, "event-1", 0)
