"""The errors of the client: the service refuses with a problem, or nobody answers."""

import json
from collections.abc import Mapping
from typing import Any

import httpx


class HeadgateError(Exception):
    """The error that a call has no answer; its two kinds say why."""


class HeadgateProblem(HeadgateError):
    """A problem that the service answers. `type` is a stable word, such as `no-snapshot`; docs/problems.md has all.

    `errors` lists what to change in the request; `fields` holds every field, such as `needed` of `budget-too-small`.
    """

    def __init__(self, status: int, fields: Mapping[str, Any]) -> None:
        super().__init__(f"{fields['type']}: {fields['detail']}")
        self.status = status
        self.type: str = fields["type"]
        self.detail: str = fields["detail"]
        self.errors: list[dict[str, str]] = fields.get("errors") or []
        self.fields = dict(fields)


class NoAnswer(HeadgateError):
    """Nobody answers at the address, or what answers is not Headgate."""


def read_problem(answer: httpx.Response) -> HeadgateError:
    """The error that an answer without success is."""
    try:
        fields = json.loads(answer.content)
        return HeadgateProblem(answer.status_code, fields)
    except (ValueError, KeyError, TypeError):
        return NoAnswer(f"{answer.url} answered {answer.status_code} without a problem: is it Headgate?")
