"""The service over HTTP: stores measurements, asks for decisions, and records their outcomes.

The models hold the fields of answers that the bridge reads; other fields may change.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime
from math import inf
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from app.bridge.http_clients import Unanswered, ask, describe_status, read_json
from app.bridge.stopping import Stop
from app.engines.answers import EngineAnswer, EngineName
from app.engines.numbers import read_object

NOT_THERE = {404, 405}
LOOKED_THROUGH = 240
"""The number of decisions read back: those of an hour, at four a minute."""


class _Seen(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


A = TypeVar("A", bound=_Seen)


class SeenReason(_Seen):
    """A reason or a diagnostic in an answer of the service."""

    code: str
    detail: str


class SeenCounts(_Seen):
    """An operator's processors before and after a decision."""

    current: dict[str, int]
    recommended: dict[str, int]


class SeenOperator(_Seen):
    """One operator in an estimate that the service answers."""

    name: str
    arrival_rate: float | None = None
    utilisation: float | None = None
    processors: int


class SeenEvidence(_Seen):
    """The relative error of an estimate, as far as it is known."""

    known_error: float | None = None


class SeenEstimate(_Seen):
    """The estimated E[T] for the measured load; null means infinite."""

    expected_sojourn_seconds: float | None
    operators: list[SeenOperator]
    evidence: SeenEvidence | None = None


class SeenTarget(_Seen):
    """A target of a time other than E[T], such as a quantile of the completion time."""

    of: str
    quantile: float | None = None
    seconds: float


class SeenGoal(_Seen):
    """The target that a policy sets."""

    t_max_seconds: float | None = None
    target: SeenTarget | None = None
    utilisation: float | None = None
    backlog_seconds: float | None = None


class SeenPolicy(_Seen):
    """The policy that a decision followed."""

    goal: SeenGoal
    model: str


class SeenMoving(_Seen):
    """The cost of a change of processors; null means unknown."""

    cost_tuple_seconds: float | None = None
    payback_seconds: float | None = None


class SeenCatchingUp(_Seen):
    """The tuples that wait at operators, and a sentence about the time to work them off."""

    backlog_tuples: float
    detail: str


class SeenOutcome(_Seen):
    """The outcome of a decision; `source` is `snapshots` if the service found it in snapshots and nobody
    reported it.
    """

    state: str
    source: str = "reported"
    applied_at: datetime | None = None
    measured_seconds: float | None = None
    detail: str | None = None


class SeenSummary(_Seen):
    """A decision as an item of a list."""

    id: str
    action: str
    outcome: SeenOutcome | None = None


class SeenDecisions(_Seen):
    """A list of decisions, newest first."""

    items: list[SeenSummary]


class SeenDecision(SeenSummary):
    """A decision as the service answers it, with the fields that the bridge reads."""

    created_at: datetime
    processors: SeenCounts
    reasons: list[SeenReason]
    constraints: list[SeenReason] = []
    diagnostics: list[SeenReason] = []
    external_rate: float
    measured_sojourn_seconds: float | None
    current: SeenEstimate
    expected_sojourn_seconds: float | None
    policy: SeenPolicy
    moving: SeenMoving = SeenMoving()
    catching_up: SeenCatchingUp | None = None

    @property
    def report(self) -> SeenOutcome | None:
        """The outcome that a bridge or a person reported; None if the service only found the outcome in snapshots."""
        return self.outcome if self.outcome and self.outcome.source == "reported" else None


class NotDecided(Exception):
    """The error that the service answers with a problem instead of a decision; `kind` is the problem's type."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(why)
        self.kind = kind


class ServiceLink:
    """One topology of the service; a signal, noted in `stop`, ends the program during a GET or before the next
    request.
    """

    def __init__(self, client: httpx.Client, topology: str, stop: Stop) -> None:
        self.client, self.stop = client, stop
        self.at = f"/v1/topologies/{quote(topology, safe='')}"

    def store(self, engine: EngineName, answers: Sequence[EngineAnswer]) -> None:
        """Stores the engine's answers, as topology and measured load."""
        listed: list[JsonValue] = [
            {"path": one.path, "at": one.at.isoformat() if one.at else None, "body": one.body}
            for one in answers
        ]
        path = f"{self.at}/snapshots/from/{engine}?topology=replace"
        read_json("service", self._call("POST", path, {"answers": listed}))

    def ensure_policy(self, policy: dict[str, Any]) -> dict[str, Any] | None:
        """Stores the policy if the topology has none; returns the stored one if it differs."""
        found = self._send("GET", f"{self.at}/policy")
        if found.status_code == 404:
            self._call("PUT", f"{self.at}/policy", policy)
            return None
        stored = dict(read_object(read_json("service", _check(found))))
        return None if contains(stored, policy) else stored

    def decide(self, *, goes_on: bool = False) -> SeenDecision:
        """A new decision on the newest measurement.

        If the last change was applied only in part, the next step skips the cooldown (`goes_on`).
        """
        body: dict[str, JsonValue] = {}
        if goes_on:
            stored = read_object(read_json("service", self._call("GET", f"{self.at}/policy")))
            terms = {name: value for name, value in stored.items() if name != "updated_at"}
            body = {"policy": terms | {"cooldown_seconds": 0.0}}
        return _parse(SeenDecision, self._call("POST", f"{self.at}/decisions", body))

    def find_last_change(self) -> SeenDecision | None:
        """The newest decision to change processors that was not refused; None if the last decisions have none."""
        answer = self._send("GET", f"{self.at}/decisions?limit={LOOKED_THROUGH}")
        if answer.status_code in NOT_THERE:
            return None
        for one in _parse(SeenDecisions, _check(answer)).items:
            if one.action != "hold" and (one.outcome is None or one.outcome.state != "refused"):
                return _parse(SeenDecision, self._call("GET", f"/v1/decisions/{one.id}"))
        return None

    def reach(self) -> None:
        """Checks that the service answers; raises an error if it does not."""
        read_json("service", self._call("GET", "/readyz"))

    def estimate(self, model: str) -> float | None:
        """E[T] of the running processors under the newest load; infinite without a steady state, None if unknown."""
        answer = self._send("POST", f"{self.at}/estimate", {"model": model})
        if not answer.is_success:
            return None
        seconds = _parse(SeenEstimate, answer).expected_sojourn_seconds
        return inf if seconds is None else seconds

    def record(self, decision: str, outcome: dict[str, Any]) -> bool:
        """Records the outcome of a decision; false if the service has no call for outcomes."""
        answer = self._send("PUT", f"/v1/decisions/{decision}/outcome", outcome)
        if answer.status_code in NOT_THERE:
            return False
        _check(answer)
        return True

    def _call(self, method: str, path: str, body: JsonValue = None) -> httpx.Response:
        return _check(self._send(method, path, body))

    def _send(self, method: str, path: str, body: JsonValue = None) -> httpx.Response:
        self.stop.check()
        with self.stop.reading() if method == "GET" else nullcontext():
            return ask("service", lambda: self.client.request(method, path, json=body))


def _check(answer: httpx.Response) -> httpx.Response:
    """The answer of the service; raises an error if the answer is a problem."""
    if answer.is_success:
        return answer
    kind, why = _read_problem(answer)
    if not kind:
        raise Unanswered("service", f"{describe_status(answer)} Is it Headgate? Check --service.")
    if answer.status_code >= 500:
        raise Unanswered("service", f"answers {answer.status_code}. {why}")
    raise NotDecided(kind, why)


def _parse(kind: type[A], answer: httpx.Response) -> A:
    try:
        return kind.model_validate_json(answer.content)
    except ValidationError as error:
        first = error.errors()[0]
        place = "/".join(map(str, first["loc"]))
        why = f"gives an answer that cannot be read ({place}: {first['msg']}): is it Headgate?"
        raise Unanswered("service", why) from error


def contains(stored: JsonValue, given: JsonValue) -> bool:
    """Whether the document `stored` has all fields of `given` with the same values; it may have more fields."""
    if isinstance(stored, dict) and isinstance(given, dict):
        return all(name in stored and contains(stored[name], value) for name, value in given.items())
    return stored == given


def _read_problem(answer: httpx.Response) -> tuple[str, str]:
    try:
        problem = answer.json()
        kind, why = str(problem["type"]), str(problem["detail"])
        more = "; ".join(f"{one['pointer']}: {one['detail']}" for one in problem.get("errors", []))
    except (ValueError, KeyError, TypeError):
        return "", ""
    return kind, f"{why} ({more})" if more else why
