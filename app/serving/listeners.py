"""Listening sockets: one for the only server, or one for each worker, over which the kernel spreads connections."""

import ctypes
import socket
import struct
import sys
from contextlib import suppress

from app.settings import Settings

BACKLOG = 2048  # connections that the kernel holds until the service accepts them

# A packet filter (classic BPF) in the form of struct sock_filter: load the byte of TCP's flags, drop the packet
# if SYN is among them, else pass it whole.
DROP_NEW_CONNECTIONS = ((0x30, 0, 0, 13), (0x45, 0, 1, 0x02), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFFFFFF))
SO_ATTACH_FILTER = 26  # Linux; Python does not name it


def bind_listeners(settings: Settings) -> list[socket.socket]:
    """One listener per worker; a taken port is an error before anything starts, and early callers wait.

    Only Linux spreads connections over sockets with one port (SO_REUSEPORT); elsewhere the workers share one socket.
    """
    first = bind(settings.host, settings.port)
    if settings.workers == 1 or sys.platform != "linux":
        return [first] * settings.workers
    # SO_REUSEPORT would share a port with another service of this user without a word: the first socket, bound
    # without it, has shown that the port is free.
    port = first.getsockname()[1]
    first.close()
    return [bind(settings.host, port, shares_port=True) for _ in range(settings.workers)]


def bind(host: str, port: int, *, shares_port: bool = False) -> socket.socket:
    """A socket that listens."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shares_port:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def describe_address(listener: socket.socket) -> str:
    """The address as a browser wants it."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def refuse_new_connections(listener: socket.socket) -> None:
    """Drops the first packet of each new connection, so that none arrives between the last `accept` and `close`.

    The client's kernel sends it again after a second; by then the port is closed, or a new service serves it.
    """
    if sys.platform != "linux":
        return  # some microseconds remain in which a new connection would be reset
    instructions = b"".join(struct.pack("HBBI", *one) for one in DROP_NEW_CONNECTIONS)
    kept = ctypes.create_string_buffer(instructions)
    program = struct.pack("HP", len(DROP_NEW_CONNECTIONS), ctypes.addressof(kept))
    with suppress(OSError):  # a kernel without filters behaves as other systems do
        listener.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)
