"""What schemathesis cannot be told in schemathesis.toml (tests/app/web/test_schemathesis.py)."""

from schemathesis.specs.openapi import checks

TOO_MANY_REQUESTS = 429

# schemathesis sends each call again with a wrong key, and the service refuses to look at more than some wrong keys.
vars(checks)["AUTH_REJECTION_STATUSES"] |= {TOO_MANY_REQUESTS}
