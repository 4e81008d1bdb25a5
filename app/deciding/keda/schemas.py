"""What KEDA reads."""

from typing import Annotated

from pydantic import Field

from app.web.fields import Answer


class KedaValue(Answer):
    """The processors of one operator; KEDA's metrics-api scaler reads `value`."""

    value: Annotated[int, Field(ge=1)]
