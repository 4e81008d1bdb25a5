"""A ticket stands for its key until its time is over or the key is removed, and cannot be made without the key."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.callers.keys import ApiKey
from app.web.callers.tickets import make_ticket, read_expiry, read_ticket

KEY, OTHER = (ApiKey(name, sha256(name.encode()).digest(), may_store=True) for name in ("one", "other"))
READER = ApiKey("reader", sha256(b"reader").digest(), may_store=False)
NOW = 1_800_000_000.0


def test_a_ticket_stands_for_its_key_and_no_other():
    for key in (KEY, OTHER, READER):
        assert read_ticket((KEY, OTHER, READER), make_ticket(key, int(NOW) + 60), NOW) is key


def test_a_ticket_is_worth_nothing_after_its_time_or_without_its_key():
    ticket = make_ticket(KEY, int(NOW) + 60)
    assert read_expiry(ticket) == NOW + 60
    assert read_ticket((KEY,), ticket, NOW + 60) is None
    assert read_ticket((OTHER, READER), ticket, NOW) is None
    assert read_ticket((), ticket, NOW) is None


def test_two_browsers_have_two_tickets_of_one_key_in_one_second():
    assert make_ticket(KEY, int(NOW) + 60) != make_ticket(KEY, int(NOW) + 60)


@given(st.integers(0, 200), st.sampled_from("0123456789abcdef."))
def test_a_ticket_with_any_other_letter_is_refused(place: int, letter: str):
    ticket = make_ticket(KEY, int(NOW) + 60)
    place %= len(ticket)
    changed = ticket[:place] + letter + ticket[place + 1 :]
    assert changed == ticket or read_ticket((KEY, OTHER), changed, NOW) is None


@pytest.mark.parametrize(
    "ticket",
    ["", ".", "...", "é.1.2.3", "a" * 5000, "0.99999999999999999.x.y", "ab.-1.x.y", "x.1e9.y.z", "a.9.9.9.9"],
)
def test_what_is_no_ticket_is_refused(ticket: str):
    assert read_ticket((KEY,), ticket, NOW) is None


def test_the_rights_of_a_ticket_cannot_be_taken_from_another_key():
    signed, _, _ = make_ticket(KEY, int(NOW) + 60).rpartition(".")
    mac = make_ticket(READER, int(NOW) + 60).rpartition(".")[2]
    assert read_ticket((KEY, READER), f"{signed}.{mac}", NOW) is None
