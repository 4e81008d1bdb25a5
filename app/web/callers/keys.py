"""API keys: their names, digests and permissions, from the setting HEADGATE_API_KEYS and from a file.

An entry is `name=secret`, or a plain secret; with `:read` behind it the key may read and compute, but not store. A file
has one entry per line, always with a name, and instead of a secret it may have the secret's digest: `sha256:` and 64
hexadecimal digits.
"""

import hmac
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from app.settings import Settings

log = logging.getLogger("headgate.keys")

SETTING, FILE_SETTING = "HEADGATE_API_KEYS", "HEADGATE_API_KEYS_FILE"
LEAST_CHARACTERS = 16
"""Of a secret: a shorter one can be guessed."""
READ_ONLY_SUFFIX = ":read"
NAMED = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{0,63})=(?P<secret>[^=].*|)")
"""A secret in Base64 ends with `=`, so what follows the `=` of a name is another character."""
DIGEST = re.compile(r"sha256:([0-9a-fA-F]{64})")


class UnusableKeys(Exception):
    """The error that the setting or the file of the keys cannot be used; its text never contains a secret."""


@dataclass(frozen=True)
class ApiKey:
    """The name, the digest and the permission of an API key: all digests have one length, so a comparison reveals
    nothing about the key.
    """

    name: str
    digest: bytes
    may_store: bool


def parse_api_keys(listed: str) -> tuple[ApiKey, ...]:
    """The keys of the setting, a text like `ci=secret,other-secret:read`; a key without a name is `key-1` by its
    place.
    """
    entries = [entry.strip() for entry in listed.split(",")]
    named = [(f"{SETTING}, key {place}", entry) for place, entry in enumerate(filter(None, entries), 1)]
    return refuse_doubles(
        SETTING, [_read_entry(where, entry, f"key-{place}") for place, (where, entry) in enumerate(named, 1)]
    )


def read_keys_file(path: Path) -> tuple[ApiKey, ...]:
    """The keys of a file, one per line; empty lines and lines that begin with `#` are left out."""
    try:
        lines = [line.strip() for line in path.read_text().splitlines()]
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text in UTF-8"
        raise UnusableKeys(f"{FILE_SETTING}: {path} cannot be read: {reason}.") from error
    entries = [(number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")]
    return refuse_doubles(
        str(path), [_read_entry(f"{path}, line {number}", line, None) for number, line in entries]
    )


def _read_entry(where: str, entry: str, default_name: str | None) -> ApiKey:
    """The key of an entry; `where` says in an error which one it is."""
    found = NAMED.fullmatch(entry)
    name = found["name"] if found and found["secret"] else default_name
    if name is None:
        raise UnusableKeys(
            f"{where}: write NAME=SECRET; `headgate keys new NAME` makes a line. "
            "A name has letters, digits, dots, dashes and underscores, 64 at most."
        )
    sent = found["secret"] if found and found["secret"] else entry
    secret = sent.removesuffix(READ_ONLY_SUFFIX)
    if digest := DIGEST.fullmatch(secret):
        return ApiKey(name, bytes.fromhex(digest[1]), may_store=secret == sent)
    if len(secret) < LEAST_CHARACTERS:
        raise UnusableKeys(
            f"{where} ({name}): the secret has fewer than {LEAST_CHARACTERS} characters, so it could be guessed. "
            f"`headgate keys new {name}` makes a good one."
        )
    return ApiKey(name, sha256(secret.encode()).digest(), may_store=secret == sent)


def refuse_doubles(where: str, keys: Iterable[ApiKey]) -> tuple[ApiKey, ...]:
    """The keys; raises an error if two of them have one name."""
    found: dict[str, ApiKey] = {}
    for key in keys:
        if key.name in found:
            raise UnusableKeys(f"{where}: two keys have the name {key.name}: give each its own.")
        found[key.name] = key
    return tuple(found.values())


def read_keys(settings: Settings) -> tuple[ApiKey, ...]:
    """The keys of the setting and of the file."""
    listed = parse_api_keys(settings.api_keys.get_secret_value())
    if settings.api_keys_file is None:
        return listed
    in_file = read_keys_file(settings.api_keys_file)
    if not in_file:
        raise UnusableKeys(f"{FILE_SETTING}: {settings.api_keys_file} has no key: add one line for each.")
    return refuse_doubles(f"{SETTING} and {settings.api_keys_file}", (*listed, *in_file))


class KeyRing:
    """The keys that the service knows now."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.known = read_keys(settings)

    def read_again(self) -> None:
        """Takes the keys from the setting and the file again; if they cannot be used, keeps the old ones and logs
        why.
        """
        try:
            self.known = read_keys(self._settings)
        except UnusableKeys as error:
            log.error("the keys were not read again, and the old ones stay: %s", error)  # noqa: TRY400  # no trace
        else:
            log.info("the keys were read again: %s", ", ".join(key.name for key in self.known))

    def find(self, sent: str) -> ApiKey | None:
        """The known key with the text that was sent, or None; compares with all keys in constant time, so that
        timing reveals none.
        """
        digest = sha256(sent.encode(errors="surrogatepass")).digest()
        found = None
        for key in self.known:
            if hmac.compare_digest(key.digest, digest):
                found = key
        return found
