"""The service over HTTP: stores what was measured, asks for decisions, and records what became of them."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, JsonValue, ValidationError

from app.bridge.asking import Unanswered, ask, quote_text, read_json
from app.bridge.seen_answers import SeenDecision, SeenDecisions, SeenEstimate
from app.engines.answers import EngineAnswer, EngineName
from app.engines.numbers import read_object

NOT_THERE = {404, 405}
LOOKED_THROUGH = 240
"""Decisions: those of an hour, at four a minute."""
A = TypeVar("A", bound=BaseModel)


class NotDecided(Exception):
    """The service answers, and has no decision: its problem in words. `kind` is the type of the problem."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(f"{kind}: {why}" if kind else why)
        self.kind = kind


class ServiceLink:
    """One topology of the service; `check` is called before each request and may end the program."""

    def __init__(self, client: httpx.Client, topology: str, check: Callable[[], None]) -> None:
        self.client, self.check = client, check
        self.at = f"/v1/topologies/{quote(topology, safe='')}"

    def store(self, engine: EngineName, answers: Sequence[EngineAnswer]) -> JsonValue:
        """Stores what the engine answered, as topology and measured load."""
        listed: list[JsonValue] = [
            {"path": one.path, "at": one.at.isoformat() if one.at else None, "body": one.body}
            for one in answers
        ]
        path = f"{self.at}/snapshots/from/{engine}?topology=replace"
        return self._read(self._call("POST", path, {"answers": listed}))

    def ensure_policy(self, policy: dict[str, Any]) -> dict[str, Any] | None:
        """Stores the policy where the topology has none; the answer is the stored one where it differs."""
        found = self._send("GET", f"{self.at}/policy", None)
        if found.status_code == 404:
            self._call("PUT", f"{self.at}/policy", policy)
            return None
        stored = dict(read_object(self._read(self._check(found))))
        return None if contains(stored, policy) else stored

    def decide(self, *, goes_on: bool = False) -> SeenDecision:
        """A new decision on what was measured last; one that goes on with the last change waits for no cooldown."""
        body: dict[str, JsonValue] = {}
        if goes_on:
            stored = read_object(self._read(self._call("GET", f"{self.at}/policy", None)))
            terms = {name: value for name, value in stored.items() if name != "updated_at"}
            body = {"policy": terms | {"cooldown_seconds": 0.0}}
        return self._parse(SeenDecision, self._call("POST", f"{self.at}/decisions", body))

    def find_last_change(self) -> SeenDecision | None:
        """The newest decision for a change that was not refused; None where there is none among the last ones."""
        answer = self._send("GET", f"{self.at}/decisions?limit={LOOKED_THROUGH}", None)
        if answer.status_code in NOT_THERE:
            return None
        for one in self._parse(SeenDecisions, self._check(answer)).items:
            if one.action != "hold" and (one.outcome is None or one.outcome.state != "refused"):
                return self._parse(SeenDecision, self._call("GET", f"/v1/decisions/{one.id}", None))
        return None

    def reach(self) -> None:
        """Asks only whether the service answers."""
        self._check(self._send("GET", "/readyz", None))

    def estimate(self, model: str) -> float | None:
        """E[T] of what runs, for what was measured last; inf: no steady state, None: not to be had."""
        answer = self._send("POST", f"{self.at}/estimate", {"model": model})
        if not answer.is_success:
            return None
        found = self._parse(SeenEstimate, answer)
        return found.expected_sojourn_seconds if found.expected_sojourn_seconds is not None else inf

    def record(self, decision: str, outcome: dict[str, Any]) -> bool:
        """Records what became of a decision; false where the service has no such call."""
        answer = self._send("PUT", f"/v1/decisions/{decision}/outcome", outcome)
        if answer.status_code in NOT_THERE:
            return False
        self._check(answer)
        return True

    def _call(self, method: str, path: str, body: JsonValue) -> httpx.Response:
        return self._check(self._send(method, path, body))

    def _send(self, method: str, path: str, body: JsonValue) -> httpx.Response:
        self.check()
        return ask("service", lambda: self.client.request(method, path, json=body))

    @staticmethod
    def _check(answer: httpx.Response) -> httpx.Response:
        """The answer, where it is none of a problem."""
        if answer.is_success:
            return answer
        kind, why = _read_problem(answer)
        if answer.status_code >= 500 and kind != "stale-snapshots":
            raise Unanswered("service", f"answers {answer.status_code}. {why}".strip())
        raise NotDecided(kind, why)

    @staticmethod
    def _read(answer: httpx.Response) -> JsonValue:
        return read_json("service", answer)

    @staticmethod
    def _parse(kind: type[A], answer: httpx.Response) -> A:
        try:
            return kind.model_validate_json(answer.content)
        except ValidationError as error:
            what = error.errors()[0]
            place = "/".join(map(str, what["loc"]))
            why = f"answers what we cannot read ({place}: {what['msg']}): is it Headgate?"
            raise Unanswered("service", why) from error


def contains(stored: JsonValue, given: JsonValue) -> bool:
    """Whether a document says all that another one says; it may say more."""
    if isinstance(stored, dict) and isinstance(given, dict):
        return all(name in stored and contains(stored[name], value) for name, value in given.items())
    return stored == given


def _read_problem(answer: httpx.Response) -> tuple[str, str]:
    try:
        problem = answer.json()
        kind, why = str(problem["type"]), str(problem["detail"])
        more = "; ".join(f"{one['pointer']}: {one['detail']}" for one in problem.get("errors", []))
    except (ValueError, KeyError, TypeError):
        return "", f"{answer.status_code} at {answer.request.url.path}: {quote_text(answer)}"
    return kind, f"{why} ({more})" if more else why
