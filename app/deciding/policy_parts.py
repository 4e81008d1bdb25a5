"""Parts of a policy as JSON that few policies have: the largest step of a change, prices, and a webhook."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from app.web.fields import Body
from app.web.outgoing import split_address


class MaxStepBody(Body):
    """The factors by which one change may multiply the processors of an operator; at least one processor."""

    up: Annotated[float, Field(gt=1, le=1e6)] = 1e6
    down: Annotated[float, Field(ge=0, lt=1)] = 0.0


class Prices(Body):
    """What a processor-hour and a minute over the target cost, in the same money."""

    processor_hour: Annotated[float, Field(ge=1e-9, le=1e9)]
    late_minute: Annotated[float, Field(ge=1e-9, le=1e9)]

    @property
    def late_minute_price(self) -> float:
        """The processor-minutes that a late minute counts for."""
        return 60.0 * self.late_minute / self.processor_hour


class WebhookBody(Body):
    """Who is told when the action of the standing decision changes, or measurements become too old."""

    url: Annotated[str, Field(max_length=2000, description="On a host of HEADGATE_WEBHOOK_HOSTS.")]
    form: Literal["json", "slack"] = "json"

    @field_validator("url")
    @classmethod
    def refuse_other_addresses(cls, url: str) -> str:
        """Accepts http and https addresses without user and password."""
        split_address(url)
        return url
