"""Asks an engine over HTTP as the bridge does: the answer, the path and the time when it came."""

from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from typing import cast

import httpx
from pydantic import JsonValue

from app.engines.answers import EngineAnswer, EngineName


@dataclass
class HttpAsker:
    """GET of one engine's paths; raises httpx's errors."""

    url: str

    def get(self, path: str) -> EngineAnswer:
        """The answer, which must be JSON."""
        answer = httpx.get(self.url + path, timeout=60)
        answer.raise_for_status()
        return EngineAnswer(answer.json(), path, datetime.now(UTC))


def sample(engine: EngineName, url: str, job: str | None) -> list[EngineAnswer]:
    """One sample, by the paths that the engine's own module asks."""
    asked = import_module(f"app.engines.{engine}.asking").ask(HttpAsker(url), job)
    return cast("list[EngineAnswer]", asked)


def write_answers(answers: list[EngineAnswer]) -> dict[str, JsonValue]:
    """The body of POST .../snapshots/from/{engine}."""
    return {
        "answers": [
            {"path": one.path, "at": one.at.isoformat() if one.at else None, "body": one.body}
            for one in answers
        ]
    }
