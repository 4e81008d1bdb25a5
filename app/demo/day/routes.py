"""/v1/demo: stores the demo of a day, as `headgate demo` does."""

from datetime import UTC, datetime

from fastapi import APIRouter, Response

from app.database.connections.transactions import SessionDep
from app.demo.day import service
from app.web.callers.security import may_store
from app.web.fields import Answer, show_example
from app.web.overload.admission import computes
from app.web.routing import SettingsDep, StrictJsonRoute, declare, tell_created


class DemoAnswer(Answer):
    """The stored demo: its topology and the numbers of snapshots and decisions."""

    model_config = show_example({"topology": "demo", "snapshots": 1390, "decisions": 47})

    topology: str
    snapshots: int
    decisions: int


router = APIRouter(prefix="/v1/demo", tags=["topologies"], route_class=StrictJsonRoute)


@router.post("", status_code=201, **declare(may_store, "Load the demo", "topology-exists"))
@computes
def load_demo(session: SessionDep, settings: SettingsDep, response: Response) -> DemoAnswer:
    """Stores topology `demo` with the day that ends now, in place of an earlier demo; takes some seconds.

    Another topology named `demo` is kept, and the call answers 409. DELETE the topology to remove the demo.
    """
    stored = service.store_demo(session, settings, datetime.now(UTC))
    tell_created(response, "topologies", service.NAME)
    return DemoAnswer(topology=service.NAME, snapshots=stored.snapshots, decisions=stored.decisions)
