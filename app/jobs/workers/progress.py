"""Tells how far a job is, at most twice a second: each time is a transaction."""

import time
from collections.abc import Callable

from app.jobs.workers.claims import Claim

REPORT_SECONDS = 0.5


def tell_now_and_then(claim: Claim) -> Callable[[float], None]:
    """A function to call with the progress, often; it raises NoLongerWanted where the job was cancelled."""
    said_at = time.monotonic()

    def tell(progress: float) -> None:
        nonlocal said_at
        if time.monotonic() - said_at >= REPORT_SECONDS:
            claim.report(progress)
            said_at = time.monotonic()

    return tell
