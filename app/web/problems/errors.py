"""The service's own exceptions, with their numbers in fields; problem_kinds.py gives each its problem type.

ServiceError (a FieldsError: see planner.errors)
├── InvalidRequest          the payload breaks a rule
├── ThroughputNotConverged
├── PayloadTooLarge · HeadersTooLarge · RequestTooSlow
├── UnsupportedMediaType · UnsupportedEncoding · NotAcceptable
├── Unauthorized · TooManyWrongKeys · Forbidden
├── IdempotencyKeyInUse · IdempotencyKeyReused
├── NotReady · Overloaded · WaitedTooLong
└── TopologyError and others: see stored_data_errors.py
"""

from planner.errors import FieldsError
from planner.wording import write_percent, write_seconds


class ServiceError(FieldsError):
    """The base class of the exceptions that the service raises on purpose; their text is for the caller."""


class InvalidRequest(ServiceError):
    """The error that the payload breaks a rule; `errors` holds, for each fault, a JSON pointer and what to change."""

    errors: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return (
            self.errors[0][1]
            if len(self.errors) == 1
            else f"{len(self.errors)} parts of the request are wrong."
        )


class ThroughputNotConverged(ServiceError):
    """The error that the readings of a throughput still change, so that none of them is the sustained throughput."""

    pointer: str
    readings: int
    k: int
    n: int
    tolerance: float

    def __str__(self) -> str:
        return (
            f"No {self.n} readings in a row, of {self.readings}, have {self.k} within "
            f"{write_percent(self.tolerance)} of the reading before: continue to measure, and send all readings again."
        )


class PayloadTooLarge(ServiceError):
    """The error that the body is larger than the service reads."""

    limit_bytes: int
    is_fixed: bool = False

    def __str__(self) -> str:
        setting = "" if self.is_fixed else ", or raise HEADGATE_MAX_BODY_BYTES of the service"
        return f"The body is larger than {self.limit_bytes} bytes: send less at once{setting}."


class HeadersTooLarge(ServiceError):
    """The error that the address and headers of a request are larger, or more, than the service reads."""

    limit_bytes: int
    limit_headers: int

    text = (
        "The address and headers, or what was sent between and after the chunks of the body, are larger than "
        "{self.limit_bytes} bytes, or there are more than {self.limit_headers} headers: send less."
    )


class RequestTooSlow(ServiceError):
    """The error that the headers or the body of a request did not arrive in time."""

    limit_seconds: float

    def __str__(self) -> str:
        return f"The request did not arrive within {write_seconds(self.limit_seconds)}: send it again, and faster."


class UnsupportedEncoding(ServiceError):
    """The error that the body of a request is compressed."""

    sent: str

    text = "The body has the Content-Encoding {self.sent!r}: send it without compression."


class UnsupportedMediaType(ServiceError):
    """The error that the Content-Type of a body is not JSON."""

    sent: str

    def __str__(self) -> str:
        sent = f"is {self.sent!r}" if self.sent else "has no Content-Type"
        return f"The body {sent}: send JSON, with the header Content-Type: application/json."


class NotAcceptable(ServiceError):
    """The error that the caller accepts no media type of the answer; `why` names a reason other than the
    header Accept.
    """

    accept: str
    offered: tuple[str, ...]
    why: str = ""

    def __str__(self) -> str:
        why = self.why or f"Accept: {self.accept!r} accepts no form of this answer"
        return f"{why}: ask for {' or '.join(self.offered)}."


class Unauthorized(ServiceError):
    """The error that a request has no key, or an unknown key."""

    sent: bool

    def __str__(self) -> str:
        how = "The key is not one of this service's" if self.sent else "This service needs a key"
        return f"{how}: send `Authorization: Bearer KEY` with one of its keys."


class TooManyWrongKeys(ServiceError):
    """The error that too many wrong keys came from the caller's address."""

    retry_after_seconds: int

    text = (
        "Too many wrong keys came from your address: send the right one in {self.retry_after_seconds} s. "
        "Until then only keys are accepted that were right from this address before."
    )


class Explained(ServiceError):
    """The base class of exceptions whose text is written where they are raised."""

    detail: str


class Forbidden(Explained):
    """The error that the caller's key does not permit the call."""


class IdempotencyKeyInUse(ServiceError):
    """The error that the same request, with the same Idempotency-Key, is being answered just now."""

    retry_after_seconds: int

    text = (
        "A request with this Idempotency-Key is being answered: send it again in {self.retry_after_seconds} s "
        "to get its answer."
    )


class IdempotencyKeyReused(ServiceError):
    """The error that an Idempotency-Key came with another request before."""

    key: str

    text = (
        "The Idempotency-Key {self.key!r} came with another address or body within the last 24 h: "
        "use a new key for a new request."
    )


class NotReady(Explained):
    """The error that the service cannot work yet, so that load balancers should send requests elsewhere."""


class WaitedTooLong(ServiceError):
    """The error that a small request waited for its turn to compute while more came than the service can compute."""

    waited_seconds: float
    queued: int
    retry_after_seconds: int

    def __str__(self) -> str:
        return (
            f"More requests come than the service can compute: this one waited {write_seconds(self.waited_seconds)}, "
            f"and was not begun. Try again in {self.retry_after_seconds} s, or raise HEADGATE_WORKERS of the service."
        )


class Overloaded(ServiceError):
    """The error that all slots to compute are taken, and that the queue before them is full."""

    queued: int
    retry_after_seconds: int

    text = (
        "The service has no free slot to compute, and {self.queued} requests wait before this one: try again in "
        "{self.retry_after_seconds} s, or raise HEADGATE_COMPUTING_QUEUE or HEADGATE_WORKERS of the service."
    )


class DemoOff(ServiceError):
    """The error that the settings allow no live demo."""

    text = "The service runs no live demo: start it with HEADGATE_DEMO_MINUTES, the minutes for which the demo may run."
