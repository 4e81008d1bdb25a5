"""Stores answers under their Idempotency-Key in the transaction of what they stored, for 24 h, by the caller's key."""

from datetime import timedelta

from fastapi import Response
from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.database.tables import RepeatedRequestRow
from app.web.problems.errors import IdempotencyKeyInUse, IdempotencyKeyReused
from app.web.repeats import KEPT_HEADERS, Replayed

LIFETIME = timedelta(hours=24)
MOST_FORGOTTEN = 1000
"""Rows that one request deletes at most, because their time is over."""

IS_OLD = RepeatedRequestRow.created_at <= func.now() - LIFETIME


def replay_or_begin(session: Session, caller: str, key: str, digest: bytes) -> None:
    """Raises Replayed if the request was answered before; else later requests with the key wait for this one's end.

    A request that is sent again while the first one runs gets IdempotencyKeyInUse: to wait here would take a
    connection from other requests.
    """
    lock = func.pg_try_advisory_xact_lock(func.hashtextextended(f"repeated:{caller}:{key}", 0))
    if not session.scalar(select(lock)):
        raise IdempotencyKeyInUse(retry_after_seconds=1)
    row = session.scalar(select(RepeatedRequestRow).filter_by(caller=caller, key=key).where(~IS_OLD))
    if row is None:
        return
    if row.digest != digest:
        raise IdempotencyKeyReused(key)
    raise Replayed(Response(row.body, row.status, dict(row.headers)))


def keep_answer(session: Session, caller: str, key: str, digest: bytes, *, answer: Response) -> None:
    """Stores the answer, so that it and what the request stored are committed together."""
    kept = {
        "digest": digest,
        "status": answer.status_code,
        "headers": {name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers},
        "body": bytes(answer.body),
        "created_at": func.now(),
    }
    statement = insert(RepeatedRequestRow).values(caller=caller, key=key, **kept)
    statement = statement.on_conflict_do_update(index_elements=["caller", "key"], set_=kept, where=IS_OLD)
    if session.scalar(statement.returning(RepeatedRequestRow.key)) is None:
        raise IdempotencyKeyInUse(retry_after_seconds=1)  # the same request, sent twice, has just been stored
    forget_old(session)


def forget_old(session: Session) -> None:
    """Deletes answers whose time is over, except those that another request deletes just now."""
    old = (
        select(RepeatedRequestRow.caller, RepeatedRequestRow.key)
        .where(IS_OLD)
        .limit(MOST_FORGOTTEN)
        .with_for_update(skip_locked=True)
        .cte()
    )
    session.execute(
        delete(RepeatedRequestRow).where(
            RepeatedRequestRow.caller == old.c.caller, RepeatedRequestRow.key == old.c.key
        )
    )
