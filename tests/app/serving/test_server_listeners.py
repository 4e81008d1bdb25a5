"""Listeners: a taken port is refused, the kernel spreads connections, and a filter stops new ones."""

import re
import select
import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pytest

from app.serving.server import CannotListen, bind_listeners, describe_address, refuse_new_connections
from app.settings import Settings


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def bind_two(stack: ExitStack) -> list[socket.socket]:
    listeners = bind_listeners(Settings(port=0, workers=2))
    for listener in listeners:
        stack.callback(listener.close)
        listener.settimeout(0)
    return listeners


def open_client(stack: ExitStack, listener: socket.socket) -> socket.socket:
    """A client; over loopback its connection is made before this returns, unless the kernel drops it."""
    client = stack.enter_context(socket.socket())
    client.settimeout(0)
    client.connect_ex(listener.getsockname())
    return client


def accept_all(stack: ExitStack, listener: socket.socket) -> int:
    accepted = 0
    while select.select([listener], [], [], 0)[0]:
        stack.enter_context(listener.accept()[0])
        accepted += 1
    return accepted


def find_connected(clients: Sequence[socket.socket]) -> list[socket.socket]:
    return select.select([], clients, [], 0)[1]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_taken_port_is_refused_however_many_workers_would_share_it(stack: ExitStack, workers: int):
    """The other program shares its port too, as another service of this user does."""
    taken = bind_two(stack)[0]
    port = taken.getsockname()[1]
    with pytest.raises(CannotListen, match=f"cannot listen on 127.0.0.1:{port}: "):
        bind_listeners(Settings(port=port, workers=workers))


def test_an_address_of_another_machine_is_refused():
    with pytest.raises(CannotListen, match=re.escape("192.0.2.1")):
        bind_listeners(Settings(host="192.0.2.1", port=0))


def test_each_worker_has_a_listener_of_one_port(stack: ExitStack):
    listeners = bind_listeners(Settings(port=0, workers=4))
    for listener in listeners:
        stack.callback(listener.close)
    assert len(listeners) == 4
    assert len({listener.getsockname() for listener in listeners}) == 1
    assert describe_address(listeners[0]) == f"http://127.0.0.1:{listeners[0].getsockname()[1]}"


def test_connections_are_spread_over_the_listeners(stack: ExitStack):
    """By a hash of the addresses: that one of two gets none of 64 has a probability of 2⁻⁶³."""
    listeners = bind_two(stack)
    clients = [open_client(stack, listeners[0]) for _ in range(64)]
    assert len(find_connected(clients)) == 64
    shares = [accept_all(stack, listener) for listener in listeners]
    assert sum(shares) == 64
    assert min(shares) > 0


def test_a_filtered_listener_gets_no_new_connection_and_keeps_those_that_wait(stack: ExitStack):
    listener = bind_listeners(Settings(port=0))[0]
    stack.callback(listener.close)
    waiting = open_client(stack, listener)
    refuse_new_connections(listener)
    late = open_client(stack, listener)
    assert find_connected([waiting, late]) == [waiting]
    assert accept_all(stack, listener) == 1
