"""Ports as a customer meets them, on real sockets."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from diagnostics.examine import outside
from diagnostics.probes.reading import ExpectedPath


@contextmanager
def server(talk: Callable[[socket.socket], None]) -> Iterator[int]:
    """A loopback port where each visitor meets `talk`."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.1)
    over = threading.Event()

    def serve() -> None:
        while not over.is_set():
            try:
                visitor, _ = listener.accept()
            except TimeoutError:
                continue
            with visitor:
                visitor.settimeout(2)
                talk(visitor)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        over.set()
        thread.join()
        listener.close()


def check(port: int, kind: str = "ssh", host: str = "127.0.0.1"):
    path = ExpectedPath(1, "A", kind, host, port, port, 22)
    return outside.look([path], deadline=time.monotonic() + 10)[0]


def test_an_ssh_server_is_known_by_its_banner_and_told_who_we_are() -> None:
    heard = []

    def talk(visitor: socket.socket) -> None:
        visitor.sendall(b"Welcome\r\nSSH-2.0-OpenSSH_9.2p1\r\n")
        heard.append(visitor.recv(100))

    with server(talk) as port:
        found = check(port)
    assert (found.outcome, found.banner) == ("ok", "SSH-2.0-OpenSSH_9.2p1")
    assert heard == [b"SSH-2.0-Halfhour\r\n"]


def test_nothing_is_sent_before_the_banner() -> None:
    heard = []

    def talk(visitor: socket.socket) -> None:
        visitor.settimeout(0.3)
        try:
            heard.append(visitor.recv(100))
        except TimeoutError:
            heard.append(b"nothing")
        visitor.sendall(b"SSH-2.0-x\r\n")

    with server(talk) as port:
        assert check(port).outcome == "ok"
    assert heard[0] == b"nothing"


def test_a_closed_port_is_refused(port: int) -> None:
    assert check(port).outcome == "refused"


def test_a_port_that_accepts_and_closes_has_no_banner() -> None:
    with server(lambda visitor: None) as port:
        assert check(port).outcome == "no_banner"


def test_a_port_that_accepts_and_keeps_silent_has_no_banner(monkeypatch) -> None:
    monkeypatch.setattr(outside, "ANSWER_S", 0.3)
    with server(lambda visitor: time.sleep(0.6)) as port:
        found = check(port)
    assert found.outcome == "no_banner"
    assert found.ms >= 300


def test_another_program_on_the_port_is_a_wrong_banner() -> None:
    with server(lambda visitor: visitor.sendall(b"HTTP/1.1 200 OK\r\n")) as port:
        found = check(port)
    assert (found.outcome, found.banner) == ("wrong_banner", "HTTP/1.1 200 OK")


def test_a_reset_is_told_apart_from_a_close() -> None:
    def talk(visitor: socket.socket) -> None:
        visitor.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")

    with server(talk) as port:
        assert check(port).outcome in {"reset"}


def test_dropped_packets_are_a_timeout(monkeypatch) -> None:
    monkeypatch.setattr(outside, "CONNECT_S", 0.4)
    full = socket.socket()
    full.bind(("127.0.0.1", 0))
    full.listen(0)
    waiting = [socket.socket() for _ in range(4)]
    for each in waiting:  # fill the backlog: the kernel then drops every further SYN
        each.setblocking(False)
        each.connect_ex(full.getsockname())
    found = check(full.getsockname()[1])
    for each in (*waiting, full):
        each.close()
    assert found.outcome == "timeout"
    assert 350 <= found.ms < 2000


def test_a_web_port_is_asked_for_its_head() -> None:
    heard = []

    def talk(visitor: socket.socket) -> None:
        heard.append(visitor.recv(400))
        visitor.sendall(b"HTTP/1.1 302 Found\r\n\r\n")

    with server(talk) as port:
        found = check(port, "jupyter")
    assert (found.outcome, found.banner) == ("ok", "HTTP/1.1 302 Found")
    assert heard[0].startswith(b"HEAD / HTTP/1.1\r\n")


def test_rdp_and_vnc_are_known_by_their_hello() -> None:
    def rdp(visitor: socket.socket) -> None:
        assert visitor.recv(100)[:1] == b"\x03"
        visitor.sendall(bytes.fromhex("030000130ed000001234000200080002000000"))

    with server(rdp) as port:
        assert check(port, "rdp").outcome == "ok"
    with server(lambda visitor: visitor.sendall(b"RFB 003.008\n")) as port:
        assert check(port, "vnc").outcome == "ok"
    with server(lambda visitor: visitor.sendall(b"SSH-2.0-x\r\n")) as port:
        assert check(port, "vnc").outcome == "wrong_banner"


def test_a_plain_port_is_good_when_it_accepts() -> None:
    with server(lambda visitor: None) as port:
        assert check(port, "tcp").outcome == "ok"


def test_a_name_that_does_not_resolve_is_our_error_and_not_the_port_s() -> None:
    assert check(22, host="nowhere.invalid").outcome == "error"


def test_what_a_port_says_is_cut_and_made_printable() -> None:
    with server(lambda visitor: visitor.sendall(b"\x1b[31m" + b"x" * 500 + b"\r\n")) as port:
        found = check(port, "vnc")
    assert len(found.banner) <= 120
    assert found.banner.isprintable()


def test_many_slow_ports_take_as_long_as_one(monkeypatch) -> None:
    monkeypatch.setattr(outside, "ANSWER_S", 0.5)

    def silent(visitor: socket.socket) -> None:
        time.sleep(0.01)

    with server(silent) as port:
        paths = [ExpectedPath(n, "A", "ssh", "127.0.0.1", port, port, 22) for n in range(40)]
        begun = time.monotonic()
        found = outside.look(paths, deadline=begun + 10)
    assert [check.path_id for check in found] == list(range(40))
    assert time.monotonic() - begun < 3


def test_the_deadline_ends_every_look() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    begun = time.monotonic()
    port = listener.getsockname()[1]
    path = ExpectedPath(1, "A", "ssh", "127.0.0.1", port, port, 22)
    found = outside.look([path], deadline=begun + 0.4)
    listener.close()
    assert found[0].outcome == "no_banner"
    assert time.monotonic() - begun < 1


def test_only_a_control_that_accepts_shows_that_our_network_works(port: int) -> None:
    """A refusal may be our own firewall's."""
    until = time.monotonic() + 5
    assert not outside.any_answers([("127.0.0.1", port)], deadline=until)
    with socket.create_server(("127.0.0.1", 0)) as good:
        controls = [("127.0.0.1", port), ("127.0.0.1", good.getsockname()[1])]
        assert outside.any_answers(controls, deadline=until)
