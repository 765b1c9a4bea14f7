"""A directory of users for tests: the one question of LDAP that HiveServer2 asks, whether a name has a password."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_BIND, _BIND_ANSWER, _PASSWORD = 0x60, 0x61, 0x80
_SUCCESS, _INVALID_CREDENTIALS = 0, 49


def _read(data: bytes) -> tuple[int, bytes, bytes]:
    """Return the tag and the content of the first BER value, and the rest."""
    size, start = data[1], 2
    if size & 0x80:
        start += size & 0x7F
        size = int.from_bytes(data[2:start], "big")
    return data[0], data[start : start + size], data[start + size :]


def _written(tag: int, content: bytes) -> bytes:
    return bytes([tag, len(content)]) + content


def _answer(message: bytes, users: dict[str, str]) -> bytes:
    """Answer a bind with a simple password (RFC 4511, 4.2); ignore other requests."""
    _, number, operation = _read(_read(message)[1])
    tag, content, _ = _read(operation)
    if tag != _BIND:
        return b""
    _, name, credentials = _read(_read(content)[2])
    kind, password, _ = _read(credentials)
    is_known = kind == _PASSWORD and users.get(name.decode()) == password.decode()
    code = _SUCCESS if is_known else _INVALID_CREDENTIALS
    result = _written(0x0A, bytes([code])) + _written(0x04, b"") + _written(0x04, b"")
    return _written(0x30, _written(0x02, number) + _written(_BIND_ANSWER, result))


@contextmanager
def directory(users: dict[str, str]) -> Iterator[str]:
    """Answer binds on 127.0.0.1; yields the URL.

    Args:
        users: The password of each distinguished name.
    """

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            while message := self.request.recv(65536):
                if answer := _answer(message, users):
                    self.request.sendall(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"ldap://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
