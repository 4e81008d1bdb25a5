"""Tickets for browsers: a cookie that stands for an API key for some hours, checked without anything stored.

A ticket is `prefix.expiry.mac`: the first bytes of the key's digest, the end of its time, and an HMAC of both keyed by
the digest. Any worker can check it, and it is worth nothing once the key is removed.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

LIFETIME_SECONDS = 12 * 3600
PREFIX_BYTES = 8
COOKIES = {"http": "headgate", "https": "__Host-headgate"}
"""By scheme: a browser takes the second one from this host alone, and sends it over https alone."""


@dataclass(frozen=True)
class ApiKey:
    """A key as its digest: all digests have one length, so a comparison reveals nothing about the key."""

    digest: bytes
    may_store: bool


def make_ticket(key: ApiKey, expires_at: int) -> str:
    """The ticket of a key until a time in epoch seconds."""
    signed = f"{key.digest[:PREFIX_BYTES].hex()}.{expires_at}"
    return f"{signed}.{sign(key, signed)}"


def sign(key: ApiKey, signed: str) -> str:
    """The HMAC of the text keyed by the key's digest."""
    return hmac.new(key.digest, b"headgate-ticket:" + signed.encode(), sha256).hexdigest()


def read_ticket(keys: Sequence[ApiKey], ticket: str, now: float) -> ApiKey | None:
    """The key that a ticket stands for; None where it is forged, over, or of a key that was removed."""
    signed, _, mac = ticket.rpartition(".")
    _, _, expires_at = signed.partition(".")
    if not ticket.isascii() or not expires_at.isdecimal() or len(expires_at) > 12 or int(expires_at) <= now:
        return None
    found = None
    for key in keys:  # every key is compared, so that timing says nothing
        is_its_own = signed.startswith(key.digest[:PREFIX_BYTES].hex() + ".")
        if hmac.compare_digest(sign(key, signed), mac) and is_its_own:
            found = key
    return found
