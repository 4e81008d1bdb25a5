"""/healthz and /readyz: whether the process lives, and whether it can serve; on the main port and the health port."""

import asyncio
from typing import Literal

from fastapi import APIRouter, FastAPI, Request
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from app.web.life_signs import LifeSigns
from app.web.problems.documented_problems import document_problems
from app.web.problems.errors import NotReady
from migrations.runner import read_revision

router = APIRouter(tags=["health"])
listener_router = APIRouter()
"""The same addresses on the health port, where another thread or process answers than the one that is asked about."""

HEALTH_CONNECTIONS = 1  # of each worker

STUCK_SECONDS = 30.0  # an event loop that did not run for this time will hardly run again
ANSWER_SECONDS = 1.5  # a database that does not answer in this time is not ready


class Live(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Ready(BaseModel):
    """The database is reachable and has the schema that this version expects."""

    status: Literal["ready"] = "ready"
    schema_revision: str


@router.get("/healthz", summary="Is the process alive?")
async def check_liveness() -> Live:
    """Does not use the database. Restart the process if this fails."""
    return Live()


@router.get("/readyz", summary="Can it serve?", responses={503: document_problems("not-ready")[503]})
async def check_readiness(request: Request) -> Ready:
    """Send no traffic to this process while this fails."""
    app: FastAPI = request.app
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            ready: Ready = await app.state.readiness.ask(app)
    except TimeoutError as error:
        raise NotReady(
            "The database does not answer: check that Postgres runs and is not stopped."
        ) from error
    return ready


@listener_router.get("/healthz")
async def check_event_loops(request: Request) -> Live:
    """Fails if a worker's event loop is stuck; while it is only busy, the worker is alive."""
    signs: LifeSigns = request.app.state.life_signs
    silence = signs.longest_silence_seconds
    if silence > STUCK_SECONDS:
        raise NotReady(f"A worker has answered nothing for {silence:.0f} s: restart the service.")
    return Live()


@listener_router.get("/readyz")
async def check_workers_and_database(request: Request) -> Ready:
    """Fails while no worker serves, and while the database cannot be used."""
    signs: LifeSigns = request.app.state.life_signs
    if not signs.serving:
        raise NotReady("No worker serves: the service starts or ends.")
    return await check_readiness(request)


def compare_revisions(app: FastAPI) -> Ready:
    """Raises NotReady if the database cannot be reached, or has another schema than this version needs."""
    expected = app.state.newest_revision
    try:
        with app.state.health_engine.connect() as connection:
            found = read_revision(connection)
    except SQLAlchemyError as error:
        raise NotReady(
            "The database cannot be reached: check HEADGATE_DATABASE_URL and that Postgres runs."
        ) from error
    if found != expected:
        raise NotReady(
            f"The database has schema {found or 'none'}, this version needs {expected}: "
            "run `headgate migrate`."
        )
    return Ready(schema_revision=expected)
