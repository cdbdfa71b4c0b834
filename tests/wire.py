"""A tap on the wire between a browser and the server: passes every byte on and keeps a copy."""

import contextlib
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_REQUEST = re.compile(r"(?:GET|HEAD|POST|PUT|DELETE|OPTIONS) /\S* HTTP/1\.1")


@dataclass
class Tap:
    """What went over the wire; `url` is where a browser connects."""

    url: str
    received: bytearray = field(default_factory=bytearray)
    sent: bytearray = field(default_factory=bytearray)

    def requests(self) -> list[str]:
        """Return the request lines that browsers sent."""
        return _REQUEST.findall(self.sent.decode("latin-1"))


@contextmanager
def tapped(server_url: str) -> Iterator[Tap]:
    """Listen on a free port and pass everything to and from the server, until the block ends."""
    target = (urlsplit(server_url).hostname or "", urlsplit(server_url).port or 80)
    listener = socket.create_server(("127.0.0.1", 0))
    tap = Tap(f"http://127.0.0.1:{listener.getsockname()[1]}")
    threading.Thread(target=_accept, args=(listener, target, tap), daemon=True).start()
    try:
        yield tap
    finally:
        listener.close()


def _accept(listener: socket.socket, target: tuple[str, int], tap: Tap) -> None:
    with contextlib.suppress(OSError):
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(target)
            for one, other, copy in ((client, server, tap.sent), (server, client, tap.received)):
                threading.Thread(target=_pump, args=(one, other, copy), daemon=True).start()


def _pump(one: socket.socket, other: socket.socket, copy: bytearray) -> None:
    with contextlib.suppress(OSError):
        while data := one.recv(65536):
            copy += data
            other.sendall(data)
    with contextlib.suppress(OSError):
        other.shutdown(socket.SHUT_WR)
