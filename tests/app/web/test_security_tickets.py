"""A ticket stands for its key until its time is over or the key is removed, and cannot be made without the key."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.security import ApiKey, make_ticket, read_ticket

KEY, OTHER = (ApiKey(sha256(secret).digest(), may_store=True) for secret in (b"one", b"other"))
READER = ApiKey(sha256(b"reader").digest(), may_store=False)
NOW = 1_800_000_000.0


def test_a_ticket_stands_for_its_key_and_no_other():
    for key in (KEY, OTHER, READER):
        assert read_ticket((KEY, OTHER, READER), make_ticket(key, int(NOW) + 60), NOW) is key


def test_a_ticket_is_worth_nothing_after_its_time_or_without_its_key():
    ticket = make_ticket(KEY, int(NOW) + 60)
    assert read_ticket((KEY,), ticket, NOW + 60) is None
    assert read_ticket((OTHER, READER), ticket, NOW) is None
    assert read_ticket((), ticket, NOW) is None


@given(st.integers(0, 200), st.sampled_from("0123456789abcdef."))
def test_a_ticket_with_any_other_letter_is_refused(place: int, letter: str):
    ticket = make_ticket(KEY, int(NOW) + 60)
    place %= len(ticket)
    changed = ticket[:place] + letter + ticket[place + 1 :]
    assert changed == ticket or read_ticket((KEY, OTHER), changed, NOW) is None


@pytest.mark.parametrize(
    "ticket", ["", ".", "..", "é.1.2", "a" * 5000, "0.99999999999999999.x", "ab.-1.x", "x.1e9.y"]
)
def test_what_is_no_ticket_is_refused(ticket: str):
    assert read_ticket((KEY,), ticket, NOW) is None


def test_the_rights_of_a_ticket_cannot_be_taken_from_another_key():
    prefix, expiry, _ = make_ticket(KEY, int(NOW) + 60).split(".")
    _, _, mac = make_ticket(READER, int(NOW) + 60).split(".")
    assert read_ticket((KEY, READER), f"{prefix}.{expiry}.{mac}", NOW) is None
