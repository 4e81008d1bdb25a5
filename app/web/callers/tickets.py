"""Tickets of signed-in browsers: a cookie that stands for a key for some hours, `prefix.expiry.number.mac`.

It has the first bytes of the key's digest, the time at which it expires, a random number, and an HMAC of these keyed by
the digest. Any worker can check it. It also ends when its key is removed, and when its browser signs out.
"""

import hmac
import secrets
from collections.abc import Sequence
from hashlib import sha256

from app.web.callers.keys import ApiKey

COOKIES = {"http": "headgate", "https": "__Host-headgate"}
"""Cookie names by scheme: a browser accepts the second one from this host only, and sends it over https only."""
LIFETIME_SECONDS = 12 * 3600
PREFIX_BYTES, NUMBER_BYTES = 8, 16


def make_ticket(key: ApiKey, expires_at: int) -> str:
    """A new ticket with which a browser stands for a key until `expires_at`, in seconds since 1970."""
    signed = f"{key.digest[:PREFIX_BYTES].hex()}.{expires_at}.{secrets.token_hex(NUMBER_BYTES)}"
    return f"{signed}.{sign(key, signed)}"


def sign(key: ApiKey, signed: str) -> str:
    """The HMAC of a text, keyed by the digest of an API key."""
    return hmac.new(key.digest, b"headgate-ticket:" + signed.encode(), sha256).hexdigest()


def read_ticket(keys: Sequence[ApiKey], ticket: str, now: float) -> ApiKey | None:
    """The key of a ticket; None if the ticket is forged or expired, or its key was removed."""
    signed, _, mac = ticket.rpartition(".")
    expires_at = read_expiry(ticket)
    if not ticket.isascii() or expires_at is None or expires_at <= now:
        return None
    found = None
    for key in keys:  # all keys are compared, so that timing reveals none
        is_its_own = signed.startswith(key.digest[:PREFIX_BYTES].hex() + ".")
        if hmac.compare_digest(sign(key, signed), mac) and is_its_own:
            found = key
    return found


def read_expiry(ticket: str) -> int | None:
    """The time at which a ticket expires, in seconds since 1970; None if the text is no ticket."""
    parts = ticket.split(".", 4)
    if len(parts) != 4 or not parts[1].isdecimal() or len(parts[1]) > 12:
        return None
    return int(parts[1])
