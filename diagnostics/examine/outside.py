"""Looks at published ports from outside, as a customer would: plain sockets, all at once.

The server speaks first wherever its protocol lets it, so nothing is sent before a banner is read.
"""

import errno
import selectors
import socket
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from ipaddress import ip_address

from diagnostics.probes.reading import ExpectedPath, OutsideCheck

CONNECT_S = 3.0
ANSWER_S = 5.0
AT_ONCE = 64
LINE = 120
# Read the banner, then say who we are and leave: sshd notes one INFO line for that. A bare
# connect without an ident costs two lines, one of them an error (measured with OpenSSH 9.2).
IDENT = b"SSH-2.0-Halfhour\r\n"
RDP_HELLO = bytes.fromhex("030000130ee000000000000100080003000000")
_resolver = ThreadPoolExecutor(max_workers=4, thread_name_prefix="resolve")


@dataclass(slots=True)
class _Look:
    """One connection on its way; times are monotonic."""

    path: ExpectedPath
    begun: float
    until: float
    deadline: float
    sock: socket.socket | None = None
    connected: bool = False
    got: bytearray = field(default_factory=bytearray)
    result: OutsideCheck | None = None


def look(paths: Sequence[ExpectedPath], *, deadline: float) -> list[OutsideCheck]:
    """Check every path by its kind; in the order given, never raising, done by `deadline`."""
    results: list[OutsideCheck] = []
    for start in range(0, len(paths), AT_ONCE):
        results += _look_at(paths[start : start + AT_ONCE], deadline)
    return results


def any_answers(addresses: Iterable[tuple[str, int]], *, deadline: float) -> bool:
    """Whether at least one of these TCP ports accepts; a refusal may be our own firewall's."""
    paths = [
        ExpectedPath(id=n, lease="", kind="tcp", host=h, port=p, node_port=p, container_port=None)
        for n, (h, p) in enumerate(addresses)
    ]
    return any(check.outcome == "ok" for check in look(paths, deadline=deadline))


def _look_at(paths: Sequence[ExpectedPath], deadline: float) -> list[OutsideCheck]:
    looks = [_begin(path, deadline) for path in paths]
    with selectors.DefaultSelector() as selector:
        for each in looks:
            if each.result is None and each.sock is not None:
                selector.register(each.sock, selectors.EVENT_WRITE, each)
        try:
            _attend(selector, looks)
        finally:
            for each in looks:
                if each.sock is not None:
                    each.sock.close()
    return [each.result or _over(each) for each in looks]


def _attend(selector: selectors.BaseSelector, looks: list[_Look]) -> None:
    while waiting := [each for each in looks if each.result is None]:
        left = min(each.until for each in waiting) - time.monotonic()
        for key, _events in selector.select(max(left, 0.0)):
            each: _Look = key.data
            _step(selector, each)
            if each.result is not None and each.sock is not None:
                selector.unregister(each.sock)
                each.sock.close()
                each.sock = None
        now = time.monotonic()
        for each in waiting:
            if each.result is None and each.until <= now:
                each.result = _over(each)
                if each.sock is not None:
                    selector.unregister(each.sock)


def _begin(path: ExpectedPath, deadline: float) -> _Look:
    now = time.monotonic()
    each = _Look(path=path, begun=now, until=min(now + CONNECT_S, deadline), deadline=deadline)
    try:
        family, where = _where(path.host, path.port, max(each.until - now, 0.1))
    except OSError:
        each.result = _result(each, "error", "ENOTFOUND")
        return each
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setblocking(False)
    each.sock = sock
    code = sock.connect_ex(where)
    if code not in {0, errno.EINPROGRESS, errno.EWOULDBLOCK}:
        each.result = _failed(each, code)
    return each


def _where(host: str, port: int, timeout: float) -> tuple[int, tuple[object, ...]]:
    """Family and address of a name; a number needs no look-up. Raises OSError."""
    try:
        version = ip_address(host).version
    except ValueError:
        found = _resolver.submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        info = found.result(timeout=timeout)  # TimeoutError is an OSError
        return info[0][0], info[0][4]
    return (socket.AF_INET if version == 4 else socket.AF_INET6), (host, port)


def _step(selector: selectors.BaseSelector, each: _Look) -> None:
    if each.sock is None:
        return
    try:
        if not each.connected:
            _connected(selector, each)
        else:
            _read(each)
    except OSError as error:
        each.result = _failed(each, error.errno or 0)


def _connected(selector: selectors.BaseSelector, each: _Look) -> None:
    assert each.sock is not None
    code = each.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if code:
        each.result = _failed(each, code)
        return
    each.connected = True
    if each.path.kind == "tcp":
        each.result = _result(each, "ok")
        return
    hello = _hello(each.path)
    if hello:
        each.sock.send(hello)
    each.until = min(time.monotonic() + ANSWER_S, each.deadline)
    selector.modify(each.sock, selectors.EVENT_READ, each)


def _hello(path: ExpectedPath) -> bytes:
    """What a protocol in which the client speaks first expects from us."""
    if path.kind in {"http", "jupyter"}:
        return (
            f"HEAD / HTTP/1.1\r\nHost: {path.host}:{path.port}\r\n"
            "User-Agent: Halfhour\r\nConnection: close\r\n\r\n"
        ).encode("ascii", "replace")
    return RDP_HELLO if path.kind == "rdp" else b""


def _read(each: _Look) -> None:
    assert each.sock is not None
    data = each.sock.recv(1024)
    if not data:
        each.result = _result(each, "no_banner" if not each.got else "wrong_banner", _line(each))
        return
    each.got += data
    verdict = _judge(each.path.kind, bytes(each.got))
    if verdict is None:
        return
    if each.path.kind == "ssh" and verdict == "ok":
        each.sock.send(IDENT)
    each.result = _result(each, verdict, _line(each))


def _judge(kind: str, got: bytes) -> str | None:
    """`ok`, `wrong_banner`, or None while more must come."""
    if kind == "rdp":
        return "ok" if got[:1] == b"\x03" else "wrong_banner"
    start = {"ssh": b"SSH-", "vnc": b"RFB "}.get(kind, b"HTTP/")
    for line in got.split(b"\n")[:-1]:
        if line.startswith(start):
            return "ok"
        if kind != "ssh":  # only SSH allows other lines before its banner (RFC 4253, 4.2)
            return "wrong_banner"
    return "wrong_banner" if len(got) > 4096 else None


def _line(each: _Look) -> str:
    """The line that decided, printable and short; the far side is not trusted."""
    lines = bytes(each.got).split(b"\n")
    start = b"SSH-" if each.path.kind == "ssh" else b""
    chosen = next((line for line in lines if start and line.startswith(start)), lines[0])
    text = chosen.decode("ascii", "replace")
    return "".join(c if c.isprintable() else "·" for c in text.rstrip("\r"))[:LINE]


def _over(each: _Look) -> OutsideCheck:
    """Time is up: nobody took the connection, or somebody took it and kept silent."""
    return _result(each, "no_banner" if each.connected else "timeout", _line(each))


def _failed(each: _Look, code: int) -> OutsideCheck:
    outcome = {
        errno.ECONNREFUSED: "refused",
        errno.ECONNRESET: "reset",
        errno.EPIPE: "reset",
        errno.ETIMEDOUT: "timeout",
        errno.EHOSTUNREACH: "timeout",
        errno.ENETUNREACH: "timeout",
    }.get(code, "error")
    return _result(each, outcome, "" if outcome == "refused" else errno.errorcode.get(code, ""))


def _result(each: _Look, outcome: str, banner: str = "") -> OutsideCheck:
    ms = round((time.monotonic() - each.begun) * 1000)
    return OutsideCheck(path_id=each.path.id, outcome=outcome, banner=banner, ms=ms)
