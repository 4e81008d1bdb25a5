"""Wrong keys are limited per address and together, and a right key still gets in from another address."""

from hashlib import sha256

import httpx
import pytest

from app.web.callers.keys import ApiKey
from app.web.callers.wrong_keys import ALL_AT_ONCE, AT_ONCE, MOST_REMEMBERED, SECONDS_EACH, WrongKeys
from app.web.problems.errors import TooManyWrongKeys
from tests.app.processes import StartService

SECRET = "a-secret-of-ci-01"
KEY, OTHER = (ApiKey(name, sha256(name.encode()).digest(), may_store=True) for name in ("one", "other"))


class Clock:
    """A clock that the test moves."""

    now = 1e6

    def __call__(self) -> float:
        return self.now


def count_accepted(limit: WrongKeys, address: str, most: int = 10_000) -> int:
    """The number of wrong keys of an address until one is refused unseen."""
    for count in range(most):
        try:
            limit.check(address, None)
        except TooManyWrongKeys:
            return count
    return most


def test_over_http_a_guesser_waits_and_others_do_not(start_service: StartService, database_url: str):
    service = start_service("--host", "0.0.0.0", database_url=database_url, api_keys=f"ci={SECRET}")
    port = httpx.URL(service.url).port

    address = f"http://127.0.0.1:{port}/v1/topologies"
    with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.2")) as guesser:
        guesses = [guesser.get(address, headers={"Authorization": f"Bearer {n}"}) for n in range(AT_ONCE + 5)]
        right = guesser.get(address, headers={"Authorization": f"Bearer {SECRET}"})
        signed_in = guesser.post(f"http://127.0.0.1:{port}/v1/session", json={"key": SECRET})
    statuses = [guess.status_code for guess in guesses]
    assert statuses == [401] * AT_ONCE + [429] * 5
    assert (right.status_code, signed_in.status_code) == (429, 429), "a guess that is right is not told"
    assert right.json()["type"] == "too-many-wrong-keys"
    assert 1 <= int(right.headers["Retry-After"]) <= SECONDS_EACH
    with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.3")) as other:
        known = {"Authorization": f"Bearer {SECRET}"}
        assert other.get(address, headers=known).status_code == 200
        for number in range(AT_ONCE + 1):
            last = other.get(address, headers={"Authorization": f"Bearer {number}"})
        assert last.status_code == 429
        assert other.get(address, headers=known).status_code == 200, "its key was right here before"


def test_after_a_while_an_address_may_try_again():
    clock = Clock()
    limit = WrongKeys(clock)
    assert count_accepted(limit, "a") == AT_ONCE
    with pytest.raises(TooManyWrongKeys) as refused:
        limit.check("a", KEY)
    clock.now += refused.value.retry_after_seconds
    limit.check("a", KEY)
    assert count_accepted(limit, "a") == 1
    clock.now += AT_ONCE * SECONDS_EACH
    assert count_accepted(limit, "a") == AT_ONCE


def test_a_key_that_was_right_from_an_address_stays_accepted_there_and_no_other_key():
    limit = WrongKeys(Clock())
    limit.check("a", KEY)
    count_accepted(limit, "a")
    limit.check("a", KEY)
    for address, key in (("a", OTHER), ("a", None)):
        with pytest.raises(TooManyWrongKeys):
            limit.check(address, key)
    limit.check("b", OTHER)


def test_many_addresses_together_get_one_wrong_key_each_and_right_keys_get_in():
    limit = WrongKeys(Clock())
    for number in range(ALL_AT_ONCE):
        assert count_accepted(limit, f"10.0.{number // 250}.{number % 250}", most=1) == 1
    assert count_accepted(limit, "192.0.2.1") == 1
    limit.check("192.0.2.2", KEY)


def test_a_network_of_ipv6_is_one_caller():
    limit = WrongKeys(Clock())
    assert count_accepted(limit, "2001:db8::1") == AT_ONCE
    assert count_accepted(limit, "2001:db8::ffff:2") == 0
    assert count_accepted(limit, "2001:db8:0:1::1") == AT_ONCE
    assert count_accepted(limit, "::ffff:192.0.2.1") + count_accepted(limit, "192.0.2.1") == AT_ONCE


def test_memory_is_bounded():
    clock = Clock()
    limit = WrongKeys(clock)
    for number in range(MOST_REMEMBERED + 500):
        clock.now += 1.0
        limit.check(str(number), None)
        limit.check(f"right {number}", KEY)
    assert len(limit._forgiven_at) == len(limit._right) == MOST_REMEMBERED
