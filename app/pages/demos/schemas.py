"""The demo as JSON."""

from pydantic import ConfigDict

from app.web.fields import Answer


class DemoAnswer(Answer):
    """What was stored."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": "demo", "snapshots": 1390, "decisions": 47}]}
    )

    topology: str
    snapshots: int
    decisions: int
