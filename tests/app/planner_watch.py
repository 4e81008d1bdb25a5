"""Sees whether a statement goes to the database while the planner is timed."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from prometheus_client.context_managers import Timer
from sqlalchemy import event
from sqlalchemy.orm import Session


class Watch:
    """Counts what the planner was timed for, and the statements that were sent meanwhile."""

    def __init__(self) -> None:
        self.open_timers, self.timed = 0, 0
        self.statements: list[str] = []
        self.statements_while_timed: list[str] = []

    def see_statement(self, *arguments: Any) -> None:
        """Hears every statement, with its SQL as the third argument."""
        self.statements.append(arguments[2])
        if self.open_timers:
            self.statements_while_timed.append(arguments[2])


@contextmanager
def watching(session: Session, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    """Watches the session's statements and the timers of this thread."""
    watch, thread = Watch(), threading.get_ident()
    enter, leave = Timer.__enter__, Timer.__exit__

    def enter_seen(timer: Timer) -> Timer:
        watch.open_timers += threading.get_ident() == thread
        watch.timed += 1
        enter(timer)
        return timer

    def leave_seen(timer: Timer, *error: Any) -> None:
        watch.open_timers -= threading.get_ident() == thread
        leave(timer, *error)

    monkeypatch.setattr(Timer, "__enter__", enter_seen)
    monkeypatch.setattr(Timer, "__exit__", leave_seen)
    engine = session.get_bind()
    event.listen(engine, "before_cursor_execute", watch.see_statement)
    yield watch
    event.remove(engine, "before_cursor_execute", watch.see_statement)
