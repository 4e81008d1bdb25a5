"""Database connections that give up when the server falls silent: a stopped server accepts packets and answers none.

While a statement waits for long, a new connection asks whether the server still answers. So a long statement of a
working server goes on, and one of a silent server fails within seconds.
"""

from collections.abc import Generator
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

import psycopg
from psycopg.errors import ConnectionTimeout, OperationalError
from sqlalchemy import Engine, create_engine, event

T = TypeVar("T")

LONG_SECONDS = 1.5  # a statement that waits for longer makes its connection ask
ASKING_SECONDS = 2  # the least that psycopg knows
KNOWN_SECONDS = 1.0  # for this time an answer is believed
CONNECT_SECONDS = 3
SPARE_SECONDS = 5.0  # for the server to end a statement by its own limit first
SILENT = "the database server does not answer"
KEPT_ALIVE = {
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 5_000,
}
"""libpq's parameters by which the kernel finds a network or a machine that is gone."""


class Pulse:
    """Tells whether the server of an engine answers new connections; the result is remembered for a moment.

    `most_seconds`: a statement that waits for longer fails in any case.
    """

    def __init__(self, parameters: dict[str, Any], most_seconds: float) -> None:
        self._parameters = parameters
        self.most_seconds = most_seconds
        self._lock = Lock()
        self._asked_at = -KNOWN_SECONDS
        self._answers = True

    def find(self) -> bool:
        """Whether the server answers new connections; asks it unless another caller did so a moment ago."""
        with self._lock:
            if monotonic() - self._asked_at >= KNOWN_SECONDS:
                self._answers = self._ask()
                self._asked_at = monotonic()
            return self._answers

    def connect(self, *arguments: Any, **parameters: Any) -> "WatchedConnection":
        """A new connection; fails at once if the server was silent a moment ago."""
        if not self._answers and monotonic() - self._asked_at < KNOWN_SECONDS:
            raise OperationalError(SILENT)
        try:
            connection = WatchedConnection.connect(*arguments, **parameters)
        except ConnectionTimeout:
            self._answers, self._asked_at = False, monotonic()
            raise
        connection.pulse = self
        return connection

    def _ask(self) -> bool:
        try:
            psycopg.connect(**self._parameters | {"connect_timeout": ASKING_SECONDS}).close()
        except ConnectionTimeout:
            return False
        except OperationalError:
            pass  # it refused, for example because it has no free connection: that is an answer
        return True


class WatchedConnection(psycopg.Connection[Any]):
    """A connection whose statements fail when the server is silent."""

    pulse: Pulse | None = None

    def wait(self, gen: Generator[Any, Any, T], *arguments: Any, **named: Any) -> T:
        """Runs a step of the database protocol and watches the server meanwhile; psycopg calls this for every
        statement.
        """
        return super().wait(self._watch(gen), *arguments, **named)

    def _watch(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        began = monotonic()
        try:
            state = next(gen)
            while True:
                ready = yield state
                if not ready:  # nothing came for a tenth of a second
                    self._give_up_if_silent(monotonic() - began)
                state = gen.send(ready)
        except StopIteration as ended:
            result: T = ended.value
            return result

    def _give_up_if_silent(self, waited_seconds: float) -> None:
        if self.pulse is None or waited_seconds < LONG_SECONDS:
            return
        if waited_seconds > self.pulse.most_seconds or not self.pulse.find():
            self.pgconn.finish()
            raise OperationalError(SILENT)


def make_watched_engine(
    url: str, name: str, statement_seconds: float, options: str = "", **pool: Any
) -> Engine:
    """An engine of watched connections in UTC; `name` is shown by the server, `pool` are arguments of create_engine.

    The server ends a statement after `statement_seconds`, and the connection itself a little later.
    """
    parameters = {
        **KEPT_ALIVE,
        "connect_timeout": CONNECT_SECONDS,
        "application_name": name,
        "options": f"-c timezone=UTC -c statement_timeout={round(statement_seconds * 1000)} {options}".rstrip(),
    }
    engine = create_engine(url, connect_args=parameters, **pool)
    asked = engine.dialect.create_connect_args(engine.url)[1]
    pulse = Pulse({**asked, **parameters}, statement_seconds + SPARE_SECONDS)

    @event.listens_for(engine, "do_connect")
    def connect(
        _dialect: Any, _record: Any, arguments: list[Any], parameters: dict[str, Any]
    ) -> WatchedConnection:
        return pulse.connect(*arguments, **parameters)

    return engine
