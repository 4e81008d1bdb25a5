"""Limits how many wrong keys are looked at: per client address, and from all addresses together.

An address that sent too many must wait, whatever key it sends then, since a right one could be a guess. Only a key that
was right from the same address before is still accepted, so that nobody else behind a common address is locked out.
"""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from app.web.callers.keys import ApiKey
from app.web.problems.errors import TooManyWrongKeys

AT_ONCE, SECONDS_EACH = 20, 6.0
"""Wrong keys of one address: so many at once, and then one in so many seconds."""
ALL_AT_ONCE, ALL_SECONDS_EACH = 1000, 0.1
"""Wrong keys of all addresses together; beyond, one wrong key is enough to make an address wait."""
MOST_REMEMBERED = 10_000
"""Addresses with wrong keys, and right keys by address."""


class WrongKeys:
    """The wrong keys that one worker was sent lately.

    Of each address only the time is kept at which all its wrong keys are forgiven; each wrong key moves it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._forgiven_at: OrderedDict[str, float] = OrderedDict()
        self._all_forgiven_at = 0.0
        self._right: OrderedDict[tuple[str, bytes], None] = OrderedDict()

    def check(self, address: str, key: ApiKey | None) -> None:
        """Raises TooManyWrongKeys if the address must wait; counts a wrong key, which is None."""
        place, now = shorten(address), self._clock()
        if key is not None and (place, key.digest) in self._right:
            self._right.move_to_end((place, key.digest))
            return
        owed = self._forgiven_at.get(place, now) - now
        all_owed = self._all_forgiven_at - now
        allowed = AT_ONCE * SECONDS_EACH if all_owed < ALL_AT_ONCE * ALL_SECONDS_EACH else SECONDS_EACH
        if owed > allowed - SECONDS_EACH:
            raise TooManyWrongKeys(math.ceil(owed - allowed + SECONDS_EACH))
        if key is not None:
            _remember(self._right, (place, key.digest), None)
        else:
            _remember(self._forgiven_at, place, now + max(owed, 0.0) + SECONDS_EACH)
            self._all_forgiven_at = now + max(all_owed, 0.0) + ALL_SECONDS_EACH


def _remember(known: OrderedDict[Any, Any], key: object, value: object) -> None:
    """Stores a value as the newest one; beyond the limit the oldest is forgotten."""
    known[key] = value
    known.move_to_end(key)
    if len(known) > MOST_REMEMBERED:
        known.popitem(last=False)


@lru_cache(maxsize=1024)
def shorten(address: str) -> str:
    """The address, or for IPv6 its first 64 bits: one caller usually has all addresses that begin with them."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.version == 4:
        return address
    mapped = parsed.ipv4_mapped
    return str(mapped or ipaddress.ip_network((parsed, 64), strict=False))
