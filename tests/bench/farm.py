"""N addresses served by private OpenSSH servers, all alike."""

import getpass
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from fleet.transport import keys
from fleet.transport.result import Address
from tests.parts.processes import answers, free_port, spawn, stop, wait_until

PER_SERVER = 16  # sshd's own limit of listening sockets
KEY_ID = 1

CONFIG = """\
HostKey {keys}/host
AuthorizedKeysFile {keys}/client.pub
PidFile {folder}/sshd.pid
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
MaxStartups 1000
MaxSessions 100
LogLevel ERROR
SetEnv SHLVL=1
"""


class Farm:
    """`count` addresses 127.0.10.x on one port."""

    def __init__(self, folder: Path, count: int, *, extra: Callable[[Path], str] | None = None):
        """`extra(folder)`: more lines for every server's configuration."""
        self.folder, self.count, self.port = folder, count, free_port()
        self.user = getpass.getuser()
        (folder / "keys").mkdir(parents=True)
        for name in ("host", "client"):
            path = folder / "keys" / name
            make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)]
            subprocess.run(make, check=True, capture_output=True)
        self.hosts = [f"127.0.10.{1 + number}" for number in range(count)]
        self._extra = extra
        keys.ring.put(KEY_ID, (folder / "keys" / "client").read_text(encoding="utf-8"))

    @property
    def host_key(self) -> str:
        text = (self.folder / "keys" / "host.pub").read_text(encoding="utf-8")
        return " ".join(text.split()[:2])

    @property
    def addresses(self) -> list[Address]:
        return [Address(host, self.port, self.user, KEY_ID, self.host_key) for host in self.hosts]

    def start(self) -> "Farm":
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)
        groups = [self.hosts[at : at + PER_SERVER] for at in range(0, self.count, PER_SERVER)]
        self._servers = [self._serve(number, group) for number, group in enumerate(groups)]
        for group in groups:
            last = group[-1]
            wait_until(lambda last=last: answers(self.port, last), seconds=20, what="sshd answers")  # type: ignore[misc]
        return self

    def _serve(self, number: int, group: list[str]) -> "subprocess.Popen[bytes]":
        folder = self.folder / f"server-{number}"
        folder.mkdir()
        text = "".join(f"ListenAddress {host}:{self.port}\n" for host in group)
        text += CONFIG.format(keys=self.folder / "keys", folder=folder)
        text += self._extra(self.folder) if self._extra else ""
        (folder / "config").write_text(text, encoding="utf-8")
        log = (folder / "log").open("ab")
        return spawn(["/usr/sbin/sshd", "-D", "-e", "-f", folder / "config"], log=log)

    def stop(self) -> None:
        for server in self._servers:
            stop(server)
