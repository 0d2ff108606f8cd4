"""Unix sockets with a long path: the kernel takes 107 characters, a folder's handle is short."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

LIMIT = 100


def listen(path: Path) -> socket.socket:
    """A listening socket at `path`, for us alone. One left over from a dead process is replaced."""
    path.unlink(missing_ok=True)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        _through_folder(path, sock.bind)
    finally:
        os.umask(before)
    sock.listen(128)
    sock.setblocking(False)
    return sock


def connect(path: Path, timeout: float) -> socket.socket:
    """A connected socket; OSError if nobody listens there. `timeout` in seconds."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.settimeout(timeout)
    try:
        _through_folder(path, sock.connect)
    except OSError:
        sock.close()
        raise
    return sock


def _through_folder(path: Path, act: Callable[[str], object]) -> None:
    if len(str(path)) < LIMIT:
        act(str(path))
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        act(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)
