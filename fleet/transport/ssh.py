"""SSH sessions, bounded in every way they can hang. The only module that knows paramiko."""

import io
import logging
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self, cast

import paramiko
from paramiko.packet import Packetizer

from fleet.transport.deadline import Deadline, watchdog
from fleet.transport.keys import KeyMissing, KeyUnreadable, ring
from fleet.transport.result import (
    Address,
    AuthRefused,
    HostKeyChanged,
    Result,
    TimedOut,
    TransportError,
    Unreachable,
)
from fleet.transport.session import Session
from fleet.transport.wire import Wire, dial

# What a stage may take at most, below the caller's own deadline (seconds).
TCP_S, HANDSHAKE_S, AUTH_S, CHANNEL_S, JUMP_S = 5.0, 10.0, 10.0, 5.0, 15.0
DEFAULT_CAP = 1 << 20
IDENT = "SSH-2.0-Halfhour"

# Each diffie-hellman group costs 20-70 ms of Python integers; a server without an elliptic curve
# is reported as such instead.
_NO_KEX = [
    "diffie-hellman-group16-sha512",
    "diffie-hellman-group-exchange-sha256",
    "diffie-hellman-group14-sha256",
]
_CIPHERS = ("aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes128-ctr", "aes256-ctr")
_DIGESTS = ("hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256")
_RSA = ("rsa-sha2-512", "rsa-sha2-256")
_NISTP = ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521")
_HOST_KEYS = ("ssh-ed25519", *_NISTP, *_RSA)

# The library logs each failure with a stack; ours are raised and told once, by who asked.
logging.getLogger("paramiko").setLevel(logging.CRITICAL + 1)


class _Packets(Packetizer):
    """Without the library's timer thread per connection; the watchdog bounds the handshake."""

    def start_handshake(self, timeout: float) -> None:
        """Nothing to start."""


class SshTransport:
    """A logged-in SSH connection (see result.Transport). Threads may share it."""

    def __init__(self, client: paramiko.Transport, wire: Wire) -> None:
        self._client = client
        self._wire = wire
        _transports.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        """False once the connection is known to be dead. True proves nothing."""
        return not self._wire.ended and self._client.is_active()

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout: float,
        stdin: bytes | None = None,
        cap: int = DEFAULT_CAP,
    ) -> Result:
        """See result.Transport.run. After an error, close the transport."""
        deadline = Deadline(timeout)
        return self.open(deadline, cap=cap).run(argv, deadline, stdin)

    def open(self, deadline: Deadline, *, cap: int = DEFAULT_CAP) -> Session:
        """Open a channel (stage `channel`). When this fails, no command was started."""
        limit = deadline.within(CHANNEL_S)
        with self.guarded("opening a channel", "channel", limit):
            # The window is what the server may have in flight: memory stays at cap + 1 MiB.
            channel = self._client.open_session(
                window_size=min(cap, DEFAULT_CAP), timeout=limit.left() or 0.001
            )
        return Session(self, channel, cap)

    def tunnel(self, host: str, port: int, deadline: Deadline) -> Wire:
        """A byte stream to `host`:`port` from the far side. It takes this connection over."""
        with self.guarded(f"reaching {host}:{port} from the jump host", "tcp", deadline):
            channel = self._client.open_channel(
                "direct-tcpip", (host, port), ("127.0.0.1", 0), timeout=deadline.left() or 0.001
            )
        return Wire(cast(Any, channel), self._wire.root)

    @contextmanager
    def guarded(
        self, what: str, stage: str, deadline: Deadline, partial: Callable[[], bytes] = bytes
    ) -> Iterator[None]:
        """Bound a block by cutting the connection, and name its failure in our words."""
        try:
            with watchdog.over(deadline, self._wire.cut):
                yield
        except TransportError:
            raise
        except Exception as error:  # the library re-raises whatever its reading thread met
            if isinstance(error, TimeoutError) or deadline.passed:
                raise TimedOut(f"{what}: time is up", partial=partial(), stage=stage) from error
            reason = str(error) or "the connection broke"
            raise Unreachable(f"{what}: {reason}", partial=partial(), stage=stage) from error

    def settle(self) -> None:
        """Give the reading thread the moment it needs to end, if it is ending."""
        self._client.join(0.2)

    def close(self) -> None:
        """Cut the connection; its thread ends by itself."""
        self._wire.cut()

    def disown(self) -> None:
        """In a forked child: the connection is the parent's."""
        cast(Any, self._client).active = False


_transports: "weakref.WeakSet[SshTransport]" = weakref.WeakSet()


def _disown_all() -> None:
    for transport in list(_transports):
        transport.disown()


os.register_at_fork(after_in_child=_disown_all)


def connect(address: Address, *, timeout: float) -> SshTransport:
    """A fresh connection within `timeout` s. Raises TransportError's subclasses."""
    return connect_by(address, Deadline(timeout))


def connect_by(address: Address, deadline: Deadline) -> SshTransport:
    """As `connect`, by a deadline."""
    wire = _reach(address.host, address.port, address.jump, deadline)
    try:
        transport = _handshake(wire, address.host_key, deadline.within(HANDSHAKE_S))
        offered = _offered(transport._client)
        if offered.split() != address.host_key.split()[:2]:
            raise HostKeyChanged(
                "not the pinned host key" if address.host_key else "no host key is pinned",
                offered=offered,
            )
        _log_in(transport, address, deadline.within(AUTH_S))
    except BaseException:
        wire.cut()
        raise
    return transport


def scan_host_key(host: str, port: int, *, timeout: float, jump: Address | None = None) -> str:
    """The key a server shows, as `algorithm base64`, without logging in.

    ed25519 when it has one. Raises Unreachable, TimedOut. What it returns is an offer: only a
    person, comparing fingerprints, makes it a pinned key.
    """
    deadline = Deadline(timeout)
    wire = _reach(host, port, jump, deadline)
    try:
        return _offered(_handshake(wire, "", deadline.within(HANDSHAKE_S))._client)
    finally:
        wire.cut()


def load_key(text: str) -> paramiko.PKey:
    """A private key from PEM or OpenSSH text. Raises KeyUnreadable, never quoting the text."""
    for kind in (paramiko.Ed25519Key, paramiko.ECDSAKey, paramiko.RSAKey):
        try:
            return kind.from_private_key(io.StringIO(text))
        except Exception:  # noqa: S112 - each class fails in its own way on another's key
            continue
    raise KeyUnreadable("not an ed25519, ECDSA or RSA private key without a passphrase")


def _reach(host: str, port: int, jump: Address | None, deadline: Deadline) -> Wire:
    if jump is None:
        connection = dial(host, port, deadline.within(TCP_S))
        return Wire(connection, connection)
    try:
        bastion = connect_by(jump, deadline.within(JUMP_S))
    except TransportError as error:
        # Whatever is wrong with the bastion says nothing of the node: not its key, nor its login.
        raise Unreachable(f"jump host {jump.host}: {error}", stage="jump") from error
    try:
        return bastion.tunnel(host, port, deadline.within(TCP_S))
    except TransportError as error:
        bastion.close()
        raise Unreachable(str(error), stage="tcp") from error


def _handshake(wire: Wire, pinned: str, deadline: Deadline) -> SshTransport:
    """Banner and key exchange. Raises Unreachable (no banner in time), TimedOut (no keys)."""
    client = paramiko.Transport(
        cast(Any, wire), disabled_algorithms={"kex": _NO_KEX}, packetizer_class=_Packets
    )
    # The library polls ten times a second, to notice that it was closed; ours is closed by cutting
    # the socket, so its reader may simply wait: no idle cost, and one system call less per read.
    wire.settimeout(None)
    client.local_version = IDENT
    client.banner_timeout = HANDSHAKE_S
    options = client.get_security_options()
    options.ciphers, options.digests = _CIPHERS, _DIGESTS
    options.key_types = _pinned_first(pinned)
    transport, done = SshTransport(client, wire), threading.Event()
    client.start_client(event=done)
    in_time = done.wait(deadline.left())
    if in_time and client.is_active():
        return transport
    wire.cut()
    if not client.remote_version:
        reason = client.get_exception() if in_time else "no SSH banner in time"
        raise Unreachable(f"no SSH: {reason or 'the server closed'}", stage="banner")
    if not in_time:
        raise TimedOut("the key exchange did not end in time", stage="kex")
    reason = client.get_exception() or "the server closed"
    raise Unreachable(f"the key exchange failed: {reason}", stage="kex")


def _pinned_first(pinned: str) -> tuple[str, ...]:
    """Host key algorithms. Our order decides which of its keys a server shows."""
    algorithm = pinned.partition(" ")[0]
    first = _RSA if algorithm == "ssh-rsa" else (algorithm,)
    return tuple(sorted(_HOST_KEYS, key=lambda name: name not in first))


def _offered(client: paramiko.Transport) -> str:
    key = client.get_remote_server_key()
    return f"{key.get_name()} {key.get_base64()}"


def _log_in(transport: SshTransport, address: Address, deadline: Deadline) -> None:
    client, done = transport._client, threading.Event()
    try:
        key = ring.get(address.key_id, load_key)
    except (KeyMissing, KeyUnreadable) as error:
        raise AuthRefused(f"private key {address.key_id}: {error}", stage="auth") from None
    with transport.guarded("logging in", "auth", deadline):
        client.auth_publickey(address.username, key, event=done)
        if not done.wait(deadline.left()):
            raise TimeoutError
    if client.is_authenticated():
        return
    reason = client.get_exception()
    if client.is_active() or isinstance(reason, paramiko.AuthenticationException):
        raise AuthRefused(f"the key was refused for {address.username}", stage="auth")
    raise Unreachable("the server closed during the login", stage="auth")
