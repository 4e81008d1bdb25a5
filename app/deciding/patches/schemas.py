"""Patches as JSON."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from app.web.fields import Answer

PatchFormat = Literal["flink", "storm", "heron", "keda", "kubernetes", "flink-operator", "json"]


class PatchAnswer(Answer):
    """What to send where, so that the recommended processors run; nothing is sent by this service."""

    decision_id: UUID
    topology: str
    action: Annotated[str, Field(description="Of the decision; `hold` changes nothing.")]
    format: PatchFormat
    method: Annotated[str | None, Field(description="null: it is no HTTP request.")]
    path: Annotated[str | None, Field(description="Below the engine's, or Kubernetes', address.")]
    content_type: Annotated[str | None, Field(description="Of the body; null: no HTTP request.")]
    body: Annotated[Any, Field(description="A list: one document, or one request, for each of its items.")]
    command: Annotated[str | None, Field(description="The same for a shell, one command a line; null: none.")]
    notes: Annotated[list[str], Field(description="What the change needs and costs.")]
    placeholders: Annotated[
        list[str], Field(description="The parts that you must fill in before you send it; empty: none.")
    ]
