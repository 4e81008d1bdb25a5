"""/v1/demo/live: starts the demo that runs inside the service, shows whether it runs, and loads it."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from app.database.connections.transactions import SessionDep
from app.database.tables import LiveDemoRow
from app.demo.live import service
from app.settings import Settings
from app.web.callers.security import may_read, may_store
from app.web.fields import Answer, Body, UtcTime, show_example
from app.web.overload.admission import computes
from app.web.problems.errors import DemoOff
from app.web.routing import SettingsDep, StrictJsonRoute, declare, tell_created


class LiveLoad(Body):
    """How much of its day's rate the live demo gets."""

    model_config = show_example({"load_factor": 2.0})

    load_factor: Annotated[float, Field(ge=0.1, le=5, description="1: the rate of its day.")]


class LiveState(Answer):
    """Whether the live demo runs, until when, and with which load."""

    model_config = show_example(
        {
            "minutes": 240,
            "topology": "demo-live",
            "is_running": True,
            "load_factor": 1.0,
            "runs_until": "2026-11-18T16:00:00Z",
        }
    )

    minutes: Annotated[int, Field(description="HEADGATE_DEMO_MINUTES; 0: no live demo may run.")]
    topology: str | None = None
    is_running: bool = False
    load_factor: float | None = None
    runs_until: UtcTime | None = None


router = APIRouter(prefix="/v1/demo/live", tags=["topologies"], route_class=StrictJsonRoute)


@router.get("", **declare(may_read, "The state of the live demo"))
def get_live_demo(session: SessionDep, settings: SettingsDep) -> LiveState:
    """Whether it runs, until when, and with which load."""
    return describe_live(service.find_live(session), settings)


@router.post("", status_code=201, **declare(may_store, "Start the live demo", "topology-exists", "demo-off"))
@computes
def start_live_demo(session: SessionDep, settings: SettingsDep, response: Response) -> LiveState:
    """Stores topology `demo-live` in place of an earlier one; a platform inside the service goes on with it.

    Its day takes 24 minutes. It stores a snapshot every 5 s, decides, and applies the decision.
    """
    refuse_if_off(settings)
    service.start_live(session, settings, datetime.now(UTC))
    tell_created(response, "topologies", service.LIVE_NAME)
    return describe_live(service.find_live(session), settings)


@router.put("", **declare(may_store, "Load the live demo", "unknown-topology", "demo-off"))
def load_live_demo(body: LiveLoad, session: SessionDep, settings: SettingsDep) -> LiveState:
    """Multiplies the rate of its day from the next interval on, and lets it run for the setting's time again."""
    refuse_if_off(settings)
    return describe_live(service.set_load(session, settings, body.load_factor, datetime.now(UTC)), settings)


def refuse_if_off(settings: Settings) -> None:
    """Raises DemoOff if the settings allow no live demo."""
    if not settings.demo_minutes:
        raise DemoOff


def describe_live(row: LiveDemoRow | None, settings: Settings) -> LiveState:
    """The state of the live demo; without a row none is stored."""
    if row is None:
        return LiveState(minutes=settings.demo_minutes)
    return LiveState(
        minutes=settings.demo_minutes,
        topology=service.LIVE_NAME,
        is_running=bool(settings.demo_minutes) and row.runs_until > datetime.now(UTC),
        load_factor=row.load_factor,
        runs_until=row.runs_until,
    )
