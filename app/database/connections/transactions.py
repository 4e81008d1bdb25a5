"""Database engines, sessions, and the one transaction of each request."""

from collections.abc import Callable, Iterator
from typing import Annotated, TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar
from fastapi import Depends, Request, Response
from sqlalchemy import Connection, Engine, NullPool, event
from sqlalchemy.orm import Session, sessionmaker

from app.database.audit import audit_change
from app.database.connections.connection_room import PatientPool
from app.database.connections.watched_connections import make_watched_engine
from app.database.repeated_requests import keep_answer, replay_or_begin
from app.database.tables.base import caller
from app.settings import Settings
from app.web.callers.keys import ApiKey
from app.web.health import HEALTH_CONNECTIONS
from app.web.middleware import SAFE_METHODS

A = TypeVar("A")
LOCK_SHARE_IF_CROWDED = 0.125
"""The part of the usual limit for which a statement waits for a lock while most of the pool is in use."""


def make_engine(settings: Settings, url: str) -> Engine:
    """A pool of connections that are checked before use, so that no request fails after a restart of Postgres.

    Statements that wait for a lock never take the whole pool for long: while more than half of it is in use, a
    transaction begins with a shorter limit.
    """
    limit = round(settings.database_lock_timeout_seconds * 1000)
    engine = make_watched_engine(
        url,
        "headgate",
        settings.database_statement_timeout_seconds,
        f"-c lock_timeout={limit}",
        poolclass=PatientPool,
        pool_size=settings.database_pool_size,
        max_overflow=settings.database_pool_overflow,
        pool_timeout=settings.database_pool_timeout_seconds,
        pool_pre_ping=True,
    )
    pool, half = engine.pool, (settings.database_pool_size + settings.database_pool_overflow) // 2
    assert isinstance(pool, PatientPool)
    shorter = f"SET LOCAL lock_timeout = {max(round(LOCK_SHARE_IF_CROWDED * limit), 1)}"

    @event.listens_for(engine, "begin")
    def wait_shorter_if_crowded(connection: Connection) -> None:
        if pool.checkedout() > half:
            connection.exec_driver_sql(shorter)

    return engine


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
    caller.set(name_caller(request))
    session = factory()
    await to_thread.run_sync(session.connection, limiter=_limit_connecting())
    return session


def open_transaction(request: Request, session: Annotated[Session, Depends(connect)]) -> Iterator[Session]:
    """The transaction of one request: committed before the answer is sent, rolled back on any exception."""
    with session:
        begin_request(session, request)
        yield session
        if request.method not in SAFE_METHODS:
            end_request(session, request, request.state.answer)
        session.commit()


def store_alone(request: Request, make: Callable[[Session], A], answer: Callable[[A], Response]) -> A:
    """Stores something for a request in a transaction of its own; `answer` makes the answer from what was made."""
    caller.set(name_caller(request))
    with request.app.state.session_factory.begin() as session:
        begin_request(session, request)
        made = make(session)
        end_request(session, request, answer(made))
    request.state.repeat = None  # the answer is stored
    return made


def name_caller(request: Request) -> str | None:
    """The name of the key with which a request came; None without keys."""
    key: ApiKey | None = request.state.caller
    return key.name if key else None


def begin_request(session: Session, request: Request) -> None:
    """Ends a request that was answered before under its Idempotency-Key."""
    if (repeat := getattr(request.state, "repeat", None)) is not None:
        replay_or_begin(session, name_caller(request) or "", *repeat)


def end_request(session: Session, request: Request, answer: Response) -> None:
    """Adds what the request changed to the audit, and its answer under its Idempotency-Key."""
    audit_change(session, request, answer)
    if (repeat := getattr(request.state, "repeat", None)) is not None:
        keep_answer(session, name_caller(request) or "", *repeat, answer=answer)


def _limit_connecting() -> CapacityLimiter:
    """The limiter of the threads in which requests of this event loop wait for a connection."""
    limiter = _CONNECTING.get(None)
    if limiter is None:
        limiter = CapacityLimiter(MOST_CONNECTING)
        _CONNECTING.set(limiter)
    return limiter


# scope="function": the commit happens before the answer leaves, so a 201 means it is stored.
SessionDep = Annotated[Session, Depends(open_transaction, scope="function")]
