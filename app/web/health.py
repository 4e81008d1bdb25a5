"""/healthz and /readyz: whether the process lives, and whether it can serve."""

import asyncio
from typing import Literal

from fastapi import APIRouter, FastAPI, Request
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from app.web.problems.documented_problems import document_problems
from app.web.problems.errors import NotReady
from migrations.runner import read_revision

router = APIRouter(tags=["health"])

HEALTH_CONNECTIONS = 1  # of each worker

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
