"""Database engines, sessions, and the one transaction of each request."""

from collections.abc import Iterator
from typing import Annotated

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar
from fastapi import Depends, Request
from sqlalchemy import Engine, NullPool
from sqlalchemy.orm import Session, sessionmaker

from app.database.connection_room import PatientPool
from app.database.watched_connections import make_watched_engine
from app.settings import Settings
from app.web.health import HEALTH_CONNECTIONS


def make_engine(settings: Settings, url: str) -> Engine:
    """A pool of connections that are checked before use, so that no request fails after a restart of Postgres."""
    return make_watched_engine(
        url,
        "headgate",
        settings.database_statement_timeout_seconds,
        f"-c lock_timeout={round(settings.database_lock_timeout_seconds * 1000)}",
        poolclass=PatientPool,
        pool_size=settings.database_pool_size,
        max_overflow=settings.database_pool_overflow,
        pool_timeout=settings.database_pool_timeout_seconds,
        pool_pre_ping=True,
    )


def make_health_engine(url: str) -> Engine:
    """A pool with one connection for /readyz alone, so that /readyz does not wait for long requests."""
    return make_watched_engine(
        url, "headgate-health", 5.0, pool_size=HEALTH_CONNECTIONS, max_overflow=0, pool_pre_ping=True
    )


def make_metrics_engine(url: str) -> Engine:
    """Makes a connection for each scrape of /metrics, which is closed afterwards; its statements time out after 3 s."""
    read_only = "-c default_transaction_read_only=on"
    return make_watched_engine(url, "headgate-metrics", 3.0, read_only, poolclass=NullPool)


# The threads of one event loop that wait for a connection. Requests share other threads: a request with a connection
# needs one of those to finish and return the connection.
_CONNECTING: RunVar[CapacityLimiter] = RunVar("connecting")
MOST_CONNECTING = 64


async def connect(request: Request) -> Session:
    """A session with an open connection; a request that waits for a connection blocks no thread of other requests."""
    factory: sessionmaker[Session] = request.app.state.session_factory
    session = factory()
    await to_thread.run_sync(session.connection, limiter=_limit_connecting())
    return session


def open_transaction(session: Annotated[Session, Depends(connect)]) -> Iterator[Session]:
    """The transaction of one request: committed before the answer is sent, rolled back on any exception."""
    with session:
        yield session
        session.commit()


def _limit_connecting() -> CapacityLimiter:
    """The limiter of the threads in which requests of this event loop wait for a connection."""
    limiter = _CONNECTING.get(None)
    if limiter is None:
        limiter = CapacityLimiter(MOST_CONNECTING)
        _CONNECTING.set(limiter)
    return limiter


# scope="function": the commit happens before the answer leaves, so a 201 means it is stored.
SessionDep = Annotated[Session, Depends(open_transaction, scope="function")]
