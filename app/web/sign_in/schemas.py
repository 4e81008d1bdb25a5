"""Sessions as JSON."""

from datetime import datetime
from typing import Annotated

from pydantic import ConfigDict, Field

from app.web.fields import Answer, Body


class SignIn(Body):
    """The key of a browser that signs in."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"key": "one-of-HEADGATE_API_KEYS"}]})

    key: Annotated[str, Field(min_length=1, max_length=1000)]


class SessionAnswer(Answer):
    """What the caller may do."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"keys_required": True, "may_read": True, "may_store": False, "expires_at": None}]
        }
    )

    keys_required: Annotated[bool, Field(description="Whether HEADGATE_API_KEYS are set.")]
    may_read: bool
    may_store: bool
    expires_at: Annotated[
        datetime | None,
        Field(description="When a browser that has signed in must do so again; null elsewhere."),
    ] = None
