"""One real OpenSSH sshd that is many hosts: each address has its own PATH of stand-in commands."""

import getpass
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.parts.processes import answers, free_port, spawn, stop, wait_until

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass
class SshHost:
    """One address of the server. `bin` comes first in its PATH; `root` is free for files."""

    address: str
    port: int
    folder: Path
    username: str = field(default_factory=getpass.getuser)

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    @property
    def root(self) -> Path:
        return self.folder / "root"

    def stand_in(self, command: str, script: str) -> None:
        """Put a shell script in the place of `command` on this host."""
        path = self.bin / command
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)


class Sshd:
    """`hosts` many hosts at 127.78.0.1, .2, … on one free port."""

    def __init__(self, folder: Path, *, hosts: int = 3, bare: bool = False) -> None:
        """`bare`: no sbin folders in the hosts' PATH, only /usr/bin and /bin after their own."""
        self.folder, self.port = folder, free_port()
        path = "/usr/bin:/bin" if bare else SYSTEM_PATH
        self.hosts = [
            SshHost(f"127.78.0.{number}", self.port, folder / f"host-{number}")
            for number in range(1, hosts + 1)
        ]
        (folder / "keys").mkdir(parents=True)
        for host in self.hosts:
            host.bin.mkdir(parents=True)
            host.root.mkdir()
        for name in ("host", "client"):
            self._keygen(folder / "keys" / name)
        self._configure(path)

    @staticmethod
    def _keygen(path: Path) -> None:
        argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)]
        subprocess.run(argv, check=True, capture_output=True)

    def _configure(self, path: str) -> None:
        keys = self.folder / "keys"
        lines = [f"ListenAddress {host.address}:{self.port}" for host in self.hosts]
        lines += [
            f"HostKey {keys / 'host'}",
            f"AuthorizedKeysFile {keys / 'client.pub'}",
            f"PidFile {self.folder / 'sshd.pid'}",
            *("StrictModes no", "UsePAM no", "PasswordAuthentication no"),
            *("PermitRootLogin prohibit-password", "Subsystem sftp internal-sftp"),
            *("MaxStartups 400", "MaxSessions 100", "LogLevel ERROR"),
        ]
        for host in self.hosts:
            # SHLVL=1: without it bash takes the session for a login and reads ~/.bashrc.
            settings = f"PATH={host.bin}:{path} HALFHOUR_ROOT={host.root} SHLVL=1"
            settings += f" HALFHOUR_HOME={host.folder / 'kit'}"  # not in the tester's own home
            lines += [f"Match LocalAddress {host.address}", f"  SetEnv {settings}"]
        (self.folder / "sshd_config").write_text("\n".join(lines) + "\n", encoding="utf-8")

    @property
    def host_key(self) -> str:
        """`algorithm base64`, as a pinned key is kept."""
        text = (self.folder / "keys" / "host.pub").read_text(encoding="utf-8")
        return " ".join(text.split()[:2])

    @property
    def private_key(self) -> str:
        """The PEM text of the key that opens every host."""
        return (self.folder / "keys" / "client").read_text(encoding="utf-8")

    @property
    def public_key(self) -> str:
        return (self.folder / "keys" / "client.pub").read_text(encoding="utf-8").strip()

    def start(self) -> "Sshd":
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)
        log = (self.folder / "sshd.log").open("ab")
        config = self.folder / "sshd_config"
        self._process = spawn(["/usr/sbin/sshd", "-D", "-e", "-f", config], log=log)
        first = self.hosts[0].address
        wait_until(lambda: answers(self.port, first), seconds=10, what="sshd answers")
        return self

    def stop(self) -> None:
        stop(self._process)
