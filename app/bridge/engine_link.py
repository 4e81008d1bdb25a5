"""One engine over HTTP: reads what it says of a job, and sends it a change."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from time import time

import httpx
from pydantic import JsonValue

from app.bridge.asking import Unanswered, describe, quote_text, read_json
from app.engines.answers import EngineAnswer, EngineName, UnreadableAnswer, load_part
from app.engines.patches import Counts, EnginePatch

OF_A_PROXY = {502, 503, 504}
"""Statuses after which nobody knows whether the engine has got the request."""


class PatchRefused(Exception):
    """The engine would not take a change on: what it said."""


class EngineLink:
    """Asks an engine; `check` is called before each request and may end the program."""

    def __init__(
        self,
        engine: EngineName,
        client: httpx.Client,
        job: str | None,
        check: Callable[[], None],
        clock: Callable[[], float] = time,
    ) -> None:
        self.engine, self.client, self.job, self.check, self.clock = engine, client, job, check, clock

    def get(self, path: str) -> EngineAnswer:
        """The answer to GET of this path, with the time when it came."""
        self.check()
        # httpx would add a slash to an address that has a path.
        answer = self.client.get(str(self.client.base_url).rstrip("/") if path == "/" else path)
        if not answer.is_success:
            raise Unanswered("engine", _describe_status(answer))
        came_at = datetime.fromtimestamp(self.clock(), UTC)
        return EngineAnswer(read_json("engine", answer), path, came_at)

    def look(self) -> list[EngineAnswer]:
        """One sample of what the engine says; Unanswered where it does not."""
        try:
            asking = load_part(self.engine, "asking")
            found: list[EngineAnswer] = asking.ask(self, self.job)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unanswered("engine", f"does not answer: {describe(error)}") from error
        except UnreadableAnswer as error:
            raise Unanswered("engine", f"cannot be read: {error.detail}") from error
        return found

    def make_patch(self, counts: Counts, marks: Mapping[str, JsonValue]) -> EnginePatch | None:
        """What to send to the engine, or to run; None where the engine cannot be changed."""
        try:
            patch = load_part(self.engine, "patch")
        except ModuleNotFoundError:
            return None
        made: EnginePatch = patch.make_patch(counts, marks)
        return made

    def send(self, patch: EnginePatch) -> None:
        """Sends a change; PatchRefused where the engine will not take it on, Unanswered where nobody knows."""
        assert patch.method is not None
        assert patch.path is not None
        method, path = patch.method, patch.path
        try:
            answer = self.client.request(method, path, json=patch.body)
        except httpx.TransportError as error:
            raise Unanswered("engine", f"does not answer: {describe(error)}") from error
        if answer.status_code in OF_A_PROXY:
            raise Unanswered("engine", _describe_status(answer))
        if not answer.is_success:
            raise PatchRefused(f"the engine refused the change ({answer.status_code}): {quote_text(answer)}")


def _describe_status(answer: httpx.Response) -> str:
    path, said = answer.request.url.path, quote_text(answer)
    if answer.status_code in {401, 403}:
        return f"refuses us ({answer.status_code} at {path}): check the credentials. {said}".strip()
    return f"answers {answer.status_code} at {path}. {said}".strip()
